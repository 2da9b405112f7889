//! Fetching through an egress proxy, if one is configured.
//!
//! The proxy resolves names and connects, so its rules decide which addresses are reached. Everything that can be checked without it still
//! is: each URL and each redirect, literal addresses, and the addresses this machine resolves a name to. A name that this machine cannot
//! resolve is left to the proxy.

use std::net::SocketAddr;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{ClientBuilder, Proxy};
use url::{Host, Url};

use super::policy::{Denial, FetchPolicy, UrlVerdict, examine};
use super::resolver::{LookUpError, addresses, look_up};
use crate::secret_url::SecretUrl;

/// Longest wait for a lookup on this machine. Behind a proxy there is often no name server at all.
const PATIENCE: Duration = Duration::from_secs(2);

/// An HTTP proxy: `https` pages are fetched through a tunnel (`CONNECT`), `http` pages are forwarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchProxy(SecretUrl);

impl FetchProxy {
    /// The proxy at `address`: an `http://` URL, with user and password if it requires them.
    #[must_use]
    pub fn at(address: SecretUrl) -> Self {
        Self(address)
    }

    /// Returns its address, without secrets.
    #[must_use]
    pub fn display_address(&self) -> String {
        self.0.to_string()
    }

    /// Configures a client that connects only to this proxy.
    pub(super) fn dials_for(&self, builder: ClientBuilder) -> Result<ClientBuilder, reqwest::Error> {
        let host = Url::parse(self.0.expose()).ok().and_then(|url| url.host_str().map(str::to_owned));
        let resolver = OwnName { name: host.unwrap_or_default() };
        Ok(builder.proxy(Proxy::all(self.0.expose())?).dns_resolver(std::sync::Arc::new(resolver)))
    }

    /// Refuses `url` if this machine resolves its host to an address that is not permitted.
    pub(super) async fn judge(&self, url: &Url, policy: &FetchPolicy) -> Result<(), Denial> {
        let Some(Host::Domain(name)) = url.host() else { return Ok(()) };
        match tokio::time::timeout(PATIENCE, look_up(name, policy)).await {
            Ok(Err(LookUpError::Denied(denial))) => Err(denial),
            // Not refused: the proxy may be able to resolve it.
            Ok(Ok(_) | Err(LookUpError::NoSuchHost(_) | LookUpError::Failed(_))) | Err(_) => Ok(()),
        }
    }

    /// Returns the verdict on `url`, as far as it can be decided on this machine.
    pub async fn verdict(&self, url: &str, policy: &FetchPolicy) -> UrlVerdict {
        let judged = match examine(url, policy) {
            Ok(url) => self.judge(&url, policy).await,
            Err(reason) => Err(reason),
        };
        judged.map_or_else(|reason| UrlVerdict::Deny { reason }, |()| UrlVerdict::Allow)
    }

    /// Checks that the proxy accepts connections, within `patience`.
    ///
    /// # Errors
    /// The reason, without the proxy's address.
    pub async fn reach(&self, patience: Duration) -> Result<(), String> {
        // The lookup included: a name server may answer late or not at all.
        let reached = tokio::time::timeout(patience, self.connect()).await;
        reached.unwrap_or_else(|_| Err("no answer in time".to_owned()))
    }

    async fn connect(&self) -> Result<(), String> {
        let url = Url::parse(self.0.expose()).map_err(|e| e.to_string())?;
        let port = url.port_or_known_default().unwrap_or(80);
        let found = match url.host() {
            Some(Host::Domain(name)) => addresses(name).await.map_err(|e| e.to_string())?,
            Some(Host::Ipv4(ip)) => vec![SocketAddr::new(ip.into(), port)],
            Some(Host::Ipv6(ip)) => vec![SocketAddr::new(ip.into(), port)],
            None => Vec::new(),
        };
        let targets: Vec<SocketAddr> = found.into_iter().map(|at| SocketAddr::new(at.ip(), port)).collect();
        tokio::net::TcpStream::connect(&targets[..]).await.map(drop).map_err(|e| e.to_string())
    }
}

/// A resolver that resolves only the proxy's name, so that the client cannot connect to a page directly.
#[derive(Debug)]
struct OwnName {
    name: String,
}

impl Resolve for OwnName {
    fn resolve(&self, name: Name) -> Resolving {
        let is_own = name.as_str().eq_ignore_ascii_case(&self.name);
        Box::pin(async move {
            if !is_own {
                let denial = Denial::new("not_the_proxy", "with fetch_proxy set, only the proxy is connected to");
                return Err(LookUpError::Denied(denial).into());
            }
            // Transient even if the proxy's name does not exist: this is no verdict on the page.
            let found = addresses(name.as_str()).await.map_err(|_| LookUpError::Failed(name.as_str().to_owned()))?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Runs `work` while the only thread that could look up a name is busy, as if no name server answered.
    pub(in crate::fetch) fn without_lookups<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build();
        let runtime = runtime.expect("a runtime");
        let (release, busy) = std::sync::mpsc::channel::<()>();
        // Returns once `release` is dropped.
        runtime.spawn_blocking(move || busy.recv());
        let done = runtime.block_on(work);
        drop(release);
        done
    }

    #[test]
    fn the_lookup_of_the_proxy_counts_as_part_of_reaching_it() {
        let address: SecretUrl = serde_json::from_value("http://proxy.invalid:1".into()).expect("an address");
        let proxy = FetchProxy::at(address);
        let reach =
            async { tokio::time::timeout(Duration::from_secs(5), proxy.reach(Duration::from_millis(10))).await };
        let reached = without_lookups(reach);
        assert_eq!(reached, Ok(Err("no answer in time".to_owned())));
    }
}
