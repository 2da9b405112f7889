//! Decides whether a URL may be fetched. Pure: from a URL and a policy to a verdict, without a DNS lookup.
//!
//! A URL is parsed as the URL standard defines, so `http://0x7f.1/` is 127.0.0.1 and `http://ＬＯＣＡＬＨＯＳＴ./` is localhost, and the
//! checked address is the one that would be connected to. Spellings that parsers may read differently (user information, percent signs in
//! the host, backslashes before the path, control characters, missing slashes) are refused.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::rules::{HostRule, Network};
use super::{address, names};

/// Longest URL, in bytes, as servers and caches commonly accept.
pub const MAX_URL_BYTES: usize = 8_192;

/// Characters that parsers should drop from a host (UTS 46, "ignored"): nobody types them, and not every parser drops them.
const IGNORED: [char; 5] = ['\u{ad}', '\u{200b}', '\u{2060}', '\u{2064}', '\u{feff}'];

/// Rules for what may be fetched. Deny rules override allow rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchPolicy {
    /// Ports that may be connected to; empty means any.
    pub ports: Vec<u16>,
    /// If not empty, no other host is fetched. An internal host name is allowed here; its addresses are still checked.
    pub allow_hosts: Vec<HostRule>,
    /// Hosts that are never fetched.
    pub deny_hosts: Vec<HostRule>,
    /// Addresses that may be connected to although they are special; also literal addresses that [`Self::allow_hosts`] does not list.
    pub allow_networks: Vec<Network>,
    /// Addresses that are never connected to.
    pub deny_networks: Vec<Network>,
    /// Whether [`Self::allow_networks`] also permits cloud metadata services, which hand out credentials.
    pub allow_metadata: bool,
}

/// The verdict on a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UrlVerdict {
    /// It may be fetched if the addresses of its host are permitted.
    Allow,
    /// It may not be fetched.
    Deny {
        /// The reason.
        reason: Denial,
    },
}

/// Why a URL or an address is refused; displays as `code: words`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// The stable code.
    pub code: &'static str,
    /// The message for people.
    pub words: String,
}

impl Default for FetchPolicy {
    /// Public hosts on the usual ports of web pages: 80, 443, 8080, 8443.
    fn default() -> Self {
        Self {
            ports: vec![80, 443, 8_080, 8_443],
            allow_hosts: Vec::new(),
            deny_hosts: Vec::new(),
            allow_networks: Vec::new(),
            deny_networks: Vec::new(),
            allow_metadata: false,
        }
    }
}

impl FetchPolicy {
    /// Also allows loopback addresses and any port, for tests that serve pages themselves.
    #[must_use]
    pub fn allow_loopback_for_tests(mut self) -> Self {
        self.ports.clear();
        self.allow_networks.push(Network::new(Ipv4Addr::LOCALHOST.into(), 8));
        self.allow_networks.push(Network::new(Ipv6Addr::LOCALHOST.into(), 128));
        self
    }

    /// Checks that `address` may be connected to under this policy.
    ///
    /// # Errors
    /// The reason it may not.
    pub fn check(&self, address: IpAddr) -> Result<(), Denial> {
        let in_any = |networks: &[Network]| {
            networks.iter().find(|n| n.contains(address) || n.contains(address::effective(address))).copied()
        };
        if let Some(network) = in_any(&self.deny_networks) {
            return Err(Denial::new("denied_address", format!("{address} is denied by {network}")));
        }
        let is_allowed = in_any(&self.allow_networks).is_some();
        if !is_allowed {
            check_addr(address)?;
        }
        // A separate switch: an operator who allows a wide network rarely means to expose the machine's credentials.
        if address::is_metadata(address::effective(address)) && !(is_allowed && self.allow_metadata) {
            let words =
                format!("{address} is a cloud metadata service; to fetch from it, also set fetch_allow_metadata");
            return Err(Denial::new("metadata_address", words));
        }
        Ok(())
    }
}

impl Denial {
    pub(super) fn new(code: &'static str, words: impl Into<String>) -> Self {
        Self { code, words: words.into() }
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.words)
    }
}

impl std::error::Error for Denial {}

/// Returns whether `url` may be fetched, as far as that can be decided without resolving its host.
#[must_use]
pub fn verdict(url: &str, policy: &FetchPolicy) -> UrlVerdict {
    match examine(url, policy) {
        Ok(_) => UrlVerdict::Allow,
        Err(reason) => UrlVerdict::Deny { reason },
    }
}

