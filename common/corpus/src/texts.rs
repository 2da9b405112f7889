//! The canonical texts of a corpus, each under a name derived from the original bytes and the extraction settings.
//!
//! A stored text is never extracted again, whatever its file is called, and even if the run that stored it was killed.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use precis_proto::ids::sha256_hex;
use precis_proto::{Block, BlockKind};
use precis_text::CanonicalText;
use serde::{Deserialize, Serialize};

use crate::CorpusError;
use crate::index_place::{private_dir, write_file};
use crate::limits::MAX_PART_BYTES;

const TEXTS: &str = "texts";
/// Compression level, the default; texts shrink to about a third.
const LEVEL: i32 = 3;
/// Size of the two lengths at the start of a file, in bytes.
const LENGTHS: usize = 8;

/// An extracted document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExtractedText {
    /// MIME type.
    pub content_type: String,
    /// Title found in the document, if any.
    pub title: Option<String>,
    /// Canonical text.
    pub text: String,
    /// Number of pages; 0 if it has none.
    pub pages: u32,
    /// Structure of the text; empty if unknown.
    pub blocks: Vec<Block>,
    /// What was left out or repaired, for readers.
    pub remarks: Vec<String>,
    /// Number of characters left out by the limits of reading.
    pub chars_cut: u64,
}

/// What a search needs besides a text: its pages, headings, fields that readers do not see, and blocks with links, without what else they are.
#[derive(Debug, Serialize, Deserialize)]
struct Outline {
    pages: u32,
    headings: Vec<Block>,
}

/// What is needed only to show a whole document.
#[derive(Debug, Serialize, Deserialize)]
struct DocumentDetails {
    content_type: String,
    title: Option<String>,
    remarks: Vec<String>,
    #[serde(default)]
    chars_cut: u64,
    blocks: Vec<Block>,
}

/// The text store of a corpus. A file contains the lengths of the first two parts, then text, outline and details, each compressed
/// separately and with a checksum.
#[derive(Debug, Clone)]
pub(crate) struct TextStore {
    dir: PathBuf,
}

impl TextStore {
    pub(crate) fn new(corpus: &Path) -> Self {
        Self { dir: corpus.join(TEXTS) }
    }

    /// Returns the name of the text extracted with the settings `extraction` from bytes with this hash in a file with this extension.
    pub(crate) fn name(sha256: &str, ending: &str, extraction: &str) -> String {
        sha256_hex(format!("{sha256}\u{1f}{ending}\u{1f}{extraction}").as_bytes())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(&name[..2]).join(name)
    }

