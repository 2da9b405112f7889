//! The version of an index. An index made by different rules is not searched, because its chunks or words would differ.

use std::path::Path;

use precis_proto::ids::sha256_hex;
use precis_text::CanonicalText;
use precis_text::chunk::chunks;
use serde::{Deserialize, Serialize};

use crate::CorpusError;
use crate::index_place::write_file;
use crate::limits::CHUNK_CHARS;
use crate::schema::for_each_indexed_word;

/// Format version; raised when the files of an index change their format.
const FORMAT: u32 = 2;
/// Digits of a fingerprint.
const DIGITS: usize = 16;
/// Contains everything that rules for chunks and words treat differently: abbreviations, numbers, several scripts, folded spellings, long
/// runs.
const SAMPLE: &str = "The U.S. plan of 3.11 cost $5; co-operation, e.g. by WHO, was 1,000 times (see C++ and foo_bar). Straße, \
    İstanbul, naïve étude; ΟΔΟΣ: аэропорт? \u{7cd6}\u{5c3f}\u{75c5}\u{306e}\u{6cbb}\u{7642}\u{3002} \u{0627}\u{0644}\u{0643}\u{062a}\u{0627}\u{0628} ";
const REPEATS: usize = 12;
/// File in the directory of a corpus that names the published index.
pub(crate) const CURRENT: &str = "current.json";

/// The published index and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CurrentIndex {
    pub(crate) format: u32,
    /// Fingerprint of the rules for chunks and words.
    pub(crate) reading: String,
    /// Path of the folder, for users who look into the directory.
    pub(crate) folder: String,
    /// Name of the directory of the index.
    pub(crate) index: String,
}

impl CurrentIndex {
    pub(crate) fn new(folder: &Path, index: String) -> Self {
        Self { format: FORMAT, reading: reading(), folder: folder.display().to_string(), index }
    }

    /// Reads the published index in `dir`, and checks that this version can search it.
    #[expect(clippy::disallowed_methods, reason = "this program wrote it, in a folder of its own")]
    pub(crate) fn read(dir: &Path) -> Result<Self, CorpusError> {
        let path = dir.join(CURRENT);
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(CorpusError::Missing),
            read => read.map_err(CorpusError::io(&path))?,
        };
        let current: Self = serde_json::from_slice(&bytes).map_err(|_| CorpusError::unusable("it is damaged"))?;
        if (current.format, current.reading.as_str()) != (FORMAT, &reading()) {
            return Err(CorpusError::unusable("it was made by another version of precis"));
        }
        // The name becomes part of a path, and a published index may come from another machine.
        let is_name = current.index.strip_prefix("index-").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
        if is_name { Ok(current) } else { Err(CorpusError::unusable("it is damaged")) }
    }

    pub(crate) fn publish(&self, dir: &Path) -> Result<(), CorpusError> {
        let path = dir.join(CURRENT);
        let bytes = serde_json::to_vec(self).expect("strings and a number encode");
        write_file(&path, &bytes, true).map_err(CorpusError::io(&path))
    }
}

/// Returns what an index must have been made by, so that this program can search it: its format and its rules for chunks and words.
#[must_use]
pub fn fingerprint() -> String {
    format!("{FORMAT}-{}", reading())
}

/// Returns a fingerprint of the chunks and words that this program finds in a sample: it changes with the rules, even if nobody raises a
/// version number.
pub(crate) fn reading() -> String {
    let text = CanonicalText::from_plain(&SAMPLE.repeat(REPEATS));
    let mut found = String::new();
    for chunk in chunks(&text, CHUNK_CHARS) {
        found.push_str(&format!("{}\n", chunk.range.end));
        for_each_indexed_word(text.slice(chunk.range), |word| {
            found.push_str(word);
            found.push(' ');
        });
    }
    sha256_hex(found.as_bytes())[..DIGITS].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_index_of_this_version_is_read() {
        let dir = tempfile::tempdir().expect("a directory");
        let read = || CurrentIndex::read(dir.path());
        assert!(matches!(read(), Err(CorpusError::Missing)));
        let ours = CurrentIndex::new(dir.path(), "index-1".to_owned());
        ours.publish(dir.path()).expect("published");
        assert_eq!(read().expect("ours"), ours);
        for other in [
            CurrentIndex { format: FORMAT + 1, ..ours.clone() },
            CurrentIndex { reading: "other".to_owned(), ..ours.clone() },
            CurrentIndex { index: "../elsewhere".to_owned(), ..ours.clone() },
        ] {
            other.publish(dir.path()).expect("published");
            assert!(matches!(read(), Err(CorpusError::Unusable(_))), "{other:?}");
        }
        std::fs::write(dir.path().join(CURRENT), "{").expect("written");
        assert!(matches!(read(), Err(CorpusError::Unusable(_))));
    }
}
