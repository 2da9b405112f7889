//! The texts of an archive, each proved by the hash it is archived under.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use precis_proto::Block;
use precis_proto::ids::sha256_hex;
use precis_proto::response::ReportData;

use super::mismatch::Mismatch;
use super::verification::Verification;

/// Access to an archive; every lookup takes the 64 hexadecimal digits of a text's hash.
#[derive(Clone, Copy)]
pub struct ArchiveReader<'a> {
    /// Returns the bytes archived under the hash.
    pub text: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// Returns the structure of that text; if it returns `None`, the law of quotes is not checked for the text.
    pub blocks: &'a dyn Fn(&str) -> Option<Vec<Block>>,
}

impl std::fmt::Debug for ArchiveReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Archive").finish_non_exhaustive()
    }
}

/// The 64 hexadecimal digits of a hash with or without `sha256:`; anything else is returned as it is and matches no file.
#[must_use]
pub fn hex_of(hash: &str) -> &str {
    hash.strip_prefix("sha256:").unwrap_or(hash)
}

/// An archived text; `None` if its bytes are not UTF-8.
pub(super) type ArchivedText = Option<Rc<str>>;

/// Most bytes of texts held in memory at once; texts let go are read again if needed. Large reports compare only a small part of
/// their sources.
const MAX_HELD_BYTES: usize = 256 << 20;

/// The texts of a report that are in its archive, read when something is compared with them.
pub(super) struct ArchivedTexts<'a> {
    read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// The hashes found in the archive, each with the hash of the bytes found there.
    there: BTreeMap<String, String>,
    held: RefCell<HeldTexts>,
    /// Texts that were not the same when they were read again, by the hash they are archived under.
    changed: RefCell<BTreeMap<String, Mismatch>>,
}

impl ArchivedTexts<'_> {
    /// The text archived under `hex`; `None` if it is missing, which has already been reported, or has changed since it was proved,
    /// which [`ArchivedTexts::changed_texts`] reports.
    pub(super) fn get(&self, hex: &str) -> Option<ArchivedText> {
        let proved = self.there.get(hex)?;
        let mut held = self.held.borrow_mut();
        if let Some(text) = held.texts.get(hex) {
            return Some(text.clone());
        }
        let bytes = (self.read)(hex);
        let changed = match bytes.as_deref().map(sha256_hex) {
            Some(actual) if actual == *proved => None,
            Some(actual) => Some(Mismatch::TextHash { hex: hex.to_owned(), actual }),
            None => Some(Mismatch::NotArchived { hex: hex.to_owned() }),
        };
        if let Some(changed) = changed {
            self.changed.borrow_mut().insert(hex.to_owned(), changed);
            return None;
        }
        let text = as_text(bytes?);
        held.keep(hex, &text);
        Some(text)
    }

    /// The texts that were not the same when they were read again: what was compared with them proves nothing.
    pub(super) fn changed_texts(self) -> impl Iterator<Item = Mismatch> {
        self.changed.into_inner().into_values()
    }
}

/// A cache of texts, limited in bytes.
struct HeldTexts {
    texts: BTreeMap<String, ArchivedText>,
    bytes: usize,
    most: usize,
}

impl HeldTexts {
    /// Keeps a text; drops all others if it does not fit next to them.
    fn keep(&mut self, hex: &str, text: &ArchivedText) {
        let bytes = text.as_ref().map_or(0, |text| text.len());
        if bytes > self.most {
            return;
        }
        if self.bytes + bytes > self.most {
            self.texts.clear();
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.texts.insert(hex.to_owned(), text.clone());
    }
}

/// Reads every text that `data` lists as archived, cites or computes from, one at a time; reports missing texts and texts with another hash.
pub(super) fn texts<'a>(
    data: &ReportData,
    read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    found: &mut Verification,
) -> ArchivedTexts<'a> {
    texts_within(MAX_HELD_BYTES, data, read, found)
}

