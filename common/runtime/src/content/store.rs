//! Content by hash and by name, over any object store.
//!
//! Owns where bytes lie and that they are what their name says; knows nothing of what they mean. Nothing is ever changed in
//! place: content named by its hash cannot differ, and what has a name is written once.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutPayload};
use precis_proto::Timestamp;
use precis_proto::source::ContentRef;

use super::key::{HeldKey, KEYS};
use super::names;
use super::open::{self, OpenError};
use crate::clock::unix_time;
use crate::files::{self, FileLimits, Links, ReadError};

/// Largest content written or read unless set otherwise, in bytes; chosen, not measured.
pub const DEFAULT_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Content written within this time is not written again. Older content is, so that retention counts from its last use.
const FRESH: Duration = Duration::from_secs(3600);
/// Larger bytes are hashed off the async threads; a megabyte takes less than a millisecond.
const HASH_INLINE_BYTES: usize = 1024 * 1024;

/// Kind of the named contents that [`ContentStore::keeps_the_first`] leaves behind, until they outlive their time.
const PROBES: &str = "probes";

/// Why content could not be written or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// It is not there; permanent, unless its writer is still at it.
    #[error("content {0} is missing")]
    Missing(ContentRef),
    /// What is there is not what its name says; permanent.
    #[error("content {0} is not what its name says")]
    Corrupt(ContentRef),
    /// Over the limit; permanent.
    #[error("content of {bytes} bytes is over the limit of {limit}")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// There is no room left; transient, but it seldom passes by itself.
    #[error("the content store is full: {0}")]
    Full(String),
    /// The store cannot be reached or refuses; transient.
    #[error("the content store is unavailable: {0}")]
    Unavailable(String),
}

/// A content store. Cloning gives another handle to the same one.
#[derive(Clone)]
pub struct ContentStore {
    objects: Arc<dyn ObjectStore>,
    /// Content that lies in the user's own files; read, never written.
    files: Arc<BTreeMap<ContentRef, PathBuf>>,
    max_bytes: u64,
    /// Read when it is first asked for; ends with the last handle.
    key: HeldKey,
}

