//! The parts of a package, unpacked one at a time within a limit for all of them together, so that no archive can fill the worker's memory.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

/// Most bytes that all parts read of a package may unpack to. Chosen: a book of 500,000 characters has about 5 MB of XHTML.
const MAX_UNFOLDED_BYTES: u64 = 64 << 20;
/// Most entries of a package. Chosen: long books have a few thousand.
const MAX_ENTRIES: usize = 20_000;

/// A ZIP archive whose parts are read by name.
pub(crate) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Bytes that may still be unpacked.
    left: u64,
}

/// Why a part cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartError {
    /// There is no part of that name.
    Missing,
    /// A password is required.
    Encrypted,
    /// The part is damaged, or packed by a method not used for documents.
    Broken,
    /// The limit for the package is reached.
    TooLarge,
}

impl<'a> Package<'a> {
    /// Opens the package in `bytes`; `None` if they are not a ZIP archive, or one with too many entries.
    pub(crate) fn open(bytes: &'a [u8]) -> Option<Self> {
        Self::open_within(bytes, MAX_UNFOLDED_BYTES)
    }

    fn open_within(bytes: &'a [u8], left: u64) -> Option<Self> {
        let archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
        (archive.len() <= MAX_ENTRIES).then_some(Self { archive, left })
    }

    /// Whether there is a part called `name`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.archive.index_for_name(name).is_some()
    }

    /// The bytes of the part called `name`.
    pub(super) fn part(&mut self, name: &str) -> Result<Vec<u8>, PartError> {
        let part = self.archive.by_name(name).map_err(|error| match error {
            ZipError::FileNotFound => PartError::Missing,
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword => {
                PartError::Encrypted
            }
            _ => PartError::Broken,
        })?;
        let mut bytes = Vec::new();
        // The size a part claims is not trusted: reading one byte more than the limit shows whether it exceeds it.
        part.take(self.left.saturating_add(1)).read_to_end(&mut bytes).map_err(|_| PartError::Broken)?;
        let unfolded = bytes.len() as u64;
        if unfolded > self.left {
            self.left = 0;
            return Err(PartError::TooLarge);
        }
        self.left -= unfolded;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::zip_parts;
    use super::*;

    #[test]
    fn a_part_is_read_by_its_name() {
        let bytes = zip_parts(&[("a.xml", "one"), ("b/c.xml", "two")]);
        let mut package = Package::open(&bytes).expect("an archive");
        assert!(package.has("b/c.xml") && !package.has("c.xml"));
        assert_eq!(package.part("b/c.xml"), Ok(b"two".to_vec()));
        assert_eq!(package.part("c.xml"), Err(PartError::Missing));
        assert!(Package::open(b"PK\x03\x04 and nothing else").is_none());
    }

    #[test]
    fn all_parts_together_unfold_within_the_bound() {
        let bytes = zip_parts(&[("a", &"x".repeat(60)), ("b", &"y".repeat(40))]);
        for (bound, second) in [(99, Err(PartError::TooLarge)), (100, Ok(40)), (101, Ok(40))] {
            let mut package = Package::open_within(&bytes, bound).expect("an archive");
            assert_eq!(package.part("a").map(|part| part.len()), Ok(60));
            assert_eq!(package.part("b").map(|part| part.len()), second, "{bound}");
        }
        let mut package = Package::open_within(&bytes, 50).expect("an archive");
        assert_eq!(package.part("a"), Err(PartError::TooLarge));
        assert_eq!(package.part("b"), Err(PartError::TooLarge));
    }

    #[test]
    fn a_package_of_too_many_entries_is_rejected() {
        for (entries, opens) in [(MAX_ENTRIES - 1, true), (MAX_ENTRIES, true), (MAX_ENTRIES + 1, false)] {
            let names: Vec<String> = (0..entries).map(|n| n.to_string()).collect();
            let parts: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
            assert_eq!(Package::open(&zip_parts(&parts)).is_some(), opens, "{entries}");
        }
    }

    #[test]
    fn a_damaged_part_is_no_text() {
        let mut bytes = zip_parts(&[("a", &"words and more words ".repeat(50))]);
        let middle = 45;
        bytes[middle] ^= 0xff;
        assert_eq!(Package::open(&bytes).expect("the directory is whole").part("a"), Err(PartError::Broken));
    }
}