fn texts_within<'a>(
    most: usize,
    data: &ReportData,
    read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    found: &mut Verification,
) -> ArchivedTexts<'a> {
    let archived = data.content_archive_hashes.values();
    let cited = data.citations.iter().map(|c| &c.source_text_hash);
    let computed = data.computed.iter().map(|one| &one.source_text_hash);
    let wanted: BTreeSet<&str> = archived.chain(cited).chain(computed).map(|hash| hex_of(hash)).collect();
    let mut there = BTreeMap::new();
    let mut held = HeldTexts { texts: BTreeMap::new(), bytes: 0, most };
    for hex in wanted {
        let Some(bytes) = read(hex) else {
            found.mismatches.push(Mismatch::NotArchived { hex: hex.to_owned() });
            continue;
        };
        let actual = sha256_hex(&bytes);
        if actual == hex {
            found.texts_proved += 1;
        } else {
            found.mismatches.push(Mismatch::TextHash { hex: hex.to_owned(), actual: actual.clone() });
        }
        there.insert(hex.to_owned(), actual);
        held.keep(hex, &as_text(bytes));
    }
    ArchivedTexts { read, there, held: RefCell::new(held), changed: RefCell::default() }
}

fn as_text(bytes: Vec<u8>) -> ArchivedText {
    String::from_utf8(bytes).ok().map(Rc::from)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::sample::{HOSTILE, PAGED, response};
    use crate::verify::{digests, law};

    /// Number of reads until everything was compared, with at most `most` bytes held at once.
    fn reads(most: usize) -> usize {
        let (report, archive) = response();
        let data = report.data.expect("a report");
        let reads = Cell::new(0);
        let read = |hex: &str| {
            reads.set(reads.get() + 1);
            archive.get(hex).cloned()
        };
        let mut found = Verification::default();
        let texts = texts_within(most, &data, &read, &mut found);
        crate::verify::citation::check(&data, &texts, &mut found);
        digests::check(&data, &texts, &mut found.mismatches);
        law::check(&data, &texts, &|_| None, &mut found.mismatches);
        assert_eq!((found.mismatches.len(), found.texts_proved, found.citations_proved), (0, 2, 3), "{most}");
        reads.get()
    }

    #[test]
    fn a_text_read_again_must_match_the_proved_one() {
        type Later = fn(&[u8]) -> Option<Vec<u8>>;
        let laters: [(&str, Later, Option<&str>); 3] = [
            ("the same", |bytes| Some(bytes.to_vec()), None),
            ("another text", |bytes| Some([bytes, b" More."].concat()), Some("its bytes hash to")),
            ("gone", |_| None, Some("not in the archive")),
        ];
        for (case, later, want) in laters {
            let (report, archive) = response();
            let data = report.data.expect("a report");
            let seen = RefCell::new(BTreeSet::new());
            let read = |hex: &str| {
                let bytes = archive.get(hex)?;
                if seen.borrow_mut().insert(hex.to_owned()) { Some(bytes.clone()) } else { later(bytes) }
            };
            let mut found = Verification::default();
            let texts = texts_within(0, &data, &read, &mut found);
            assert!(found.mismatches.is_empty(), "{case}");
            crate::verify::citation::check(&data, &texts, &mut found);
            found.mismatches.extend(texts.changed_texts());
            let told = found.mismatches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            assert_eq!(!told.is_empty(), want.is_some(), "{case}: {told}");
            assert!(told.contains(want.unwrap_or_default()), "{case}: {told}");
        }
    }

    #[test]
    fn fitting_texts_are_read_once_and_others_still_compared() {
        let both = PAGED.len() + HOSTILE.len();
        assert_eq!((reads(both + 1), reads(both)), (2, 2));
        assert!(reads(both - 1) > 2 && reads(both - 1) <= reads(0), "{}", reads(both - 1));
    }
}
