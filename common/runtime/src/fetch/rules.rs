//! The rules by which an operator allows and denies: hosts, subdomains, networks.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// A network: all addresses with the same first bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

/// A host name; with a leading dot or `*.`, also all its subdomains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRule {
    name: String,
    covers_below: bool,
}

/// Why a text is not a valid rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Neither an address nor an address with a prefix length.
    #[error("`{0}` is not a network: expected an address, optionally with a prefix length, such as 10.0.0.0/8")]
    Network(String),
    /// Not a host name.
    #[error("`{0}` is not a host: expected a name such as example.org, or .example.org to include its subdomains")]
    Host(String),
}

impl Network {
    pub(super) const fn new(address: IpAddr, bits: u8) -> Self {
        Self { address, bits }
    }

    /// Whether the network contains `address`; never for an address of the other family.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                same_start(u128::from(u32::from(own)) << 96, u128::from(u32::from(other)) << 96, self.bits)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => same_start(own.into(), other.into(), self.bits),
            _ => false,
        }
    }
}

fn same_start(a: u128, b: u128, bits: u8) -> bool {
    // A shift by 128 gives `None`: with a prefix length of 0 no bits need to match.
    (a ^ b).checked_shr(128 - u32::from(bits)).unwrap_or(0) == 0
}

impl FromStr for Network {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let wrong = || RuleError::Network(text.to_owned());
        let (address, bits) = text.split_once('/').map_or((text, None), |(a, b)| (a, Some(b)));
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), str::parse::<u8>).map_err(|_| wrong())?;
        if bits <= most { Ok(Self { address, bits }) } else { Err(wrong()) }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl HostRule {
    /// Whether the rule covers `host`, given as in a parsed URL: lower case, without a trailing dot.
    #[must_use]
    pub fn covers(&self, host: &str) -> bool {
        host == self.name || (self.covers_below && is_below(host, &self.name))
    }
}

impl FromStr for HostRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let below = text.strip_prefix("*.").or_else(|| text.strip_prefix('.'));
        match url::Host::parse(below.unwrap_or(text)) {
            Ok(url::Host::Domain(name)) if !name.ends_with('.') && !name.contains('*') => {
                Ok(Self { name, covers_below: below.is_some() })
            }
            _ => Err(RuleError::Host(text.to_owned())),
        }
    }
}

/// Whether `host` ends in `.{name}`.
pub(super) fn is_below(host: &str, name: &str) -> bool {
    host.strip_suffix(name).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_contains_what_shares_its_first_bits() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.6"),
            ("0.0.0.0/0", "255.255.255.255", "::"),
            ("::/0", "ff::1", "1.2.3.4"),
            ("fd00::/8", "fdff::1", "fe00::"),
            ("::1/128", "::1", "::2"),
            ("10.1.2.3/31", "10.1.2.2", "10.1.2.4"),
        ] {
            let network: Network = network.parse().expect("a network");
            assert!(network.contains(inside.parse().expect("an address")), "{network}");
            assert!(!network.contains(outside.parse().expect("an address")), "{network}");
        }
        for bad in ["", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0/8", "example.org", "10.0.0.0/-1", "1.2.3.4/8/8"] {
            assert!(bad.parse::<Network>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_host_rule_covers_whole_labels_only() {
        for (rule, host, expected) in [
            ("example.org", "example.org", true),
            ("example.org", "a.example.org", false),
            ("Example.ORG", "example.org", true),
            (".example.org", "a.b.example.org", true),
            (".example.org", "example.org", true),
            ("*.example.org", "a.example.org", true),
            (".example.org", "badexample.org", false),
            (".example.org", "example.org.evil.net", false),
            ("münchen.de", "xn--mnchen-3ya.de", true),
        ] {
            assert_eq!(rule.parse::<HostRule>().expect("a rule").covers(host), expected, "{rule} {host}");
        }
        for bad in ["", ".", "*.", "127.0.0.1", "[::1]", "a b", "https://example.org", "*.*.org"] {
            assert!(bad.parse::<HostRule>().is_err(), "{bad}");
        }
    }
}