    pub(crate) fn holds(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    pub(crate) fn put(&self, name: &str, found: &ExtractedText) -> Result<(), CorpusError> {
        let path = self.path(name);
        let outlined = |block: &Block| match block.kind == BlockKind::Heading || block.unseen_place().is_some() {
            true => Some(block.clone()),
            false => (!block.links.is_empty())
                .then(|| Block { links: block.links.clone(), ..Block::new(BlockKind::Paragraph, block.range()) }),
        };
        let headings = found.blocks.iter().filter_map(outlined).collect();
        let outline = Outline { pages: found.pages, headings };
        let about = DocumentDetails {
            content_type: found.content_type.clone(),
            title: found.title.clone(),
            remarks: found.remarks.clone(),
            chars_cut: found.chars_cut,
            blocks: found.blocks.clone(),
        };
        let json = |value: Result<Vec<u8>, serde_json::Error>| value.expect("strings and numbers encode");
        let (outline, about) = (json(serde_json::to_vec(&outline)), json(serde_json::to_vec(&about)));
        let mut bytes = vec![0; LENGTHS];
        for (place, part) in [found.text.as_bytes(), &outline, &about].into_iter().enumerate() {
            let packed = compress_part(part).map_err(CorpusError::io(&path))?;
            if place < 2 {
                let length = u32::try_from(packed.len()).unwrap_or(u32::MAX);
                bytes[place * 4..place * 4 + 4].copy_from_slice(&length.to_le_bytes());
            }
            bytes.extend(packed);
        }
        private_dir(path.parent().unwrap_or(&self.dir)).map_err(CorpusError::io(&path))?;
        // Not synced, for speed: a text lost in a power failure fails its checksum and is extracted again by the next run.
        write_file(&path, &bytes, false).map_err(CorpusError::io(&path))
    }

    /// Reads the document with this name.
    pub(crate) fn get(&self, name: &str) -> Result<ExtractedText, CorpusError> {
        self.read_verified(name, |parts| {
            let outline: Outline = serde_json::from_slice(&decompress_part(parts[1])?).ok()?;
            let DocumentDetails { content_type, title, remarks, chars_cut, blocks } =
                serde_json::from_slice(&decompress_part(parts[2])?).ok()?;
            let text = String::from_utf8(decompress_part(parts[0])?).ok()?;
            Some(ExtractedText { content_type, title, text, pages: outline.pages, blocks, remarks, chars_cut })
        })
    }

    /// Reads the text with this name, with its pages and headings.
    pub(crate) fn read_outlined(&self, name: &str) -> Result<CanonicalText, CorpusError> {
        self.read_verified(name, |parts| {
            let text = String::from_utf8(decompress_part(parts[0])?).ok()?;
            let Outline { pages, headings } = serde_json::from_slice(&decompress_part(parts[1])?).ok()?;
            CanonicalText::parse_archived(&text, pages).ok()?.with_blocks(headings).ok()
        })
    }

    /// Reads the file with this name and parses it with `read`. A damaged file is removed, so that the next run over the folder extracts
    /// the document again.
    #[expect(clippy::disallowed_methods, reason = "this program wrote it, in a folder of its own")]
    fn read_verified<T>(&self, name: &str, read: impl FnOnce([&[u8]; 3]) -> Option<T>) -> Result<T, CorpusError> {
        let path = self.path(name);
        let bytes = fs::read(&path).map_err(|_| CorpusError::unusable("one of its texts is missing"))?;
        parts(&bytes).and_then(read).ok_or_else(|| {
            let _ = fs::remove_file(&path);
            CorpusError::unusable("one of its texts is damaged")
        })
    }

    /// Removes all texts except those with these names.
    pub(crate) fn keep(&self, names: &BTreeSet<&str>) {
        // A text that cannot be removed only costs space; the next run tries again.
        for dir in fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            for file in fs::read_dir(dir.path()).into_iter().flatten().flatten() {
                if !file.file_name().to_str().is_some_and(|name| names.contains(name)) {
                    let _ = fs::remove_file(file.path());
                }
            }
        }
    }

    /// Returns the size of these texts on disk, in bytes.
    pub(crate) fn size(&self, names: &BTreeSet<&str>) -> u64 {
        names.iter().filter_map(|name| fs::metadata(self.path(name)).ok()).map(|file| file.len()).sum()
    }
}

fn parts(bytes: &[u8]) -> Option<[&[u8]; 3]> {
    let (lengths, rest) = bytes.split_at_checked(LENGTHS)?;
    let length = |at: usize| Some(u32::from_le_bytes(lengths.get(at..at + 4)?.try_into().ok()?) as usize);
    let (text, rest) = rest.split_at_checked(length(0)?)?;
    let (outline, about) = rest.split_at_checked(length(4)?)?;
    Some([text, outline, about])
}

fn compress_part(part: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    compressor.compress(part)
}

fn decompress_part(part: &[u8]) -> Option<Vec<u8>> {
    unpacked_within(part, MAX_PART_BYTES)
}

/// Returns the unpacked part if it has at most `limit` bytes. A published corpus comes from elsewhere, and a few packed bytes may unpack
/// to more than there is memory.
fn unpacked_within(part: &[u8], limit: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let unpacking = zstd::stream::Decoder::new(part).ok()?;
    unpacking.take(limit + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= limit).then_some(bytes)
}

impl ExtractedText {
    /// Returns the text with its pages and blocks.
    ///
    /// # Errors
    /// [`CorpusError::Unusable`] if they are inconsistent.
    pub fn canonical(&self) -> Result<CanonicalText, CorpusError> {
        let text = CanonicalText::parse_archived(&self.text, self.pages).map_err(CorpusError::unusable)?;
        text.with_blocks(self.blocks.clone()).map_err(CorpusError::unusable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_unpacks_to_more_than_the_limit_is_not_read() {
        let part = compress_part(&[b'a'; 1_000]).expect("packs");
        assert!(part.len() < 100);
        for (limit, is_read) in [(999, false), (1_000, true), (1_001, true)] {
            assert_eq!(unpacked_within(&part, limit).map(|bytes| bytes.len()), is_read.then_some(1_000), "{limit}");
        }
    }
}
