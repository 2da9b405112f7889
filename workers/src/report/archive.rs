//! Archived texts, found by their hash, anywhere in the directory. Callers have to check that a text matches its hash.
//!
//! The directory is untrusted: links in it are not followed, only regular files are read, and the size read is limited.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use precis_proto::Block;
use precis_proto::response::ReportData;
pub use precis_runtime::archive::MAX_TEXT_BYTES;
use precis_runtime::archive::Sidecar;
use precis_runtime::files::{FileLimits, Links, read_regular};

use super::named_files::text_places;
use super::names::ARCHIVE;

/// Most entries of an archive: enough for five thousand sources with several texts and sidecars each. Chosen, not measured.
const MAX_ENTRIES: usize = 100_000;

/// The texts of an archive directory.
#[derive(Debug, Default)]
pub struct ArchivedTexts {
    files: BTreeMap<String, PathBuf>,
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
        Ok(Self { files })
    }

    /// Finds the texts of `dir`, and those of the sources of `data` in the folders of these sources: what else lies in the archive then
    /// does not matter. It matters for the structure of a text, which may lie there under another source with another structure.
    ///
    /// # Errors
    /// As [`ArchivedTexts::open`].
    pub fn of_report(dir: &Path, data: &ReportData) -> io::Result<Self> {
        let mut texts = Self::open(dir)?;
        let dir = dir.canonicalize()?;
        let is_file = |path: &PathBuf| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
        let own = text_places(data).into_iter().map(|(hex, place)| (hex, dir.join(place)));
        texts.files.extend(own.filter(|(_, path)| is_file(path)));
        Ok(texts)
    }

    /// Returns the [`links`] to the texts that are there.
    #[must_use]
    pub fn links(&self, data: &ReportData) -> BTreeMap<String, String> {
        let mut links = links(data);
        links.retain(|hex, _| self.files.contains_key(hex));
        links
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

/// Returns the addresses of the texts of `data` by hash, as seen from a page next to its archive. They follow from `data` alone, whatever
/// the archive holds.
#[must_use]
pub fn links(data: &ReportData) -> BTreeMap<String, String> {
    // File names may contain `%`; in an address it would start an escape sequence.
    let address = |place: String| format!("{ARCHIVE}/{}", place.replace('%', "%25"));
    text_places(data).into_iter().map(|(hex, place)| (hex, address(place))).collect()
}

fn hash_of(path: &Path) -> Option<&str> {
    let hex = path.file_name()?.to_str()?.strip_suffix(".txt")?;
    (hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit())).then_some(hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    use precis_proto::source::ContentRef;

    use crate::report::sample::{id, report, source};

    /// Writes the text of each source with a sidecar that has blocks of one kind.
    fn archive(texts: &[(&str, &str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, text, kind) in texts {
            let folder = dir.path().join(precis_runtime::archive::encode_id(&id(name)));
            let hex = ContentRef::from_bytes(text.as_bytes()).hex().to_owned();
            let blocks = serde_json::json!([{ "kind": kind, "start": 0, "end": text.len() }]);
            let sidecar = serde_json::json!({
                "source_id": name, "title": name, "url": null, "content_type": null, "chars": text.len(), "pages": 0,
                "archived_at": "2026-01-01T00:00:00Z", "blocks": blocks,
            });
            std::fs::create_dir_all(&folder).expect("a directory");
            std::fs::write(folder.join(format!("{hex}.txt")), text).expect("a file");
            std::fs::write(folder.join(format!("{hex}.json")), sidecar.to_string()).expect("a file");
        }
        dir
    }

    #[test]
    fn a_link_leads_from_the_report_to_the_file_of_its_source() {
        let data = report(vec![source(&id("a/b"), Some("text"))]).data.expect("a report");
        let hex = ContentRef::from_bytes(b"text").hex().to_owned();
        assert_eq!(links(&data)[&hex], format!("archive/a%252Fb/{hex}.txt"));
    }

    #[test]
    fn the_structure_of_a_text_is_that_of_the_reports_own_source() {
        let dir = archive(&[("a", "text", "heading"), ("b", "text", "paragraph")]);
        let hex = ContentRef::from_bytes(b"text").hex().to_owned();
        for (own, kind) in [("a", "heading"), ("b", "paragraph"), ("gone", "heading")] {
            let data = report(vec![source(&id(own), Some("text"))]).data.expect("a report");
            let texts = ArchivedTexts::of_report(dir.path(), &data).expect("listed");
            let blocks = serde_json::to_value(texts.blocks(&hex)).expect("serialises");
            assert_eq!(blocks[0]["kind"], kind, "{own}");
        }
    }
}