impl ContentStore {
    /// Content that ends with the process.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::from_object_store(Arc::new(InMemory::new()))
    }

    /// Content in a directory of this machine, made where missing, readable by its owner only. Outlives the process, but not
    /// for certain a power failure: nothing waits for the disk.
    ///
    /// # Errors
    /// [`OpenError::Directory`].
    pub fn directory(dir: impl AsRef<FilePath>) -> Result<Self, OpenError> {
        Ok(Self::from_object_store(Arc::new(open::local(dir.as_ref())?)))
    }

    /// Opens a store by URL: `file:///directory` (each write waits for the disk), `s3://bucket/prefix` (credentials, region and
    /// endpoint from the usual `AWS_…` variables) or `memory:`. Connects to nobody.
    ///
    /// # Errors
    /// [`OpenError`], which never repeats the URL: it may hold a secret.
    pub fn open(url: &str) -> Result<Self, OpenError> {
        open::objects(url).map(Self::from_object_store)
    }

    fn from_object_store(objects: Arc<dyn ObjectStore>) -> Self {
        Self { objects, files: Arc::default(), max_bytes: DEFAULT_MAX_BYTES, key: HeldKey::default() }
    }

    /// The same store, reading this content from the user's files where they lie. The hash is checked on each read.
    #[must_use]
    pub fn with_files(self, files: BTreeMap<ContentRef, PathBuf>) -> Self {
        Self { files: Arc::new(files), ..self }
    }

    /// The same store with another limit of one content's size, in bytes.
    #[must_use]
    pub fn with_max_bytes(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    /// Keeps `bytes` and returns their name. Putting them again changes nothing but when retention forgets them.
    ///
    /// # Errors
    /// [`ContentError::TooLarge`], [`ContentError::Full`], [`ContentError::Unavailable`].
    pub async fn put(&self, bytes: Bytes) -> Result<ContentRef, ContentError> {
        self.check_size(bytes.len() as u64)?;
        let content = name_of(&bytes).await;
        let path = names::blob(&content);
        let there = self.objects.head(&path).await.is_ok_and(|m| m.size == bytes.len() as u64 && age(&m) < FRESH);
        if !there {
            // Overwriting heals a file that a power failure cut short; what it replaces was the same bytes or wrong.
            self.objects.put(&path, PutPayload::from_bytes(bytes)).await.map_err(unavailable)?;
        }
        Ok(content)
    }

    /// The bytes named `content`.
    ///
    /// # Errors
    /// Any [`ContentError`]: they are what their name says, or there is an error.
    pub async fn get(&self, content: &ContentRef) -> Result<Bytes, ContentError> {
        let bytes = match self.files.get(content) {
            Some(file) => self.read_file(file).await?,
            None => self.read(&names::blob(content)).await?,
        };
        let bytes = bytes.ok_or_else(|| ContentError::Missing(content.clone()))?;
        if name_of(&bytes).await == *content { Ok(bytes) } else { Err(ContentError::Corrupt(content.clone())) }
    }

    /// Keeps `bytes` under a name unless something has it; returns what stands there now. Of racing writers one wins, and all
    /// return its bytes. Any `kind` and `id` are fine: they are encoded.
    ///
    /// # Errors
    /// [`ContentError::TooLarge`], [`ContentError::Full`], [`ContentError::Unavailable`].
    pub async fn put_named_if_absent(&self, kind: &str, id: &str, bytes: Bytes) -> Result<Bytes, ContentError> {
        self.check_size(bytes.len() as u64)?;
        let path = names::named(kind, id);
        let payload = PutPayload::from_bytes(bytes.clone());
        match self.objects.put_opts(&path, payload, PutMode::Create.into()).await {
            Ok(_) => Ok(bytes),
            Err(object_store::Error::AlreadyExists { .. }) => {
                let standing = self.read(&path).await?;
                standing.ok_or_else(|| ContentError::Unavailable("removed while it was being read".to_owned()))
            }
            Err(e) => Err(unavailable(e)),
        }
    }

    /// Whether what stands under a name stays, which one result per session depends on: writes twice under one new name and expects
    /// the first bytes. A server that ignores conditional puts (`If-None-Match`) gives the second.
    ///
    /// # Errors
    /// As [`ContentStore::put_named_if_absent`].
    pub async fn keeps_the_first(&self, probe: &str) -> Result<bool, ContentError> {
        let first = Bytes::from(format!("{probe} first"));
        self.put_named_if_absent(PROBES, probe, first.clone()).await?;
        let standing = self.put_named_if_absent(PROBES, probe, Bytes::from(format!("{probe} second"))).await?;
        Ok(standing == first && self.get_named(PROBES, probe).await? == Some(first))
    }

    /// What has this name, if anything.
    ///
    /// # Errors
    /// [`ContentError::TooLarge`], [`ContentError::Unavailable`].
    pub async fn get_named(&self, kind: &str, id: &str) -> Result<Option<Bytes>, ContentError> {
        self.read(&names::named(kind, id)).await
    }

    /// Ids that have a content of `kind`, with the time it was put, in no order. Ids too long for a path segment are left out: only
    /// their hash is kept.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`].
    pub async fn list_named(&self, kind: &str) -> Result<Vec<(String, Timestamp)>, ContentError> {
        let objects: Vec<ObjectMeta> =
            self.objects.list(Some(&names::all_named(kind))).try_collect().await.map_err(unavailable)?;
        let named = objects.iter().filter_map(|object| {
            let id = names::id_of(&object.location)?;
            Some((id, Timestamp(object.last_modified.timestamp_millis())))
        });
        Ok(named.collect())
    }

    /// Removes what was last put more than `hours` ago, by hash and by name; says how many. The user's files and the fleet key stay.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`]; some may be gone by then.
    pub async fn remove_older_than(&self, hours: u32) -> Result<u64, ContentError> {
        let limit = Duration::from_secs(u64::from(hours) * 3600);
        let mut removed = 0;
        for prefix in [names::BLOBS, names::NAMED] {
            let all: Vec<ObjectMeta> =
                self.objects.list(Some(&Path::from(prefix))).try_collect().await.map_err(unavailable)?;
            let keys = names::all_named(KEYS);
            for object in all.iter().filter(|m| age(m) >= limit && !m.location.prefix_matches(&keys)) {
                match self.objects.delete(&object.location).await {
                    Ok(()) => removed += 1,
                    Err(object_store::Error::NotFound { .. }) => {}
                    Err(e) => return Err(unavailable(e)),
                }
            }
        }
        Ok(removed)
    }

    pub(super) fn held_key(&self) -> &HeldKey {
        &self.key
    }

    fn check_size(&self, bytes: u64) -> Result<(), ContentError> {
        let limit = self.max_bytes;
        if bytes > limit { Err(ContentError::TooLarge { bytes, limit }) } else { Ok(()) }
    }

    async fn read(&self, path: &Path) -> Result<Option<Bytes>, ContentError> {
        match self.objects.get(path).await {
            Ok(found) => {
                self.check_size(found.meta.size)?;
                found.bytes().await.map(Some).map_err(unavailable)
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(e) => Err(unavailable(e)),
        }
    }

    /// A file of the user's: it was found without links, and must be without them still.
    async fn read_file(&self, file: &FilePath) -> Result<Option<Bytes>, ContentError> {
        let (path, limits) = (file.to_owned(), FileLimits::bytes(self.max_bytes));
        let read = tokio::task::spawn_blocking(move || files::read_regular(&path, Links::Refused, limits)).await;
        match read {
            Ok(Ok(bytes)) => Ok(Some(Bytes::from(bytes))),
            Ok(Err(ReadError::TooLarge { bytes, limit })) => Err(ContentError::TooLarge { bytes, limit }),
            Ok(Err(ReadError::Io(e))) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Ok(Err(ReadError::Io(e))) => Err(ContentError::Unavailable(format!("read {}: {e}", file.display()))),
            Err(e) => Err(ContentError::Unavailable(format!("read {}: {e}", file.display()))),
        }
    }
}

impl fmt::Debug for ContentStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentStore({}, {} files)", self.objects, self.files.len())
    }
}

