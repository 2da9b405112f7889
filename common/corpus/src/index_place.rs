//! The place of an index: a directory per folder in the user's cache, named by a hash of the folder's path.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use precis_proto::ids::sha256_hex;
use rustix::fs::{FlockOperation, flock};

use crate::CorpusError;

/// Permissions of all directories and files.
const DIRECTORY_MODE: u32 = 0o700;
pub(crate) const FILE_MODE: u32 = 0o600;
/// Directory of all corpora in the cache directory.
const CORPORA: &str = "corpora";
/// Digits of the hash of the path used as directory name.
const NAME_DIGITS: usize = 32;
const LOCK: &str = "lock";
/// Suffix of a file that is being written.
pub(crate) const PART: &str = ".part";

/// The place of the index of a folder.
///
/// ```
/// use precis_corpus::{Corpus, CorpusError, IndexPlace};
///
/// let root = tempfile::tempdir()?;
/// let place = IndexPlace::new(&root.path().join("cache"), &root.path().join("papers"))?;
/// assert!(matches!(Corpus::open(&place), Err(CorpusError::Missing)));
/// assert!(!place.remove()?, "there is no index to remove");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexPlace {
    folder: PathBuf,
    dir: PathBuf,
}

/// The write lock of an index, held until dropped; the system releases it if the process is killed.
#[derive(Debug)]
pub(crate) struct WriteLock(#[expect(dead_code, reason = "held, not read: closing the file releases the lock")] File);

impl IndexPlace {
    /// Returns the place for `folder` in `cache`. Links in the path are resolved, so that a folder has one index only; the path of a
    /// deleted folder is used as given. Creates nothing.
    ///
    /// # Errors
    /// The path is relative and the working directory no longer exists.
    pub fn new(cache: &Path, folder: &Path) -> io::Result<Self> {
        let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder))?;
        let name = &sha256_hex(folder.as_os_str().as_bytes())[..NAME_DIGITS];
        Ok(Self { dir: cache.join(CORPORA).join(name), folder })
    }

    /// Returns the place of an index that was unpacked into `dir` without its folder: it can be searched, but not updated.
    #[must_use]
    pub fn from_unpacked(dir: &Path) -> Self {
        Self { folder: dir.to_owned(), dir: dir.to_owned() }
    }

    /// Returns the indexed folder, as an absolute path without links.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the directory of the index.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Removes the index with its texts; returns whether there was one.
    ///
    /// # Errors
    /// [`CorpusError::Busy`], or [`CorpusError::Io`].
    pub fn remove(&self) -> Result<bool, CorpusError> {
        if !self.dir.exists() {
            return Ok(false);
        }
        let _lock = self.lock()?;
        let removed = self.removed_dir();
        delete(&removed).map_err(CorpusError::io(&removed))?;
        // Moved first: once its lock file is gone, another process may already be building the index again in its place.
        fs::rename(&self.dir, &removed).map_err(CorpusError::io(&self.dir))?;
        delete(&removed).map_err(CorpusError::io(&removed))?;
        Ok(true)
    }

    /// Where the index is moved before it is deleted; a removal that was killed leaves it to the next one.
    fn removed_dir(&self) -> PathBuf {
        self.dir.with_extension("removed")
    }

    /// Creates the directory if it is missing, and takes the write lock.
    pub(crate) fn lock(&self) -> Result<WriteLock, CorpusError> {
        private_dir(&self.dir).map_err(CorpusError::io(&self.dir))?;
        let path = self.dir.join(LOCK);
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(FILE_MODE).open(&path);
        let file = file.map_err(|error| match error.kind() {
            // The directory was moved away in between.
            io::ErrorKind::NotFound => CorpusError::Busy,
            _ => CorpusError::io(&path)(error),
        })?;
        // Removed by another process between the two steps: the caller tries again, as if that process still had the lock.
        lock_file(&path, file)?.ok_or(CorpusError::Busy)
    }
}

/// Locks `file`, opened at `path`; `None` if it is no longer the file at `path`: it would not keep anyone from locking the new one.
fn lock_file(path: &Path, file: File) -> Result<Option<WriteLock>, CorpusError> {
    // Does not block: the caller waits, and can be cancelled meanwhile.
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(rustix::io::Errno::WOULDBLOCK) => return Err(CorpusError::Busy),
        Err(error) => return Err(CorpusError::io(path)(error.into())),
    }
    let is_same = |there: &fs::Metadata, ours: &fs::Metadata| (there.dev(), there.ino()) == (ours.dev(), ours.ino());
    match (fs::symlink_metadata(path), file.metadata()) {
        (Ok(there), Ok(ours)) if is_same(&there, &ours) => Ok(Some(WriteLock(file))),
        _ => Ok(None),
    }
}

/// Deletes a directory with everything in it, if it exists.
fn delete(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Creates `dir` and missing parents, accessible to their owner only.
pub(crate) fn private_dir(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(dir)
}

/// Writes a file readable by its owner only, completely or not at all.
pub(crate) fn write_file(path: &Path, bytes: &[u8], is_durable: bool) -> io::Result<()> {
    let part = path.with_extension(format!("{}{PART}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(FILE_MODE).open(&part)?;
    file.write_all(bytes)?;
    // Before the rename: otherwise a power failure could leave the name with an incomplete file.
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

    #[test]
    fn a_lock_file_that_was_removed_meanwhile_locks_nothing() {
        let root = tempfile::tempdir().expect("a directory");
        let place = IndexPlace::new(root.path(), root.path()).expect("a place");
        drop(place.lock().expect("free"));
        let path = place.dir().join(LOCK);
        let open = || OpenOptions::new().write(true).open(&path).expect("there");
        // Opened by two other processes before this one removes the index; one looks before the index is made again, one after.
        let (early, late) = (open(), open());
        assert!(place.remove().expect("removed"));
        assert!(lock_file(&path, early).expect("lockable").is_none(), "there is no lock file");
        let _lock = place.lock().expect("free");
        assert!(lock_file(&path, late).expect("lockable").is_none(), "there is another lock file");
    }

    #[test]
    fn an_index_is_out_of_the_way_before_it_is_deleted() {
        let root = tempfile::tempdir().expect("a directory");
        let place = IndexPlace::new(root.path(), root.path()).expect("a place");
        drop(place.lock().expect("free"));
        // Left by a removal that was killed.
        let leftover = place.removed_dir().join("index-1");
        fs::create_dir_all(&leftover).expect("made");
        assert!(place.remove().expect("removed"));
        assert!(!place.dir().exists() && !place.removed_dir().exists());
    }
}
