//! Archived texts, found by their hash, anywhere in the directory. Callers have to check that a text matches its hash.
//!
//! The directory is untrusted: links in it are not followed, only regular files are read, and the size read is limited.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use precis_proto::Block;
pub use precis_runtime::archive::MAX_TEXT_BYTES;
use precis_runtime::archive::Sidecar;
use precis_runtime::files::{FileLimits, Links, read_regular};

/// Most entries of an archive: enough for five thousand sources with several texts and sidecars each. Chosen, not measured.
const MAX_ENTRIES: usize = 100_000;

/// The texts of an archive directory.
#[derive(Debug, Default)]
pub struct ArchivedTexts {
    files: BTreeMap<String, PathBuf>,
    /// Relative addresses of the texts, as seen from a report next to the directory; empty if there is no such report.
    links: BTreeMap<String, String>,
}

impl ArchivedTexts {
    /// Finds files named `{64 hexadecimal digits}.txt` anywhere under `dir`. Links are not followed.
    ///
    /// # Errors
    /// `dir` or a directory in it cannot be listed, or contains too many entries.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
        // Resolved once, so that the paths below it contain no links.
        let mut dirs = vec![dir.canonicalize()?];
        let mut entries = 0;
        while let Some(dir) = dirs.pop() {
            for entry in std::fs::read_dir(&dir)? {
                let entry = entry?;
                entries += 1;
                if entries > MAX_ENTRIES {
                    return Err(io::Error::other(format!("the directory contains more than {MAX_ENTRIES} entries")));
                }
                let path = entry.path();
                if entry.file_type()?.is_dir() {
                    dirs.push(path);
                } else if let Some(hex) = hash_of(&path) {
                    // If two sources have the same text, always choose the same file, whatever the listing order.
                    let known = files.entry(hex.to_owned()).or_insert_with(|| path.clone());
                    if path < *known {
                        *known = path;
                    }
                }
            }
        }
        Ok(Self { files, links: BTreeMap::new() })
    }

    /// Finds the texts of `dir`, which is or will be the directory `name` next to a report.
    ///
    /// # Errors
    /// As [`ArchivedTexts::open`].
    pub fn beside_report(dir: &Path, name: &str) -> io::Result<Self> {
        let mut texts = Self::open(dir)?;
        let dir = &dir.canonicalize()?;
        for (hex, path) in &texts.files {
            if let Some(link) = path.strip_prefix(dir).ok().and_then(Path::to_str) {
                // File names may contain `%`; in an address it would start an escape sequence.
                texts.links.insert(hex.clone(), format!("{name}/{}", link.replace('%', "%25")));
            }
        }
        Ok(texts)
    }

    /// Returns the relative address of each text by its hash, as seen from the report next to the directory.
    #[must_use]
    pub fn links(&self) -> &BTreeMap<String, String> {
        &self.links
    }

    /// Returns the file of the text with hash `hex`, if there is one.
    #[must_use]
    pub fn path(&self, hex: &str) -> Option<&Path> {
        self.files.get(hex).map(PathBuf::as_path)
    }

    /// Reads the text with hash `hex`; `None` if it is missing, unreadable or longer than [`MAX_TEXT_BYTES`].
    #[must_use]
    pub fn bytes(&self, hex: &str) -> Option<Vec<u8>> {
        self.bytes_within(hex, MAX_TEXT_BYTES)
    }

    /// Reads the text with hash `hex`; `None` if it is missing, unreadable or longer than `limit` bytes.
    #[must_use]
    pub fn bytes_within(&self, hex: &str, limit: u64) -> Option<Vec<u8>> {
        read_regular(self.files.get(hex)?, Links::Refused, FileLimits::bytes(limit)).ok()
    }

    /// Reads the structure of the text with hash `hex` from its sidecar file; `None` if there is none.
    #[must_use]
    pub fn blocks(&self, hex: &str) -> Option<Vec<Block>> {
        let path = self.files.get(hex)?.with_extension("json");
        let record = read_regular(&path, Links::Refused, FileLimits::bytes(MAX_TEXT_BYTES)).ok()?;
        let sidecar: Sidecar = serde_json::from_slice(&record).ok()?;
        Some(sidecar.blocks).filter(|blocks| !blocks.is_empty())
    }

    /// Reads the text with hash `hex` as a string; `None` if it is missing or not UTF-8.
    #[must_use]
    pub fn text(&self, hex: &str) -> Option<String> {
        String::from_utf8(self.bytes(hex)?).ok()
    }
}

fn hash_of(path: &Path) -> Option<&str> {
    let hex = path.file_name()?.to_str()?.strip_suffix(".txt")?;
    (hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit())).then_some(hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_from_the_report_to_the_file() {
        let dir = tempfile::tempdir().expect("a directory");
        let (hex, odd) = ("0a".repeat(32), "a%2Fb");
        std::fs::create_dir_all(dir.path().join(odd)).expect("a directory");
        std::fs::write(dir.path().join(odd).join(format!("{hex}.txt")), "text").expect("a file");
        let texts = ArchivedTexts::beside_report(dir.path(), "archive").expect("listed");
        let link = texts.links()[&hex].clone();
        assert_eq!(link, format!("archive/a%252Fb/{hex}.txt"));
        assert!(ArchivedTexts::open(dir.path()).expect("listed").links().is_empty());
    }
}
