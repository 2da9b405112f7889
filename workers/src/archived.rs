//! Archived texts, found by their hash. Where in the directory they lie does not matter; what they hold is the reader's to check.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The texts of an archive directory.
#[derive(Debug, Default)]
pub struct ArchivedTexts {
    files: BTreeMap<String, PathBuf>,
    /// Their addresses as a report sees them that lies beside the directory; empty where none does.
    links: BTreeMap<String, String>,
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
        Ok(Self { files, links: BTreeMap::new() })
    }

    /// The texts of `dir`, which is or will be the directory `name` beside a report.
    ///
    /// # Errors
    /// As [`ArchivedTexts::open`].
    pub fn beside_report(dir: &Path, name: &str) -> io::Result<Self> {
        let mut texts = Self::open(dir)?;
        for (hex, path) in &texts.files {
            if let Some(link) = path.strip_prefix(dir).ok().and_then(Path::to_str) {
                // Names of sources hold `%` as it is: in an address it must not stand for another character.
                texts.links.insert(hex.clone(), format!("{name}/{}", link.replace('%', "%25")));
            }
        }
        Ok(texts)
    }

    /// The relative address of each text by its hash, as seen from the report beside the directory.
    #[must_use]
    pub fn links(&self) -> &BTreeMap<String, String> {
        &self.links
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
