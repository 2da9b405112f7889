//! Where the index of a folder lies: in a directory of its own below the user's cache, named by the folder's path.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use precis_proto::ids::sha256_hex;
use rustix::fs::{FlockOperation, flock};

use crate::CorpusError;

/// Permissions of every directory and of every file.
const DIRECTORY_MODE: u32 = 0o700;
pub(crate) const FILE_MODE: u32 = 0o600;
/// Below the cache directory.
const CORPORA: &str = "corpora";
/// Digits of the path's hash that name a directory.
const NAME_DIGITS: usize = 32;
const LOCK: &str = "lock";
/// How the name of a file ends that is being written.
pub(crate) const PART: &str = ".part";

/// The place of one folder's index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexPlace {
    folder: PathBuf,
    dir: PathBuf,
}

/// The right to write, until it is dropped; the system takes it back from a process that is killed.
#[derive(Debug)]
pub(crate) struct WriteLock(#[expect(dead_code, reason = "held, not read: the lock ends with the open file")] File);

impl IndexPlace {
    /// The place for `folder` below `cache`. Links in the folder's path are resolved, so that one folder has one index; the path of a
    /// folder that is gone is taken as it was written. Makes nothing.
    ///
    /// # Errors
    /// The working directory is gone and the path is relative.
    pub fn new(cache: &Path, folder: &Path) -> io::Result<Self> {
        let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder))?;
        let name = &sha256_hex(folder.as_os_str().as_bytes())[..NAME_DIGITS];
        Ok(Self { dir: cache.join(CORPORA).join(name), folder })
    }

    /// The place of an index that was unpacked into `dir`, whose folder is elsewhere: to be read, not to be brought up to date.
    #[must_use]
    pub fn unpacked(dir: &Path) -> Self {
        Self { folder: dir.to_owned(), dir: dir.to_owned() }
    }

    /// The folder that is indexed, as an absolute path without links.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The directory of the index.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Removes the index with its texts; whether there was one.
    ///
    /// # Errors
    /// [`CorpusError::Busy`], and what the disk says.
    pub fn remove(&self) -> Result<bool, CorpusError> {
        if !self.dir.exists() {
            return Ok(false);
        }
        let _lock = self.lock()?;
        fs::remove_dir_all(&self.dir).map_err(CorpusError::io(&self.dir))?;
        Ok(true)
    }

    /// Makes the directory where it is missing, and takes the right to write to it.
    pub(crate) fn lock(&self) -> Result<WriteLock, CorpusError> {
        private_dir(&self.dir).map_err(CorpusError::io(&self.dir))?;
        let path = self.dir.join(LOCK);
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(FILE_MODE).open(&path);
        let file = file.map_err(CorpusError::io(&path))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(WriteLock(file)),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(CorpusError::Busy),
            Err(error) => Err(CorpusError::io(&path)(error.into())),
        }
    }
}

/// Makes `dir` and what is missing on the way, for their owner alone.
pub(crate) fn private_dir(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(dir)
}

/// Writes a file for its owner alone: as a whole or not at all.
pub(crate) fn write_file(path: &Path, bytes: &[u8], is_durable: bool) -> io::Result<()> {
    let part = path.with_extension(format!("{}{PART}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(FILE_MODE).open(&part)?;
    file.write_all(bytes)?;
    if is_durable {
        file.sync_data()?;
    }
    fs::rename(&part, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_folder_has_one_place_however_it_is_reached() {
        let root = tempfile::tempdir().expect("a directory");
        let at = |name: &str| root.path().join(name);
        fs::create_dir(at("docs")).expect("made");
        fs::create_dir(at("other")).expect("made");
        std::os::unix::fs::symlink(at("docs"), at("link")).expect("linked");
        let place = |name: &str| IndexPlace::new(&at("cache"), &at(name)).expect("a place");
        assert_eq!(place("docs"), place("link"));
        assert_eq!(place("docs"), place("other/../docs/"));
        assert_ne!(place("docs").dir(), place("other").dir());
        assert!(!at("cache").exists());
        assert_eq!(place("gone"), place("gone"));
    }

    #[test]
    fn one_process_writes_and_what_is_removed_is_gone() {
        let root = tempfile::tempdir().expect("a directory");
        let place = IndexPlace::new(root.path(), root.path()).expect("a place");
        assert!(!place.remove().expect("nothing to remove"));
        let lock = place.lock().expect("free");
        assert!(matches!(place.lock(), Err(CorpusError::Busy)));
        assert!(matches!(place.remove(), Err(CorpusError::Busy)));
        drop(lock);
        assert!(place.remove().expect("removed"));
        assert!(!place.dir().exists());
    }
}
