//! The texts of an archive, each proved by the hash it is filed under.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::Block;
use precis_proto::ids::sha256_hex;
use precis_proto::response::ReportData;

use super::mismatch::Mismatch;
use super::verification::Verification;

/// What lies in an archive, each by the 64 hexadecimal digits of a text's hash.
#[derive(Clone, Copy)]
pub struct ArchiveReader<'a> {
    /// The bytes filed under it.
    pub text: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// The structure of that text; `None` where it is not known, and the law of quotes is not checked.
    pub blocks: &'a dyn Fn(&str) -> Option<Vec<Block>>,
}

impl std::fmt::Debug for ArchiveReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Archive").finish_non_exhaustive()
    }
}

/// The 64 digits of a hash, with or without its `sha256:`; what is no hash stays as it is and names no file.
#[must_use]
pub fn hex_of(hash: &str) -> &str {
    hash.strip_prefix("sha256:").unwrap_or(hash)
}

/// Archived texts by hash: those the report cites, and those it says are archived.
pub(super) type TextsByHash = BTreeMap<String, Option<String>>;

/// Reads what `data` says is archived, and counts and reports what of it is there and hashes to its name.
pub(super) fn texts(
    data: &ReportData,
    archive: &dyn Fn(&str) -> Option<Vec<u8>>,
    found: &mut Verification,
) -> TextsByHash {
    let archived = data.content_archive_hashes.values();
    let cited = data.citations.iter().map(|c| &c.source_text_hash);
    let wanted: BTreeSet<&str> = archived.chain(cited).map(|hash| hex_of(hash)).collect();
    let mut texts = TextsByHash::new();
    for hex in wanted {
        let Some(bytes) = archive(hex) else {
            found.mismatches.push(Mismatch::NotArchived { hex: hex.to_owned() });
            continue;
        };
        let actual = sha256_hex(&bytes);
        if actual == hex {
            found.texts_proved += 1;
        } else {
            found.mismatches.push(Mismatch::TextHash { hex: hex.to_owned(), actual });
        }
        texts.insert(hex.to_owned(), String::from_utf8(bytes).ok());
    }
    texts
}
