//! The folders whose `precis.toml` the user has allowed, each with the hash of the file at that time.
//!
//! `{state directory}/precis/trusted.json` maps the resolved path of a file to the hash of its bytes. A file that has changed is no
//! longer trusted. The list is rejected if other users can write to it.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use precis_proto::ids::sha256_hex;

use super::sources::{FILE_NAME, user_dir};
use crate::files::{self, FileLimits, Links};

/// Name of the list in the user's state directory.
const LIST: &str = "trusted.json";
/// Largest list that is read, in bytes: about ten thousand folders.
const MAX_LIST_BYTES: u64 = 4 << 20;
/// Largest configuration file that is read, in bytes. Chosen: a hundred times the longest one seen.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 20;

/// Whether the user trusts a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileTrust {
    /// Allowed with its current content.
    Trusted,
    /// Allowed earlier, and changed since.
    Changed,
    /// Never allowed.
    Unknown,
}

/// The list of trusted files.
#[derive(Debug, Clone)]
pub struct Trust {
    dir: PathBuf,
    files: BTreeMap<String, String>,
}

impl Trust {
    /// Opens the user's list, located by `environment`; an empty list if there is no file yet. `None` without a home directory.
    ///
    /// # Errors
    /// The list cannot be read, or other users can write to it.
    pub fn open(environment: &BTreeMap<String, String>) -> io::Result<Option<Self>> {
        let Some(dir) = user_dir(environment, "XDG_STATE_HOME", ".local/state") else { return Ok(None) };
        let dir = dir.join("precis");
        let path = dir.join(LIST);
        let bytes = match files::read_regular(&path, Links::Followed, FileLimits::bytes(MAX_LIST_BYTES)) {
            Ok(bytes) => bytes,
            Err(files::ReadError::Io(e)) if e.kind() == ErrorKind::NotFound => {
                return Ok(Some(Self { dir, files: BTreeMap::new() }));
            }
            Err(error) => return Err(with_path(&path, &io::Error::from(error))),
        };
        files::private_dir(&dir).and_then(|()| files::owner_only(&path)).map_err(io::Error::other)?;
        let files = serde_json::from_slice(&bytes).map_err(|e| with_path(&path, &io::Error::from(e)))?;
        Ok(Some(Self { dir, files }))
    }

    /// Iterates over the trusted paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Returns whether the user trusts the file at `path` with the content `bytes`.
    pub(super) fn standing(&self, path: &Path, bytes: &[u8]) -> FileTrust {
        match key(path).ok().and_then(|key| self.files.get(&key)) {
            Some(hash) if *hash == sha256_hex(bytes) => FileTrust::Trusted,
            Some(_) => FileTrust::Changed,
            None => FileTrust::Unknown,
        }
    }

    /// Trusts the `precis.toml` of `folder` with its current content; returns its text.
    ///
    /// # Errors
    /// The file does not exist or cannot be read, or the list cannot be written.
    pub fn add(&mut self, folder: &Path) -> io::Result<String> {
        let path = folder.join(FILE_NAME);
        let bytes = read(&path).map_err(|e| with_path(&path, &e))?;
        let text = String::from_utf8(bytes).map_err(|_| with_path(&path, &io::Error::other("it is not UTF-8 text")))?;
        // The hash of the text that is returned: the file may change after it was read.
        self.files.insert(key(&path)?, sha256_hex(text.as_bytes()));
        self.save()?;
        Ok(text)
    }

    /// Removes the `precis.toml` of `folder` from the list; returns whether it was on it.
    ///
    /// # Errors
    /// The folder does not exist, or the list cannot be written.
    pub fn remove(&mut self, folder: &Path) -> io::Result<bool> {
        let was_there = self.files.remove(&key(&folder.join(FILE_NAME))?).is_some();
        self.save()?;
        Ok(was_there)
    }

    /// Replaces the list file by a rename, so two concurrent commands may lose an entry but never corrupt the list.
    fn save(&self) -> io::Result<()> {
        files::private_dir(&self.dir).map_err(io::Error::other)?;
        let new = self.dir.join(format!(".{LIST}-{}", std::process::id()));
        // It may be left from a process of the same id that died: `create_new` would refuse it.
        let _ = fs::remove_file(&new);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(&serde_json::to_vec_pretty(&self.files)?)?;
        fs::rename(&new, self.dir.join(LIST))
    }
}

/// Reads the bytes of a configuration file.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    Ok(files::read_regular(path, Links::Followed, FileLimits::bytes(MAX_FILE_BYTES))?)
}

/// Returns the key of a file in the list: its path with the folder resolved, so that symlinks and relative paths do not matter.
fn key(path: &Path) -> io::Result<String> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let real = folder.canonicalize().map_err(|e| with_path(folder, &e))?.join(FILE_NAME);
    real.into_os_string().into_string().map_err(|_| io::Error::other("the name of the folder is not UTF-8"))
}

fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Self {
            Self(tempfile::tempdir().expect("a directory"))
        }

        fn trust(&self) -> Trust {
            self.try_trust().expect("a list")
        }

        fn try_trust(&self) -> io::Result<Trust> {
            let home = self.0.path().join("home").display().to_string();
            Trust::open(&BTreeMap::from([("HOME".to_owned(), home)])).map(|trust| trust.expect("a home"))
        }

        fn folder(&self, name: &str, text: &str) -> PathBuf {
            let folder = self.0.path().join(name);
            fs::create_dir_all(&folder).expect("made");
            fs::write(folder.join(FILE_NAME), text).expect("written");
            folder
        }
    }

    #[test]
    fn a_file_is_trusted_only_as_it_was_when_allowed() {
        let home = Home::new();
        let (a, b) = (home.folder("a", "html = 'full'"), home.folder("b", "html = 'full'"));
        assert_eq!(home.trust().add(&a).expect("allowed"), "html = 'full'");
        let trust = home.trust();
        let standing = |folder: &Path, text: &str| trust.standing(&folder.join(FILE_NAME), text.as_bytes());
        assert_eq!(standing(&a, "html = 'full'"), FileTrust::Trusted);
        assert_eq!(standing(&a.join("../a"), "html = 'full'"), FileTrust::Trusted);
        assert_eq!(standing(&a, "html = 'main'"), FileTrust::Changed);
        assert_eq!(standing(&b, "html = 'full'"), FileTrust::Unknown);
        assert!(home.trust().remove(&a).expect("taken off"));
        assert!(!home.trust().remove(&a).expect("it is not there"));
        assert_eq!(home.trust().paths().count(), 0);
    }

    #[test]
    fn a_list_that_others_can_write_to_is_not_believed() {
        let home = Home::new();
        home.trust().add(&home.folder("a", "")).expect("allowed");
        let list = home.0.path().join("home/.local/state/precis").join(LIST);
        assert_eq!(fs::metadata(&list).expect("there").permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&list, fs::Permissions::from_mode(0o666)).expect("ours");
        let error = home.try_trust().expect_err("others write to it").to_string();
        assert!(error.contains("is writable by other users"), "{error}");
    }

    #[test]
    fn without_a_home_nothing_is_trusted() {
        assert!(Trust::open(&BTreeMap::new()).expect("no list").is_none());
    }
}
