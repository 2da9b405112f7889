//! Content by hash and by name, over any object store.
//!
//! Decides where bytes are kept and checks that they match their name; the bytes are opaque here. Nothing is ever changed in place:
//! content named by its hash cannot differ, and named content is written once.

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

use super::error::{ContentError, unavailable, within};
use super::key::HeldKey;
use super::names;
use super::open::{self, OpenError, StoreAddress};
use super::outages::Outages;
use super::presence::{self, Presence};
use crate::clock::unix_time;
use crate::files::{self, FileLimits, Links, ReadError};

/// Default limit of one content, in bytes, for writes and reads; chosen, not measured.
pub const DEFAULT_MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Content written within this time is not written again. Older content is, so that retention counts from its last use.
const FRESH: Duration = Duration::from_secs(3600);
/// Larger content is hashed on a blocking thread; a megabyte takes less than a millisecond.
const HASH_INLINE_BYTES: usize = 1024 * 1024;

/// Kind of the named contents that [`ContentStore::keeps_the_first`] leaves behind; retention removes them.
const PROBES: &str = "probes";

/// A content store. A clone is another handle to the same store.
///
/// ```
/// use precis_runtime::content::ContentStore;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let content = ContentStore::in_memory();
/// let name = content.put("a text".into()).await.expect("in memory");
/// assert_eq!(content.get(&name).await.expect("just put"), "a text");
/// # });
/// ```
#[derive(Clone)]
pub struct ContentStore {
    objects: Arc<dyn ObjectStore>,
    /// Content in the user's own files; read, never written.
    files: Arc<BTreeMap<ContentRef, PathBuf>>,
    max_bytes: u64,
    /// Read on first use; dropped with the last handle.
    key: HeldKey,
    presence: Presence,
    outages: Outages,
}

