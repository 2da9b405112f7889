//! The id of a source that a search found.

use std::collections::BTreeSet;

use precis_proto::SourceId;
use precis_proto::ids::sha256_hex;

/// Prefix of these ids: letters and digits of a hash alone would say nothing to readers.
const FOUND: &str = "found";
/// Numbers of hexadecimal digits that an id may have. 16 are enough for a session; if another source has them, for example one whose id
/// the caller chose, more are taken.
const DIGITS: [usize; 3] = [16, 32, 64];

/// Returns the id of the source at `address`, its URL or its path in the folders searched: `found-` and digits of the hash of the address.
///
/// It depends on the address and not on the order in which sources are found, so the same source has the same id in every session, in
/// its archive too. The name of a file is not part of it: ids are in logs, and file names may be private. `taken` are the ids of the
/// session's other sources.
pub(super) fn found_id(address: &str, taken: &BTreeSet<SourceId>) -> SourceId {
    let named = |hash: &str, digits: usize| {
        SourceId::new(format!("{FOUND}-{}", &hash[..digits])).expect("letters, digits and a hyphen")
    };
    let hash = sha256_hex(address.as_bytes());
    let candidates = DIGITS.iter().map(|digits| named(&hash, *digits));
    // Addresses of a session differ, so all digits are taken only if a caller took them. NUL occurs in no address.
    let others = (1_u32..).map(|n| named(&sha256_hex(format!("{address}\0{n}").as_bytes()), 64));
    candidates.chain(others).find(|id| !taken.contains(id)).expect("there are more numbers than sources")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_depends_on_the_address_alone_and_never_on_an_order() {
        let addresses = ["https://a.example/", "https://a.example/?b", "notes/a.md", "notes/b.md", ""];
        let ids = |addresses: &[&str]| {
            let (mut taken, mut ids) = (BTreeSet::new(), BTreeSet::new());
            for address in addresses {
                let id = found_id(address, &taken);
                assert!(taken.insert(id.clone()), "{address} has the id of another: {id}");
                ids.insert(format!("{address} {id}"));
            }
            ids
        };
        let reversed: Vec<&str> = addresses.into_iter().rev().collect();
        assert_eq!(ids(&addresses), ids(&reversed));
        assert_eq!(found_id("a.md", &BTreeSet::new()).as_str().len(), "found-".len() + 16);
    }

    #[test]
    fn an_id_that_a_caller_took_is_not_given_again() {
        let mut taken = BTreeSet::new();
        for digits in [16, 32, 64, 64, 64] {
            let id = found_id("notes/a.md", &taken);
            assert_eq!(id.as_str().len(), "found-".len() + digits);
            assert!(taken.insert(id));
        }
    }

    #[test]
    fn an_id_hides_the_address_and_is_an_archive_folder() {
        let id = found_id("private/merger with Wolff.md", &BTreeSet::new());
        assert!(!id.as_str().contains("merger") && !id.as_str().contains("private"));
        assert_eq!(precis_runtime::archive::encode_id(&id), id.as_str());
    }
}
