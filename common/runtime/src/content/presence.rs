//! Whether the store of a fleet is there. An empty directory where a volume was mounted looks like a new store: only one that has its fleet
//! key is a store, and only [`ContentStore::create`](super::ContentStore::create) makes that key.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutPayload};
use tokio::time::Instant;

use super::error::{ContentError, unavailable, within};
use super::key::{FLEET, KEYS};
use super::names;
use super::open::{HeldDirectory, StoreAddress};

/// How long a bucket that was seen is trusted before a write: a bucket that is gone refuses writes by itself, and asking costs a request.
const TRUSTED: Duration = Duration::from_secs(10);

/// Whether a store can be away, and how that is noticed.
#[derive(Debug, Clone)]
pub(super) enum Presence {
    /// Only this process uses the store; it made it.
    Own,
    /// A directory that a fleet shares: looked for anew with every write, since a write into an empty mount point would succeed.
    Directory(PathBuf),
    /// A bucket that a fleet shares, with the time it was last seen.
    Bucket(Arc<Mutex<Option<Instant>>>),
}

impl Presence {
    /// The presence of the store of a fleet at `address`.
    pub(super) fn of(address: &StoreAddress) -> Self {
        match address {
            StoreAddress::Memory => Self::Own,
            StoreAddress::Directory(dir) => Self::Directory(dir.clone()),
            StoreAddress::Bucket(_) => Self::Bucket(Arc::default()),
        }
    }

    /// Whether a fleet shares the store: it may be away, and is waited for.
    pub(super) fn is_shared(&self) -> bool {
        !matches!(self, Self::Own)
    }

    /// The directory of a shared store that is one.
    pub(super) fn dir(&self) -> Option<&FilePath> {
        match self {
            Self::Directory(dir) => Some(dir),
            Self::Own | Self::Bucket(_) => None,
        }
    }

    /// Checks that the store of `objects` is there now.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`] if it has no fleet key, or does not answer.
    pub(super) async fn check(&self, objects: &dyn ObjectStore) -> Result<(), ContentError> {
        if !self.is_shared() {
            return Ok(());
        }
        key_found(objects.head(&names::named_path(KEYS, FLEET)).await)?;
        if let Self::Bucket(seen) = self {
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        Ok(())
    }

    /// Writes an object into the store, if it is there: nothing is created in its place. The inner result is that of the write.
    ///
    /// # Errors
    /// As [`Presence::check`].
    pub(super) async fn write(
        &self,
        objects: &dyn ObjectStore,
        path: &Path,
        payload: PutPayload,
        mode: PutMode,
    ) -> Result<object_store::Result<()>, ContentError> {
        match self {
            Self::Own => {}
            Self::Bucket(seen) => {
                let last = *seen.lock().unwrap_or_else(PoisonError::into_inner);
                if last.is_none_or(|last| last.elapsed() >= TRUSTED) {
                    self.check(objects).await?;
                }
            }
            Self::Directory(dir) => return write_into(dir.clone(), path.clone(), payload, mode).await,
        }
        Ok(objects.put_opts(path, payload, mode.into()).await.map(drop))
    }
}

/// Opens the directory of a store at `dir` as it is now, if the store is there: what is read or written through it is that store's,
/// whatever takes its path meanwhile.
///
/// # Errors
/// As [`Presence::check`].
pub(super) async fn open_directory(dir: PathBuf) -> Result<HeldDirectory, ContentError> {
    let opened = tokio::task::spawn_blocking(move || HeldDirectory::open(&dir)).await;
    let held = match opened.map_err(io::Error::other).flatten() {
        Ok(held) => held,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(absent()),
        Err(error) => return Err(ContentError::Unavailable(error.to_string())),
    };
    key_found(held.objects().head(&names::named_path(KEYS, FLEET)).await)?;
    Ok(held)
}

/// Runs `work` on a path to the store at `dir` as it is now, which leads to that store until `work` returns. Blocks.
///
/// # Errors
/// As [`Presence::check`]; [`ContentError::Full`] if `work` found no room. The inner error is any other of `work`.
pub(super) fn inside<T>(
    dir: &FilePath,
    work: impl FnOnce(&FilePath) -> io::Result<T>,
) -> Result<io::Result<T>, ContentError> {
    let held = match HeldDirectory::open(dir) {
        Ok(held) => held,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(absent()),
        Err(error) => return Err(ContentError::Unavailable(error.to_string())),
    };
    let path = held.path(dir);
    match path.join(names::named_path(KEYS, FLEET).as_ref()).try_exists() {
        Ok(true) => {}
        Ok(false) => return Err(absent()),
        Err(error) => return Err(ContentError::Unavailable(error.to_string())),
    }
    match work(&path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
            Err(ContentError::Full(error.to_string()))
        }
        done => Ok(done),
    }
}

/// Reads an object of the store at `dir`, of at most `max_bytes`; `None` if it is not there. Blocks. That it is not there is believed only of
/// the store as it is now: the first look may have been at an empty mount point.
///
/// # Errors
/// As [`Presence::check`]; [`ContentError::TooLarge`].
pub(super) fn read(dir: &FilePath, path: &Path, max_bytes: u64) -> Result<Option<Bytes>, ContentError> {
    match read_file(&dir.join(path.as_ref()), max_bytes)? {
        Some(found) => Ok(Some(found)),
        None => inside(dir, |dir| Ok(read_file(&dir.join(path.as_ref()), max_bytes)))?.unwrap_or(Ok(None)),
    }
}

/// Reads a file; `None` if there is none.
fn read_file(path: &FilePath, max_bytes: u64) -> Result<Option<Bytes>, ContentError> {
    let failed = |error: io::Error| ContentError::Unavailable(error.to_string());
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let size = file.metadata().map_err(failed)?.len();
    // Before it is read into memory.
    within(size, max_bytes)?;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.take(max_bytes).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some(Bytes::from(bytes)))
}

/// Why a store without its key cannot be used.
pub(super) fn absent() -> ContentError {
    ContentError::Unavailable(format!(
        "it has no key (named/{KEYS}/{FLEET}), so it is not mounted, or was never made; mount it, or make a new one with \
         `precis topology apply`"
    ))
}

/// Writes into the directory at `dir` as it is now: key and object are looked for and written through one open directory, so that no volume
/// can go in between.
async fn write_into(
    dir: PathBuf,
    path: Path,
    payload: PutPayload,
    mode: PutMode,
) -> Result<object_store::Result<()>, ContentError> {
    // A task of its own, which ends by itself: a write goes on when its caller is gone, and the directory must stay open as long.
    let writing = tokio::spawn(async move {
        let held = open_directory(dir).await?;
        Ok(held.objects().put_opts(&path, payload, mode.into()).await.map(drop))
    });
    writing.await.unwrap_or_else(|error| Err(ContentError::Unavailable(error.to_string())))
}

/// What a look for the key says of its store.
fn key_found(key: object_store::Result<ObjectMeta>) -> Result<(), ContentError> {
    match key {
        Ok(_) => Ok(()),
        Err(object_store::Error::NotFound { .. }) => Err(absent()),
        Err(error) => Err(unavailable(error)),
    }
}
