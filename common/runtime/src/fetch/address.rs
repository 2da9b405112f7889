//! Addresses that are not public: every range of the IANA special-purpose registries, including IPv4 addresses embedded in IPv6
//! addresses.
//!
//! Sources: the IANA IPv4 and IPv6 Special-Purpose Address Registries, RFC 6890 and its updates, RFC 4291 (mapped and
//! compatible), RFC 6052 and 8215 (NAT64), RFC 5214 (ISATAP). Ranges that the registries call globally reachable (AS112,
//! AMT) are refused too: no page is served from them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::rules::Network;

/// A special-purpose range of addresses, which are not connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpecialRange {
    /// The purpose of the range.
    pub what: &'static str,
    /// The range.
    pub network: Network,
}

const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u8, what: &'static str) -> SpecialRange {
    SpecialRange { what, network: Network::new(IpAddr::V4(Ipv4Addr::new(a, b, c, d)), bits) }
}

const fn v6(s: [u16; 4], bits: u8, what: &'static str) -> SpecialRange {
    let address = Ipv6Addr::new(s[0], s[1], s[2], s[3], 0, 0, 0, 0);
    SpecialRange { what, network: Network::new(IpAddr::V6(address), bits) }
}

/// Special IPv4 ranges; a narrower one comes before the wider one it lies in.
const V4: &[SpecialRange] = &[
    v4(0, 0, 0, 0, 8, "this network"),
    v4(10, 0, 0, 0, 8, "a private network"),
    v4(100, 100, 100, 200, 32, "a cloud metadata service"),
    v4(100, 64, 0, 0, 10, "a shared carrier network"),
    v4(127, 0, 0, 0, 8, "loopback"),
    v4(168, 63, 129, 16, 32, "a cloud metadata service"),
    v4(169, 254, 169, 254, 32, "a cloud metadata service"),
    v4(169, 254, 0, 0, 16, "link-local"),
    v4(172, 16, 0, 0, 12, "a private network"),
    v4(192, 0, 0, 0, 24, "protocol assignments"),
    v4(192, 0, 2, 0, 24, "documentation"),
    v4(192, 31, 196, 0, 24, "AS112"),
    v4(192, 52, 193, 0, 24, "automatic multicast tunneling"),
    v4(192, 88, 99, 0, 24, "6to4 relays"),
    v4(192, 168, 0, 0, 16, "a private network"),
    v4(192, 175, 48, 0, 24, "AS112"),
    v4(198, 18, 0, 0, 15, "benchmarks"),
    v4(198, 51, 100, 0, 24, "documentation"),
    v4(203, 0, 113, 0, 24, "documentation"),
    v4(224, 0, 0, 0, 4, "multicast"),
    v4(255, 255, 255, 255, 32, "broadcast"),
    v4(240, 0, 0, 0, 4, "reserved"),
];

/// Special IPv6 ranges within 2000::/3, and the well-known ones outside it, for their names.
const V6: &[SpecialRange] = &[
    v6([0x0064, 0xff9b, 1, 0], 48, "a local translation prefix"),
    v6([0x0100, 0, 0, 0], 64, "discard only"),
    v6([0x0100, 0, 0, 1], 64, "a dummy prefix"),
    v6([0x2001, 0, 0, 0], 32, "Teredo"),
    v6([0x2001, 0, 0, 0], 23, "protocol assignments"),
    v6([0x2001, 0x0db8, 0, 0], 32, "documentation"),
    v6([0x2002, 0, 0, 0], 16, "6to4"),
    v6([0x2620, 0x004f, 0x8000, 0], 48, "AS112"),
    v6([0x3fff, 0, 0, 0], 20, "documentation"),
    v6([0x5f00, 0, 0, 0], 16, "segment routing"),
    v6([0xfc00, 0, 0, 0], 7, "a private network"),
    v6([0xfe80, 0, 0, 0], 10, "link-local"),
    v6([0xfec0, 0, 0, 0], 10, "site-local"),
    v6([0xff00, 0, 0, 0], 8, "multicast"),
];

const LOOPBACK: SpecialRange =
    SpecialRange { what: "loopback", network: Network::new(IpAddr::V6(Ipv6Addr::LOCALHOST), 128) };
const UNSPECIFIED: SpecialRange =
    SpecialRange { what: "unspecified", network: Network::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), 128) };
