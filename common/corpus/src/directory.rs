//! The directory tantivy writes to: files readable by their owner only, not watched for changes.

use std::fs::{Permissions, set_permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

use crate::CorpusError;
use crate::index_place::FILE_MODE;

/// A directory of mapped files with mode 0600.
#[derive(Debug, Clone)]
pub(crate) struct PrivateDirectory {
    files: MmapDirectory,
    root: PathBuf,
}

impl PrivateDirectory {
    /// Opens the existing directory `root`.
    pub(crate) fn open(root: &Path) -> Result<Self, CorpusError> {
        Ok(Self { files: MmapDirectory::open(root).map_err(CorpusError::unusable)?, root: root.to_owned() })
    }

    fn close_to_others(&self, path: &Path) -> io::Result<()> {
        set_permissions(self.root.join(path), Permissions::from_mode(FILE_MODE))
    }
}

impl Directory for PrivateDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let opened = self.files.open_write(path)?;
        let failed = |e| OpenWriteError::wrap_io_error(e, path.to_owned());
        // Until here only the mode of the directory keeps others out.
        self.close_to_others(path).map_err(failed)?;
        Ok(opened)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.files.atomic_write(path, data)?;
        self.close_to_others(path)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        let held = self.files.acquire_lock(lock)?;
        self.close_to_others(&lock.filepath).map_err(LockError::wrap_io_error)?;
        Ok(held)
    }

    /// Never reports changes: an opened corpus always shows the same state, and a newer one has to be opened again.
    fn watch(&self, _: WatchCallback) -> tantivy::Result<WatchHandle> {
        Ok(WatchHandle::empty())
    }
}
