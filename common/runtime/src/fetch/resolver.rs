//! The only DNS lookup of a host: its addresses are checked and then connected to, so a second lookup cannot return different ones (DNS
//! rebinding).
//!
//! Names are absolute: the machine's search list is not applied, so `a.org` is never resolved as `a.org.cluster.local`.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Host;

use super::hosts_file;
use super::policy::{Denial, FetchPolicy, UrlVerdict, examine};

/// Longest wait for a name server.
const PATIENCE: Duration = Duration::from_secs(10);

/// System messages for a name that does not exist or has no address, which is permanent. Sources: `gai_strerror` of glibc (`EAI_NONAME`,
/// `EAI_NODATA`), of musl, and of BSD and macOS.
const NO_SUCH_HOST: [&str; 5] = [
    "Name or service not known",
    "No address associated with hostname",
    "Name does not resolve",
    "Name has no usable address",
    "nodename nor servname provided, or not known",
];

/// Why a host has no usable address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookUpError {
    /// One of its addresses is not permitted; the others are then not used either.
    #[error(transparent)]
    Denied(Denial),
    /// There is no such name, or it has no address.
    #[error("look up {0}: there is no such host")]
    NoSuchHost(String),
    /// No name server answered, or it failed.
    #[error("look up {0}: no name server answered")]
    Failed(String),
}

/// A resolver that gives the HTTP client only addresses that passed the policy.
#[derive(Debug)]
pub(super) struct CheckedResolver(pub(super) Arc<FetchPolicy>);

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = self.0.clone();
        Box::pin(async move {
            let addresses = look_up(name.as_str(), &policy).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// Returns the verdict on `url` including the addresses of its host: as [`super::verdict`], and denied with `no_such_host` or `unresolved`
/// if it has none.
pub async fn verdict_resolved(url: &str, policy: &FetchPolicy) -> UrlVerdict {
    let url = match examine(url, policy) {
        Ok(url) => url,
        Err(reason) => return UrlVerdict::Deny { reason },
    };
    let Some(Host::Domain(name)) = url.host() else { return UrlVerdict::Allow };
    match look_up(name, policy).await {
        Ok(_) => UrlVerdict::Allow,
        Err(LookUpError::Denied(reason)) => UrlVerdict::Deny { reason },
        Err(error) => UrlVerdict::Deny { reason: Denial::new(error.code(), error.to_string()) },
    }
}

impl LookUpError {
    /// Returns the stable code.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Denied(_) => "fetch_refused",
            Self::NoSuchHost(_) => "no_such_host",
            Self::Failed(_) => "unresolved",
        }
    }
}

/// Resolves `name` and returns its addresses if all of them are permitted.
pub(super) async fn look_up(name: &str, policy: &FetchPolicy) -> Result<Vec<SocketAddr>, LookUpError> {
    let found = tokio::time::timeout(PATIENCE, addresses(name)).await;
    check_addresses(name, found.map_err(|_| LookUpError::Failed(name.to_owned()))??, policy)
}

/// Returns all addresses of `name`: from the machine's own list, else from a name server for the absolute name.
pub(super) async fn addresses(name: &str) -> Result<Vec<SocketAddr>, LookUpError> {
    let in_list = name.to_owned();
    let listed: Vec<IpAddr> =
        tokio::task::spawn_blocking(move || hosts_file::addresses_of(&in_list)).await.unwrap_or_default();
    if !listed.is_empty() {
        return Ok(listed.into_iter().map(|address| SocketAddr::new(address, 0)).collect());
    }
    let absolute = format!("{}.", name.trim_end_matches('.'));
    match tokio::net::lookup_host((absolute.as_str(), 0)).await {
        Ok(found) => Ok(found.collect()),
        Err(error) => Err(failure(name, &error)),
    }
}

/// Classifies the system's message about a failed lookup; an unknown message counts as transient.
fn failure(name: &str, error: &io::Error) -> LookUpError {
    let said = error.to_string();
    match NO_SUCH_HOST.iter().any(|words| said.contains(words)) {
        true => LookUpError::NoSuchHost(name.to_owned()),
        false => LookUpError::Failed(name.to_owned()),
    }
}

/// Returns `addresses` if there are any and all are permitted. One forbidden address refuses the name: its others are not trusted either.
fn check_addresses(
    name: &str,
    addresses: Vec<SocketAddr>,
    policy: &FetchPolicy,
) -> Result<Vec<SocketAddr>, LookUpError> {
    for address in &addresses {
        policy.check(address.ip()).map_err(LookUpError::Denied)?;
    }
    if addresses.is_empty() { Err(LookUpError::NoSuchHost(name.to_owned())) } else { Ok(addresses) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `localhost`, which every machine knows without a name server, allowed by name.
    fn policy() -> FetchPolicy {
        FetchPolicy { allow_hosts: vec!["localhost".parse().expect("a host")], ..FetchPolicy::default() }
    }

    #[tokio::test]
    async fn an_allowed_name_is_denied_for_its_addresses() {
        let UrlVerdict::Deny { reason } = verdict_resolved("http://localhost/", &policy()).await else {
            panic!("loopback is special")
        };
        assert_eq!(reason.code, "special_address");
        let allowed = policy().allow_loopback_for_tests();
        assert_eq!(verdict_resolved("http://localhost/", &allowed).await, UrlVerdict::Allow);
    }

    #[test]
    fn one_address_that_must_not_be_dialled_spoils_the_others() {
        let judge = |ips: &[&str]| {
            let addresses = ips.iter().map(|ip| SocketAddr::new(ip.parse().expect("an address"), 0)).collect();
            check_addresses("a.org", addresses, &FetchPolicy::default()).map(|found| found.len())
        };
        let public = ["8.8.8.8", "2606:4700:4700::1111"];
        assert_eq!(judge(&public), Ok(2));
        for private in ["10.0.0.1", "127.0.0.1", "::1", "fd00::1", "::ffff:169.254.169.254"] {
            for mixed in [[public[0], private], [private, public[0]], [public[1], private], [private, public[1]]] {
                assert!(matches!(judge(&mixed), Err(LookUpError::Denied(_))), "{mixed:?}");
            }
        }
        assert_eq!(judge(&[]), Err(LookUpError::NoSuchHost("a.org".to_owned())));
    }

    #[tokio::test]
    async fn a_literal_needs_no_look_up() {
        assert_eq!(verdict_resolved("http://8.8.8.8/", &FetchPolicy::default()).await, UrlVerdict::Allow);
    }

    #[test]
    fn a_missing_name_differs_from_a_failing_server() {
        let gone = LookUpError::NoSuchHost("a.org".to_owned());
        let failed = LookUpError::Failed("a.org".to_owned());
        for (said, expected) in [
            ("failed to lookup address information: Name or service not known", &gone),
            ("failed to lookup address information: No address associated with hostname", &gone),
            ("failed to lookup address information: Name does not resolve", &gone),
            ("failed to lookup address information: nodename nor servname provided, or not known", &gone),
            ("failed to lookup address information: Temporary failure in name resolution", &failed),
            ("failed to lookup address information: Non-recoverable failure in name resolution", &failed),
            ("failed to lookup address information: Try again", &failed),
            ("Too many open files (os error 24)", &failed),
        ] {
            assert_eq!(failure("a.org", &io::Error::other(said)), *expected, "{said}");
        }
    }
}