const COMPATIBLE: SpecialRange = v6([0, 0, 0, 0], 96, "an IPv4-compatible address");
/// The only range that IANA assigns as global unicast.
const GLOBAL_UNICAST: Network = Network::new(IpAddr::V6(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0)), 3);
const UNASSIGNED: SpecialRange = v6([0, 0, 0, 0], 0, "outside global unicast");

/// Returns the special range that contains `address`; `None` if the address is public.
///
/// IPv4-mapped addresses and the well-known NAT64 prefix count as the embedded IPv4 address, because behind NAT64 every IPv4-only page is
/// reached that way. Other addresses with an embedded IPv4 address (6to4, Teredo, compatible, local NAT64) are always refused, and an
/// ISATAP interface identifier is refused if the IPv4 address in it is special.
#[must_use]
pub fn special(address: IpAddr) -> Option<SpecialRange> {
    match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    }
}

/// Returns the IPv4 address that an IPv6 address translates to, or the address itself. Network lists are matched against this.
#[must_use]
pub fn effective(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => stands_for(v6).map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn special_v4(address: Ipv4Addr) -> Option<SpecialRange> {
    V4.iter().find(|s| s.network.contains(address.into())).copied()
}

fn special_v6(address: Ipv6Addr) -> Option<SpecialRange> {
    if let Some(inner) = stands_for(address) {
        return special_v4(inner);
    }
    let well_known = [UNSPECIFIED, LOOPBACK, COMPATIBLE];
    let listed = well_known.iter().chain(V6).find(|s| s.network.contains(address.into())).copied();
    let isatap = || isatap(address).and_then(special_v4);
    let unassigned = || (!GLOBAL_UNICAST.contains(address.into())).then_some(UNASSIGNED);
    listed.or_else(isatap).or_else(unassigned)
}

/// Returns the IPv4 address of `::ffff:a.b.c.d` and `64:ff9b::a.b.c.d`.
fn stands_for(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(join_halves(high, low)),
        _ => None,
    }
}

/// Returns the IPv4 address of `…:0:5efe:a.b.c.d` and `…:200:5efe:a.b.c.d`.
fn isatap(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [_, _, _, _, 0 | 0x0200, 0x5efe, high, low] => Some(join_halves(high, low)),
        _ => None,
    }
}

fn join_halves(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
}

/// Addresses of cloud metadata services, which hand out credentials: the first is used by AWS, Google, Azure and others; then AWS for
/// containers, Azure's host, Alibaba, Oracle, and the IPv6 addresses of AWS and Google.
const METADATA: [IpAddr; 8] = [
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 23)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
];

