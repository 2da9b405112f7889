//! Hosts that are internal or suspicious by their name alone.
//!
//! Names are compared as in a parsed URL: IDNA-normalised, lower case, without a trailing dot.

use super::rules::is_below;

/// Suffixes of names that are not public. Special-use (RFC 6761, 6762, 7686, 8375, 9476): `localhost`, `local`, `test`,
/// `invalid`, `onion`, `alt`, `home.arpa`. Reserved for private use by ICANN: `internal`. Routers, offices and clusters use the
/// rest. `test` is listed because developers point it at their own machine; `example` is not, because no server answers there and
/// documents use it.
const INTERNAL: &[&str] = &[
    "localhost",
    "localdomain",
    "local",
    "test",
    "invalid",
    "onion",
    "i2p",
    "alt",
    "home.arpa",
    "internal",
    "intranet",
    "intra",
    "private",
    "corp",
    "home",
    "lan",
    "domain",
    "workgroup",
    "svc",
    "cluster",
    // Namespaces that every Kubernetes cluster has: `kubernetes.default` is its API.
    "default",
    "kube-system",
    "consul",
    "mshome.net",
    "fritz.box",
    "in-addr.arpa",
    "ip6.arpa",
];

/// Names of cloud metadata services. They also resolve to special addresses; here they are refused before any lookup.
const METADATA: &[&str] = &[
    "metadata.google.internal",
    "metadata.goog",
    "instance-data.ec2.internal",
    "metadata.tencentyun.com",
    "metadata.oraclecloud.com",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.hetzner.cloud",
];

/// Zones whose names resolve to an address written in the name, or to loopback.
const REBINDING: &[&str] = &[
    "nip.io",
    "sslip.io",
    "xip.io",
    "localtest.me",
    "lvh.me",
    "vcap.me",
    "lacolhost.com",
    "localho.st",
    "rbndr.us",
    "1u.ms",
    "rebind.it",
    "rebind.network",
    "traefik.me",
    "local.gd",
    "lcl.host",
    "fuf.me",
    "ulh.us",
    "127-0-0-1.org.uk",
    "spoofed.burpcollaborator.net",
];

/// Returns why `host` is refused, as a stable code and a message; `None` if it is not.
pub(super) fn fault(host: &str) -> Option<(&'static str, String)> {
    let listed = |list: &[&'static str]| list.iter().find(|name| host == **name || is_below(host, name)).copied();
    if let Some(name) = listed(METADATA) {
        return Some(("metadata_host", format!("{name} is a cloud metadata service")));
    }
    if !host.contains('.') {
        return Some(("internal_host", format!("{host} is a single label, so a name of the local network")));
    }
    if let Some(name) = listed(INTERNAL) {
        return Some(("internal_host", format!("names below .{name} are internal")));
    }
    listed(REBINDING).map(|name| ("rebinding_host", format!("names below {name} can resolve to any address")))
}

/// Whether `host` has the form of a host name: labels of 1 to 63 letters, digits, hyphens and underscores (which some hosts have
/// against the rules) without a hyphen at either end, 253 bytes in all. The URL standard allows more, and name servers do not.
pub(super) fn is_well_formed(host: &str) -> bool {
    let is_of_names = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(is_of_names)
    };
    host.len() <= 253 && host.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_names_are_recognized_by_whole_labels() {
        for (host, expected) in [
            ("localhost", Some("internal_host")),
            ("wiki", Some("internal_host")),
            ("a.localhost", Some("internal_host")),
            ("printer.local", Some("internal_host")),
            ("metadata.google.internal", Some("metadata_host")),
            ("x.metadata.goog", Some("metadata_host")),
            ("10.0.0.1.nip.io", Some("rebinding_host")),
            ("localhost.example.org", None),
            ("notlocal.org", None),
            ("mylocal", Some("internal_host")),
            ("kubernetes.default", Some("internal_host")),
            ("kubernetes.default.org", None),
            ("a.notlocal", None),
            ("corp.example.com", None),
            ("example.example", None),
        ] {
            assert_eq!(fault(host).map(|(code, _)| code), expected, "{host}");
        }
    }

    #[test]
    fn labels_hold_letters_digits_hyphens_and_underscores() {
        for host in ["a-b.example.org", "a_b.example.org", "xn--mnchen-3ya.de", "3com.com", "a--b.org"] {
            assert!(is_well_formed(host), "{host}");
        }
        for odd in ['\'', '!', '$', '&', '(', '*', '+', ',', ';', '=', '~', '"', '`', '{', '%', ' '] {
            assert!(!is_well_formed(&format!("a{odd}b.org")), "{odd}");
        }
    }

    #[test]
    fn labels_have_limits() {
        let label = |n: usize| "a".repeat(n);
        assert!(is_well_formed(&format!("{}.de", label(63))));
        assert!(!is_well_formed(&format!("{}.de", label(64))));
        assert!(is_well_formed("a--b.de") && !is_well_formed("-a.de") && !is_well_formed("a-.de"));
        assert!(!is_well_formed("a..de") && !is_well_formed("") && !is_well_formed(".de"));
        let long = [label(63), label(63), label(63), label(61)].join(".");
        assert!(is_well_formed(&long) && !is_well_formed(&format!("{long}a")));
    }
}
