//! The machine's own list of hosts, `/etc/hosts`.
//!
//! Names are resolved as absolute names, with a trailing dot, so that no search list is applied; the system does not find such names in
//! this file. So it is read here, before a name server is asked, as the system would.

use std::net::IpAddr;
use std::path::Path;

use crate::files::{FileLimits, Links, read_regular};

const PLACE: &str = "/etc/hosts";
/// Largest list that is read, in bytes; a larger one is ignored. Ad-blocking lists have about two million bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Returns the addresses of `name` in this machine's list; empty if there is no list.
pub(super) fn addresses_of(name: &str) -> Vec<IpAddr> {
    let bytes = read_regular(Path::new(PLACE), Links::Followed, FileLimits::bytes(MAX_BYTES)).unwrap_or_default();
    addresses(&String::from_utf8_lossy(&bytes), name)
}

/// Returns the addresses of `name` in `list`, in order.
fn addresses(list: &str, name: &str) -> Vec<IpAddr> {
    let line = |line: &str| {
        let mut words = line.split('#').next().unwrap_or_default().split_ascii_whitespace();
        let address: IpAddr = words.next()?.parse().ok()?;
        words.any(|word| word.trim_end_matches('.').eq_ignore_ascii_case(name)).then_some(address)
    };
    list.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_whole_in_any_spelling_outside_remarks() {
        let list = "127.0.0.1 localhost\n::1\tlocalhost ip6-localhost # wiki\n# 10.0.0.9 wiki\n10.0.0.1 Wiki.Corp. wiki\nno.address wiki\n";
        for (name, expected) in [
            ("localhost", vec!["127.0.0.1", "::1"]),
            ("wiki", vec!["10.0.0.1"]),
            ("wiki.corp", vec!["10.0.0.1"]),
            ("WIKI", vec!["10.0.0.1"]),
            ("corp", vec![]),
            ("wiki.corp.example", vec![]),
            ("", vec![]),
        ] {
            let found: Vec<String> = addresses(list, name).iter().map(IpAddr::to_string).collect();
            assert_eq!(found, expected, "{name}");
        }
    }
}