/// Checks that `address` is public, that is, in none of the special ranges.
///
/// # Errors
/// `special_address`, with the range.
pub fn check_addr(address: IpAddr) -> Result<(), Denial> {
    match address::special(address) {
        None => Ok(()),
        Some(special) => {
            let words = format!("{address} is {} ({})", special.what, special.network);
            Err(Denial::new("special_address", words))
        }
    }
}

/// Returns the URL to fetch: parsed, without fragment and without a trailing dot of its host.
///
/// # Errors
/// The reason it may not be fetched.
pub(super) fn examine(text: &str, policy: &FetchPolicy) -> Result<Url, Denial> {
    let text = text.trim_matches(' ');
    check_spelling(text)?;
    let mut url = Url::parse(text).map_err(|e| Denial::new("invalid_url", e.to_string()))?;
    url.set_fragment(None);
    // `check_spelling` refused both already; if they are still there, the parser read the URL differently.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(userinfo());
    }
    let port = url.port_or_known_default().unwrap_or(0);
    if !policy.ports.is_empty() && !policy.ports.contains(&port) {
        return Err(Denial::new("port", format!("port {port} is not in fetch_ports")));
    }
    match url.host().map(|h| h.to_owned()) {
        None => Err(Denial::new("invalid_url", "the URL has no host")),
        Some(Host::Ipv4(address)) => check_literal(address.into(), policy).map(|()| url),
        Some(Host::Ipv6(address)) => check_literal(address.into(), policy).map(|()| url),
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(&name);
            check_name(name, policy)?;
            url.set_host(Some(name)).map_err(|e| Denial::new("invalid_url", e.to_string()))?;
            Ok(url)
        }
    }
}

fn check_spelling(text: &str) -> Result<(), Denial> {
    if text.len() > MAX_URL_BYTES {
        return Err(Denial::new("too_long", format!("the URL has {} bytes, the limit is {MAX_URL_BYTES}", text.len())));
    }
    if text.chars().any(char::is_control) {
        return Err(Denial::new("odd_url", "the URL contains a control character"));
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        return Err(Denial::new("invalid_url", "the URL has no scheme"));
    };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(Denial::new("scheme", "only http and https are fetched"));
    }
    let authority = rest.strip_prefix("//").filter(|r| !r.starts_with(['/', '\\']));
    let Some(authority) = authority else {
        return Err(Denial::new("odd_url", "the scheme is not followed by exactly two slashes"));
    };
    let end = authority.find(['/', '?', '#', '\\']).unwrap_or(authority.len());
    let (authority, path) = authority.split_at(end);
    if authority.contains('@') {
        return Err(userinfo());
    }
    if path.starts_with('\\') {
        return Err(Denial::new("odd_url", "the host is followed by a backslash"));
    }
    if authority.contains(IGNORED) {
        return Err(Denial::new("odd_host", "the host contains an invisible character"));
    }
    if authority.contains('%') {
        return Err(Denial::new("odd_host", "the host contains a percent sign"));
    }
    Ok(())
}

fn userinfo() -> Denial {
    Denial::new("userinfo", "the URL contains a user name or a password")
}

fn check_literal(address: IpAddr, policy: &FetchPolicy) -> Result<(), Denial> {
    policy.check(address)?;
    let named = || policy.allow_networks.iter().any(|n| n.contains(address));
    if policy.allow_hosts.is_empty() || named() {
        return Ok(());
    }
    Err(Denial::new("not_allowed", format!("{address} is not in fetch_allow_hosts or fetch_allow_networks")))
}

fn check_name(name: &str, policy: &FetchPolicy) -> Result<(), Denial> {
    if !names::is_well_formed(name) {
        return Err(Denial::new("odd_host", "the host is not a valid host name"));
    }
    if policy.deny_hosts.iter().any(|rule| rule.covers(name)) {
        return Err(Denial::new("denied_host", format!("{name} is in fetch_deny_hosts")));
    }
    if policy.allow_hosts.iter().any(|rule| rule.covers(name)) {
        return Ok(());
    }
    if let Some((code, words)) = names::fault(name) {
        return Err(Denial::new(code, words));
    }
    if policy.allow_hosts.is_empty() {
        return Ok(());
    }
    Err(Denial::new("not_allowed", format!("{name} is not in fetch_allow_hosts or fetch_allow_networks")))
}

#[cfg(test)]
mod table;