impl ContentStore {
    /// Returns a store that ends with the process.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::from_object_store(Arc::new(InMemory::new()))
    }

    /// Opens a directory of this machine, created if missing, readable by its owner only. Survives the process, but a power failure may
    /// lose the latest writes, because nothing waits for the disk.
    ///
    /// # Errors
    /// [`OpenError::Directory`].
    pub fn directory(dir: impl AsRef<FilePath>) -> Result<Self, OpenError> {
        Ok(Self::from_object_store(Arc::new(open::local(dir.as_ref())?)))
    }

    /// Opens the store of a fleet by URL: `file:///directory` (each write waits for the disk), `s3://bucket/prefix` (credentials, region
    /// and endpoint from the usual `AWS_…` variables) or `memory:`. Does not connect and creates nothing: a store that nobody made with
    /// [`ContentStore::create`] is unavailable, not new and empty.
    ///
    /// # Errors
    /// [`OpenError`]; never contains the URL, which may hold a secret.
    pub fn open(url: &str) -> Result<Self, OpenError> {
        let address = StoreAddress::parse(url)?;
        let store = Self::from_object_store(address.objects()?);
        Ok(Self { presence: Presence::of(&address), ..store })
    }

    fn from_object_store(objects: Arc<dyn ObjectStore>) -> Self {
        Self {
            objects,
            files: Arc::default(),
            max_bytes: DEFAULT_MAX_BYTES,
            key: HeldKey::default(),
            presence: Presence::Own,
            outages: Outages::default(),
        }
    }

    /// Returns this store, reading these contents from the user's files in place. The hash is checked on each read.
    #[must_use]
    pub fn with_files(self, files: BTreeMap<ContentRef, PathBuf>) -> Self {
        Self { files: Arc::new(files), ..self }
    }

    /// Returns this store with another size limit for one content, in bytes.
    #[must_use]
    pub fn with_max_bytes(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    /// Keeps `bytes` and returns their hash. Putting them again only renews their retention.
    ///
    /// # Errors
    /// [`ContentError::TooLarge`], [`ContentError::Full`], [`ContentError::Unavailable`].
    pub async fn put(&self, bytes: Bytes) -> Result<ContentRef, ContentError> {
        self.outages.note(self.put_by_hash(bytes).await)
    }

    async fn put_by_hash(&self, bytes: Bytes) -> Result<ContentRef, ContentError> {
        self.check_size(bytes.len() as u64)?;
        let content = name_of(&bytes).await;
        let path = names::blob(&content);
        let is_fresh = self.objects.head(&path).await.is_ok_and(|m| m.size == bytes.len() as u64 && is_fresh(&m));
        if !is_fresh {
            // Overwriting repairs a file that a power failure truncated; whatever it replaces was either the same bytes or damaged.
            self.presence
                .write(self.objects.as_ref(), &path, PutPayload::from_bytes(bytes), PutMode::Overwrite)
                .await?
                .map_err(unavailable)?;
        }
        Ok(content)
    }

    /// Returns the bytes with the hash `content`.
    ///
    /// # Errors
    /// Any [`ContentError`]. Returned bytes always match the hash.
    pub async fn get(&self, content: &ContentRef) -> Result<Bytes, ContentError> {
        self.outages.note(self.get_by_hash(content).await)
    }

    async fn get_by_hash(&self, content: &ContentRef) -> Result<Bytes, ContentError> {
        let bytes = match self.files.get(content) {
            Some(file) => self.read_file(file).await?,
            None => self.read(&names::blob(content)).await?,
        };
        let bytes = bytes.ok_or_else(|| ContentError::Missing(content.clone()))?;
        if name_of(&bytes).await == *content { Ok(bytes) } else { Err(ContentError::Corrupt(content.clone())) }
    }

    /// Keeps `bytes` under a name unless it is taken; returns the bytes kept there. Of racing writers one wins, and all return its
    /// bytes. Any `kind` and `id` are allowed: they are encoded.
    ///
    /// # Errors
    /// [`ContentError::TooLarge`], [`ContentError::Full`], [`ContentError::Unavailable`].
    pub async fn put_named_if_absent(&self, kind: &str, id: &str, bytes: Bytes) -> Result<Bytes, ContentError> {
        self.outages.note(self.put_if_absent(&names::named_path(kind, id), bytes).await)
    }

    async fn put_if_absent(&self, path: &Path, bytes: Bytes) -> Result<Bytes, ContentError> {
        self.check_size(bytes.len() as u64)?;
        let payload = PutPayload::from_bytes(bytes.clone());
        match self.presence.write(self.objects.as_ref(), path, payload, PutMode::Create).await? {
            Ok(()) => Ok(bytes),
            Err(object_store::Error::AlreadyExists { .. }) => {
                let kept = self.read(path).await?;
                kept.ok_or_else(|| ContentError::Unavailable("removed while it was read".to_owned()))
            }
            Err(e) => Err(unavailable(e)),
        }
    }

    /// Keeps `bytes` under a name whatever is there: for what has one writer, which alone knows the latest bytes.
    ///
    /// # Errors
    /// [`ContentError::TooLarge`], [`ContentError::Full`], [`ContentError::Unavailable`].
    pub async fn replace_named(&self, kind: &str, id: &str, bytes: Bytes) -> Result<(), ContentError> {
        self.outages.note(self.replace(&names::named_path(kind, id), bytes).await)
    }

    async fn replace(&self, path: &Path, bytes: Bytes) -> Result<(), ContentError> {
        self.check_size(bytes.len() as u64)?;
        let payload = PutPayload::from_bytes(bytes);
        self.presence.write(self.objects.as_ref(), path, payload, PutMode::Overwrite).await?.map_err(unavailable)
    }

    /// Whether named content is kept once written, which one result per session depends on. Writes twice under a new name and expects
    /// the first bytes; a server that ignores conditional puts (`If-None-Match`) returns the second.
    ///
    /// # Errors
    /// As [`ContentStore::put_named_if_absent`].
    pub async fn keeps_the_first(&self, probe: &str) -> Result<bool, ContentError> {
        let first = Bytes::from(format!("{probe} first"));
        self.put_named_if_absent(PROBES, probe, first.clone()).await?;
        let kept = self.put_named_if_absent(PROBES, probe, Bytes::from(format!("{probe} second"))).await?;
        Ok(kept == first && self.get_named(PROBES, probe).await? == Some(first))
    }

    /// Returns the content with this name, if any.
    ///
    /// # Errors
    /// [`ContentError::TooLarge`], [`ContentError::Unavailable`].
    pub async fn get_named(&self, kind: &str, id: &str) -> Result<Option<Bytes>, ContentError> {
        self.outages.note(self.read(&names::named_path(kind, id)).await)
    }

    /// Removes the content with this name; returns whether there was one.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`].
    pub async fn remove_named(&self, kind: &str, id: &str) -> Result<bool, ContentError> {
        self.outages.note(self.remove(&names::named_path(kind, id)).await)
    }

    /// Returns the ids with a content of `kind` and the time of their put, in no order. Ids too long for a path segment are left out,
    /// because only their hash is kept.
    ///
    /// # Errors
    /// [`ContentError::Unavailable`].
    pub async fn list_named(&self, kind: &str) -> Result<Vec<(String, Timestamp)>, ContentError> {
        let objects: Vec<ObjectMeta> =
            self.objects.list(Some(&names::all_named(kind))).try_collect().await.map_err(unavailable)?;
        // The list of a directory that went away ends early.
        self.outages.note(self.check().await)?;
        let named = objects.iter().filter_map(|object| {
            let id = names::id_of(&object.location)?;
            Some((id, Timestamp(object.last_modified.timestamp_millis())))
        });
        Ok(named.collect())
    }

    /// Removes an object; returns whether it was there.
    pub(super) async fn remove(&self, path: &Path) -> Result<bool, ContentError> {
        match self.objects.delete(path).await {
            Ok(()) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(e) => Err(unavailable(e)),
        }
    }

    pub(super) fn held_key(&self) -> &HeldKey {
        &self.key
    }

    pub(super) fn objects(&self) -> &Arc<dyn ObjectStore> {
        &self.objects
    }

    pub(super) fn presence(&self) -> &Presence {
        &self.presence
    }

    pub(super) fn outages(&self) -> &Outages {
        &self.outages
    }

    /// Whether the objects themselves are listed in order: buckets list them so, directories as they please.
    pub(super) fn is_ordered(&self) -> bool {
        matches!(self.presence, Presence::Bucket(_))
    }

    /// This store, as that of this process alone.
    pub(super) fn unshared(self) -> Self {
        Self { presence: Presence::Own, ..self }
    }

    /// Another handle to the same store, which remembers only the outages it meets itself.
    #[must_use]
    pub(crate) fn with_outage_watch(&self) -> Self {
        Self { outages: self.outages.of_new_handle(), ..self.clone() }
    }

    fn check_size(&self, bytes: u64) -> Result<(), ContentError> {
        within(bytes, self.max_bytes)
    }

    /// Reads an object. That it is not there is believed only of a store that is: it is looked for once more where the store was seen, since
    /// the first look may have been at an empty mount point.
    async fn read(&self, path: &Path) -> Result<Option<Bytes>, ContentError> {
        if let Some(dir) = self.presence.dir() {
            let (dir, path, max_bytes) = (dir.to_owned(), path.clone(), self.max_bytes);
            // One task for all of it: a change of threads takes longer than the read of a small file.
            let reading = tokio::task::spawn_blocking(move || presence::read(&dir, &path, max_bytes));
            return reading.await.unwrap_or_else(|error| Err(ContentError::Unavailable(error.to_string())));
        }
        let found = look(self.objects.as_ref(), path, self.max_bytes).await?;
        if found.is_some() || !self.is_shared() {
            return Ok(found);
        }
        self.check().await?;
        look(self.objects.as_ref(), path, self.max_bytes).await
    }

    /// Reads a file of the user's. It was resolved without links before, and must still be reachable without any.
    async fn read_file(&self, file: &FilePath) -> Result<Option<Bytes>, ContentError> {
        let (path, limits) = (file.to_owned(), FileLimits::bytes(self.max_bytes));
        let read = tokio::task::spawn_blocking(move || files::read_regular(&path, Links::Refused, limits)).await;
        match read {
            Ok(Ok(bytes)) => Ok(Some(Bytes::from(bytes))),
            Ok(Err(ReadError::TooLarge { bytes, limit })) => Err(ContentError::TooLarge { bytes, limit }),
            Ok(Err(ReadError::Io(e))) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Ok(Err(ReadError::Io(e))) => Err(ContentError::Unavailable(format!("cannot read {}: {e}", file.display()))),
            Err(e) => Err(ContentError::Unavailable(format!("cannot read {}: {e}", file.display()))),
        }
    }
}

impl fmt::Debug for ContentStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentStore({}, {} files)", self.objects, self.files.len())
    }
}

async fn look(objects: &dyn ObjectStore, path: &Path, max_bytes: u64) -> Result<Option<Bytes>, ContentError> {
    match objects.get(path).await {
        Ok(found) => {
            // Before the body is read into memory.
            within(found.meta.size, max_bytes)?;
            found.bytes().await.map(Some).map_err(unavailable)
        }
        Err(object_store::Error::NotFound { .. }) => Ok(None),
        Err(e) => Err(unavailable(e)),
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

/// Whether an object was written less than [`FRESH`] ago by the clock of this machine. A date as far in the future means that this clock is
/// wrong: then the object is written again, which costs a write and not the content.
fn is_fresh(object: &ObjectMeta) -> bool {
    let now_ms = i64::try_from(unix_time().as_millis()).unwrap_or(i64::MAX);
    let apart_ms = now_ms.saturating_sub(object.last_modified.timestamp_millis()).unsigned_abs();
    Duration::from_millis(apart_ms) < FRESH
}
