//! Vectors that were made and are not published yet, one file a text, so that a run that is killed makes none of them again.

use std::fs;
use std::path::{Path, PathBuf};

use precis_proto::ids::sha256_hex;

use crate::CorpusError;
use crate::index_place::{private_dir, write_file};

const VECTORS: &str = "vectors";
/// Hexadecimal digits of the hash at the end of a file.
const DIGITS: usize = 64;

/// The vectors made with one model.
#[derive(Debug, Clone)]
pub(crate) struct MadeVectors {
    dir: PathBuf,
    model: String,
}

impl MadeVectors {
    pub(crate) fn new(corpus: &Path, model: &str) -> Self {
        Self { dir: corpus.join(VECTORS), model: model.to_owned() }
    }

    /// Keeps the `rows` of the text with this name.
    pub(crate) fn put(&self, text: &str, rows: &[u8]) -> Result<(), CorpusError> {
        let path = self.path(text);
        private_dir(&self.dir).map_err(CorpusError::io(&path))?;
        let bytes = [rows, sha256_hex(rows).as_bytes()].concat();
        // Not synced: rows lost in a power failure are made again.
        write_file(&path, &bytes, false).map_err(CorpusError::io(&path))
    }

    /// The rows of the text with this name; `None` if there are none, or damaged ones.
    #[expect(clippy::disallowed_methods, reason = "this program wrote it, in a folder of its own")]
    pub(crate) fn get(&self, text: &str) -> Option<Vec<u8>> {
        let mut bytes = fs::read(self.path(text)).ok()?;
        let hash = bytes.split_off(bytes.len().checked_sub(DIGITS)?);
        (sha256_hex(&bytes).as_bytes() == hash).then_some(bytes)
    }

    pub(crate) fn holds(&self, text: &str) -> bool {
        self.path(text).exists()
    }

    /// Removes all, of every model: what is published is in its table.
    pub(crate) fn clear(corpus: &Path) {
        // A file that cannot be removed only costs space.
        let _ = fs::remove_dir_all(corpus.join(VECTORS));
    }

    fn path(&self, text: &str) -> PathBuf {
        self.dir.join(sha256_hex(format!("{}\u{1f}{text}", self.model).as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_kept_by_text_and_model_without_damaged_ones() {
        let dir = tempfile::tempdir().expect("a directory");
        let made = MadeVectors::new(dir.path(), "a model");
        made.put("a text", b"rows").expect("kept");
        assert_eq!(made.get("a text").as_deref(), Some(&b"rows"[..]));
        assert!(made.holds("a text") && !made.holds("another"));
        assert_eq!(MadeVectors::new(dir.path(), "another").get("a text"), None);
        std::fs::write(made.path("a text"), b"r").expect("written");
        assert_eq!(made.get("a text"), None);
        MadeVectors::clear(dir.path());
        assert!(!made.holds("a text"));
    }
}
