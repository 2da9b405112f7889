//! The one look-up of a host: what it returns is checked and then dialled, so nobody can answer differently in between.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Host;

use super::policy::{Denial, FetchPolicy, UrlVerdict, examine};

/// Longest wait for a name server.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a host has no address to dial.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookUpError {
    /// One of its addresses must not be dialled; the others are then not trusted either.
    #[error(transparent)]
    Denied(Denial),
    /// Nobody knows the name, or nobody answered.
    #[error("look up {0}: no address found")]
    Failed(String),
}

/// Gives the HTTP client only addresses that passed.
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

/// The verdict on `url` with the addresses of its host: as [`super::verdict`], and denied as `unresolved` where it has none.
pub async fn verdict_resolved(url: &str, policy: &FetchPolicy) -> UrlVerdict {
    let url = match examine(url, policy) {
        Ok(url) => url,
        Err(reason) => return UrlVerdict::Deny { reason },
    };
    let Some(Host::Domain(name)) = url.host() else { return UrlVerdict::Allow };
    match look_up(name, policy).await {
        Ok(_) => UrlVerdict::Allow,
        Err(LookUpError::Denied(reason)) => UrlVerdict::Deny { reason },
        Err(failed @ LookUpError::Failed(_)) => {
            UrlVerdict::Deny { reason: Denial::new("unresolved", failed.to_string()) }
        }
    }
}

async fn look_up(name: &str, policy: &FetchPolicy) -> Result<Vec<SocketAddr>, LookUpError> {
    let failed = || LookUpError::Failed(name.to_owned());
    let found = tokio::time::timeout(PATIENCE, tokio::net::lookup_host((name, 0))).await;
    judged(name, found.map_err(|_| failed())?.map_err(|_| failed())?.collect(), policy)
}

/// The addresses of `name`, where there are any and each of them may be dialled.
fn judged(name: &str, addresses: Vec<SocketAddr>, policy: &FetchPolicy) -> Result<Vec<SocketAddr>, LookUpError> {
    for address in &addresses {
        policy.check(address.ip()).map_err(LookUpError::Denied)?;
    }
    if addresses.is_empty() { Err(LookUpError::Failed(name.to_owned())) } else { Ok(addresses) }
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
            judged("a.org", addresses, &FetchPolicy::default()).map(|found| found.len())
        };
        let public = ["8.8.8.8", "2606:4700:4700::1111"];
        assert_eq!(judge(&public), Ok(2));
        for private in ["10.0.0.1", "127.0.0.1", "::1", "fd00::1", "::ffff:169.254.169.254"] {
            for mixed in [[public[0], private], [private, public[0]], [public[1], private], [private, public[1]]] {
                assert!(matches!(judge(&mixed), Err(LookUpError::Denied(_))), "{mixed:?}");
            }
        }
        assert_eq!(judge(&[]), Err(LookUpError::Failed("a.org".to_owned())));
    }

    #[tokio::test]
    async fn a_literal_needs_no_look_up() {
        assert_eq!(verdict_resolved("http://8.8.8.8/", &FetchPolicy::default()).await, UrlVerdict::Allow);
    }
}