async fn name_of(bytes: &Bytes) -> ContentRef {
    if bytes.len() > HASH_INLINE_BYTES {
        let large = bytes.clone();
        if let Ok(name) = tokio::task::spawn_blocking(move || ContentRef::from_bytes(&large)).await {
            return name;
        }
    }
    ContentRef::from_bytes(bytes)
}

/// Time since an object was written; zero where the clocks disagree.
fn age(object: &ObjectMeta) -> Duration {
    let written_ms = u64::try_from(object.last_modified.timestamp_millis()).unwrap_or(0);
    unix_time().saturating_sub(Duration::from_millis(written_ms))
}

fn unavailable(error: object_store::Error) -> ContentError {
    let message = error.to_string();
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(at) = cause {
        match at.downcast_ref::<io::Error>().map(io::Error::kind) {
            Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => return ContentError::Full(message),
            _ => cause = at.source(),
        }
    }
    ContentError::Unavailable(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_apart_from_one_that_is_away() {
        let error =
            |kind: io::ErrorKind| object_store::Error::Generic { store: "x", source: Box::new(io::Error::from(kind)) };
        for (kind, is_full) in [
            (io::ErrorKind::StorageFull, true),
            (io::ErrorKind::QuotaExceeded, true),
            (io::ErrorKind::PermissionDenied, false),
        ] {
            assert_eq!(matches!(unavailable(error(kind)), ContentError::Full(_)), is_full, "{kind:?}");
        }
    }
}