/// Whether `address` is that of a cloud metadata service.
pub(super) fn is_metadata(address: IpAddr) -> bool {
    METADATA.contains(&address)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(address: &str) -> Option<&'static str> {
        special(address.parse().expect(address)).map(|s| s.what)
    }

    #[test]
    fn each_special_range_begins_and_ends_where_the_registry_says() {
        for (first, last, before, after) in [
            ("0.0.0.0", "0.255.255.255", None, Some("1.0.0.0")),
            ("10.0.0.0", "10.255.255.255", Some("9.255.255.255"), Some("11.0.0.0")),
            ("100.64.0.0", "100.127.255.255", Some("100.63.255.255"), Some("100.128.0.0")),
            ("127.0.0.0", "127.255.255.255", Some("126.255.255.255"), Some("128.0.0.0")),
            ("169.254.0.0", "169.254.255.255", Some("169.253.255.255"), Some("169.255.0.0")),
            ("172.16.0.0", "172.31.255.255", Some("172.15.255.255"), Some("172.32.0.0")),
            ("192.0.0.0", "192.0.0.255", Some("191.255.255.255"), Some("192.0.1.0")),
            ("192.0.2.0", "192.0.2.255", Some("192.0.1.255"), Some("192.0.3.0")),
            ("192.31.196.0", "192.31.196.255", Some("192.31.195.255"), Some("192.31.197.0")),
            ("192.52.193.0", "192.52.193.255", Some("192.52.192.255"), Some("192.52.194.0")),
            ("192.88.99.0", "192.88.99.255", Some("192.88.98.255"), Some("192.88.100.0")),
            ("192.168.0.0", "192.168.255.255", Some("192.167.255.255"), Some("192.169.0.0")),
            ("192.175.48.0", "192.175.48.255", Some("192.175.47.255"), Some("192.175.49.0")),
            ("198.18.0.0", "198.19.255.255", Some("198.17.255.255"), Some("198.20.0.0")),
            ("198.51.100.0", "198.51.100.255", Some("198.51.99.255"), Some("198.51.101.0")),
            ("203.0.113.0", "203.0.113.255", Some("203.0.112.255"), Some("203.0.114.0")),
            ("224.0.0.0", "255.255.255.255", Some("223.255.255.255"), None),
            ("168.63.129.16", "168.63.129.16", Some("168.63.129.15"), Some("168.63.129.17")),
            ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", None, Some("2001:200::")),
            ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", Some("2001:db7:ffff::"), Some("2001:db9::")),
            ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Some("2001:ffff::"), Some("2003::")),
            ("2620:4f:8000::", "2620:4f:8000:ffff::", Some("2620:4f:7fff::"), Some("2620:4f:8001::")),
            ("3fff::", "3fff:fff:ffff::", Some("3ffe:ffff::"), Some("3fff:1000::")),
            ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Some("3fff:ffff::"), None),
            ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", None, Some("2000::")),
        ] {
            assert!(what(first).is_some() && what(last).is_some(), "{first} to {last}");
            for public in [before, after].into_iter().flatten() {
                assert_eq!(what(public), None, "{public}");
            }
        }
    }

    /// The first and the last address of `network`.
    fn ends(network: Network) -> [IpAddr; 2] {
        let text = network.to_string();
        let (address, bits) = text.split_once('/').expect("an address and bits");
        let bits: u32 = bits.parse().expect("bits");
        match address.parse().expect("an address") {
            IpAddr::V4(first) => {
                let rest = u32::MAX.checked_shr(bits).unwrap_or(0);
                [first.into(), Ipv4Addr::from(u32::from(first) | rest).into()]
            }
            IpAddr::V6(first) => {
                let rest = u128::MAX.checked_shr(bits).unwrap_or(0);
                [first.into(), Ipv6Addr::from(u128::from(first) | rest).into()]
            }
        }
    }

    /// The shipped egress proxy must allow the same addresses as the program; its list is maintained by hand in a different syntax.
    #[test]
    fn the_egress_proxy_refuses_the_same_ranges() {
        let shipped = include_str!("../../../../compose/egress/squid.conf");
        let denied: Vec<Network> = shipped
            .lines()
            .filter_map(|line| line.strip_prefix("acl inside dst "))
            .map(|range| range.parse().expect(range))
            .collect();
        let is_denied = |address: IpAddr| denied.iter().any(|network| network.contains(address));
        for range in V4.iter().chain(V6).chain([&LOOPBACK, &UNSPECIFIED]) {
            assert!(ends(range.network).into_iter().all(is_denied), "{range:?} is dialled");
        }
        for network in denied {
            assert!(ends(network).into_iter().all(|address| special(address).is_some()), "{network:?} is public");
        }
    }

    #[test]
    fn special_addresses_are_named_for_what_they_are() {
        for (address, expected) in [
            ("169.254.169.254", "a cloud metadata service"),
            ("255.255.255.255", "broadcast"),
            ("::", "unspecified"),
            ("::1", "loopback"),
            ("::7f00:1", "an IPv4-compatible address"),
            ("64:ff9b:1::808:808", "a local translation prefix"),
            ("100::1", "discard only"),
            ("2001::1", "Teredo"),
            ("2001:20::1", "protocol assignments"),
            ("5f00::1", "segment routing"),
            ("fd00:ec2::254", "a private network"),
            ("fe80::1", "link-local"),
            ("fec0::1", "site-local"),
            ("ff02::1", "multicast"),
            ("8000::1", "outside global unicast"),
        ] {
            assert_eq!(what(address), Some(expected), "{address}");
        }
    }

    #[test]
    fn an_ipv4_address_inside_an_ipv6_address_is_judged() {
        for (address, expected) in [
            ("::ffff:127.0.0.1", Some("loopback")),
            ("::ffff:8.8.8.8", None),
            ("64:ff9b::10.0.0.1", Some("a private network")),
            ("64:ff9b::8.8.8.8", None),
            ("2002:7f00:1::", Some("6to4")),
            ("2002:808:808::", Some("6to4")),
            ("2606:4700::5efe:10.0.0.1", Some("a private network")),
            ("2606:4700::200:5efe:127.0.0.1", Some("loopback")),
            ("2606:4700::5efe:8.8.8.8", None),
            ("fe80::5efe:8.8.8.8", Some("link-local")),
            ("2606:4700:4700::1111", None),
        ] {
            assert_eq!(what(address), expected, "{address}");
        }
    }
}
