//! Pages by way of an egress proxy, where the settings name one.
//!
//! The proxy looks names up and dials: which addresses a page may come from is for its rules to say. What can be judged without it still
//! is: each URL and each redirect, literal addresses, and the addresses that this machine knows a name to have. A name that nobody here
//! knows is the proxy's to look up.

use std::net::SocketAddr;
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{ClientBuilder, Proxy};
use url::{Host, Url};

use super::policy::{Denial, FetchPolicy, UrlVerdict, examine};
use super::resolver::{LookUpError, addresses, look_up};
use crate::config::SecretUrl;

/// Longest wait for what this machine knows of a name. Behind a proxy there is often no name server at all.
const PATIENCE: Duration = Duration::from_secs(2);

/// An HTTP proxy: pages over `https` are asked for through a tunnel (`CONNECT`), those over `http` are handed on by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchProxy(SecretUrl);

impl FetchProxy {
    /// The proxy at `address`: `http://`, with a user and a password where it wants them.
    #[must_use]
    pub fn at(address: SecretUrl) -> Self {
        Self(address)
    }

    /// Its address, without secrets.
    #[must_use]
    pub fn shown(&self) -> String {
        self.0.to_string()
    }

    /// A client that dials this proxy and nothing else.
    pub(super) fn dials_for(&self, builder: ClientBuilder) -> Result<ClientBuilder, reqwest::Error> {
        let host = Url::parse(self.0.expose()).ok().and_then(|url| url.host_str().map(str::to_owned));
        let resolver = OwnName { name: host.unwrap_or_default() };
        Ok(builder.proxy(Proxy::all(self.0.expose())?).dns_resolver(std::sync::Arc::new(resolver)))
    }

    /// Refuses `url` where an address of its host is known here and must not be dialled.
    pub(super) async fn judge(&self, url: &Url, policy: &FetchPolicy) -> Result<(), Denial> {
        let Some(Host::Domain(name)) = url.host() else { return Ok(()) };
        match tokio::time::timeout(PATIENCE, look_up(name, policy)).await {
            Ok(Err(LookUpError::Denied(denial))) => Err(denial),
            // The proxy may know more.
            Ok(Ok(_) | Err(LookUpError::NoSuchHost(_) | LookUpError::Failed(_))) | Err(_) => Ok(()),
        }
    }

    /// The verdict on `url` as far as it is given here.
    pub async fn verdict(&self, url: &str, policy: &FetchPolicy) -> UrlVerdict {
        let judged = match examine(url, policy) {
            Ok(url) => self.judge(&url, policy).await,
            Err(reason) => Err(reason),
        };
        judged.map_or_else(|reason| UrlVerdict::Deny { reason }, |()| UrlVerdict::Allow)
    }

    /// Whether somebody listens at its address, within `patience`.
    ///
    /// # Errors
    /// What is wrong, without its address.
    pub async fn reach(&self, patience: Duration) -> Result<(), String> {
        let url = Url::parse(self.0.expose()).map_err(|e| e.to_string())?;
        let port = url.port_or_known_default().unwrap_or(80);
        let found = match url.host() {
            Some(Host::Domain(name)) => addresses(name).await.map_err(|e| e.to_string())?,
            Some(Host::Ipv4(ip)) => vec![SocketAddr::new(ip.into(), port)],
            Some(Host::Ipv6(ip)) => vec![SocketAddr::new(ip.into(), port)],
            None => Vec::new(),
        };
        let targets: Vec<SocketAddr> = found.into_iter().map(|at| SocketAddr::new(at.ip(), port)).collect();
        match tokio::time::timeout(patience, tokio::net::TcpStream::connect(&targets[..])).await {
            Ok(connected) => connected.map(drop).map_err(|e| e.to_string()),
            Err(_) => Err("no answer in time".to_owned()),
        }
    }
}

/// Knows the addresses of the proxy and of no other host: a page that would be dialled here is not dialled.
#[derive(Debug)]
struct OwnName {
    name: String,
}

impl Resolve for OwnName {
    fn resolve(&self, name: Name) -> Resolving {
        let is_own = name.as_str().eq_ignore_ascii_case(&self.name);
        Box::pin(async move {
            if !is_own {
                let denial = Denial::new("not_the_proxy", "only the proxy is dialled where fetch_proxy is set");
                return Err(LookUpError::Denied(denial).into());
            }
            // That the proxy has no address may pass: it says nothing of the page.
            let found = addresses(name.as_str()).await.map_err(|_| LookUpError::Failed(name.as_str().to_owned()))?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}
