//! Archived texts, found by their hash. Where in the directory they lie does not matter; what they hold is the reader's to check.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The texts of an archive directory.
#[derive(Debug, Default)]
pub struct ArchivedTexts {
    files: BTreeMap<String, PathBuf>,
}

impl ArchivedTexts {
    /// Looks for files named `{64 hexadecimal digits}.txt` anywhere under `dir`. Links are not followed.
    ///
    /// # Errors
    /// `dir` or a directory in it cannot be listed.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        let mut dirs = vec![dir.to_owned()];
        while let Some(dir) = dirs.pop() {
            for entry in std::fs::read_dir(&dir)? {
                let entry = entry?;
                let path = entry.path();
                if entry.file_type()?.is_dir() {
                    dirs.push(path);
                } else if let Some(hex) = hash_of(&path) {
                    files.insert(hex.to_owned(), path);
                }
            }
        }
        Ok(Self { files })
    }

    /// The file of `hex`, where there is one.
    #[must_use]
    pub fn path(&self, hex: &str) -> Option<&Path> {
        self.files.get(hex).map(PathBuf::as_path)
    }

    /// The bytes filed under `hex`; `None` where there are none, or they cannot be read.
    #[must_use]
    pub fn bytes(&self, hex: &str) -> Option<Vec<u8>> {
        std::fs::read(self.files.get(hex)?).ok()
    }

    /// The text filed under `hex`; `None` where it is missing or not UTF-8.
    #[must_use]
    pub fn text(&self, hex: &str) -> Option<String> {
        String::from_utf8(self.bytes(hex)?).ok()
    }
}

fn hash_of(path: &Path) -> Option<&str> {
    let hex = path.file_name()?.to_str()?.strip_suffix(".txt")?;
    (hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit())).then_some(hex)
}
