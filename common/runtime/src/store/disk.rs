//! Caches on disk: what a second run on the same input need not pay for again.
//!
//! Owns a directory of small files, one per key; knows nothing of what the values mean. The directory is shared between
//! processes, may be removed or filled up at any time. A file that is not exactly what this module wrote for this key is a miss and
//! is removed; yet whoever may write to the directory can write such a file. So a directory that is not the user's, or that others
//! may write to, is not opened at all. Nothing here is an error for the caller: what cannot be read or written is a counted
//! miss.
//!
//! ```text
//! {dir}/{family}/{first two digits}/{sha256 of the key}     one value each, mode 0600
//! {dir}/incoming/{random}                                   files being written
//! {dir}/lock                                                held while a bad file is replaced
//! {dir}/flights/{three digits}                              empty, locked while a call is made: the system unlocks it when its
//!                                                           process ends, however that ends
//! ```

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use precis_proto::ids::sha256_hex;

use super::record::{self, ValueRecord};
use crate::clock::unix_time;
use crate::files::{self, FileLimits, Links, ReadError};

/// Key families that are kept; the others are locks and marks, which must not outlive the process.
const FAMILIES: [&str; 7] = ["digest", "summary", "call", "search", "extract", "tokens", "window"];
/// The directory is measured again after this many writes: other processes write to it too.
const MEASURE_EVERY: u64 = 256;
/// A file being written for longer than this belongs to a process that died.
const ABANDONED: Duration = Duration::from_secs(3600);
/// Largest record that is read, in bytes; larger values are not kept.
const MAX_RECORD_BYTES: u64 = 64 << 20;
const INCOMING: &str = "incoming";
const FLIGHTS: &str = "flights";
/// The family of leases that hold across the processes of this machine.
const SHARED_LEASES: &str = "flight:";

/// A directory of cached values. Cloning gives another handle to the same one.
#[derive(Debug, Clone)]
pub struct DiskCache {
    inner: Arc<DiskState>,
}

#[derive(Debug)]
struct DiskState {
    dir: PathBuf,
    max_bytes: u64,
    /// What this process believes the directory holds; exact after each measuring.
    bytes: AtomicU64,
    writes: AtomicU64,
    failures: AtomicU64,
    /// Lock files that this process holds: by their name, with the key they are held for.
    held: Mutex<HashMap<String, (String, File)>>,
}

impl DiskCache {
    /// Opens or makes the cache at `dir`, removing the oldest files over `max_bytes`. Blocks.
    ///
    /// # Errors
    /// Where `dir` cannot be made or read, belongs to somebody else or can be written by others. A directory that cannot be written to is no error: it is read.
    pub fn open(dir: impl Into<PathBuf>, max_bytes: u64) -> io::Result<Self> {
        let dir = dir.into();
        files::private_dir(&dir).map_err(io::Error::other)?;
        fs::read_dir(&dir)?;
        let inner = DiskState {
            dir,
            max_bytes,
            bytes: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            held: Mutex::default(),
        };
        inner.tidy();
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Reads and writes that failed for other reasons than absence: a full or read-only disk, files that were not ours.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.inner.failures.load(Ordering::Relaxed)
    }

    /// Bytes on disk, as far as this process knows.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.inner.bytes.load(Ordering::Relaxed)
    }

    /// Removes every cached value. Blocks.
    pub fn clear(&self) {
        for family in FAMILIES {
            let gone = fs::remove_dir_all(self.inner.dir.join(family));
            self.inner.count_unless_absent(gone);
        }
        self.inner.bytes.store(0, Ordering::Relaxed);
    }

    /// Whether `key` is of a family that is kept on disk.
    pub(super) fn keeps(key: &str) -> bool {
        family_of(key).is_some()
    }

    /// The value of `key` and how long it is still good.
    pub(super) async fn get(&self, key: &str) -> Option<(Bytes, Duration)> {
        let key = key.to_owned();
        self.blocking(move |inner| inner.read(&key)).await.flatten()
    }

    /// Writes `value` unless the disk has one that is still good; returns what is to be used, and for how long.
    pub(super) async fn put_if_absent(&self, key: &str, value: Bytes, ttl: Duration) -> (Bytes, Duration) {
        let (key, ours) = (key.to_owned(), value.clone());
        let standing = self.blocking(move |inner| inner.write(&key, &ours, ttl)).await.flatten();
        standing.unwrap_or((value, ttl))
    }

    pub(super) async fn remove(&self, key: &str) {
        let key = key.to_owned();
        self.blocking(move |inner| inner.path(&key).map(|path| inner.count_unless_absent(fs::remove_file(path)))).await;
    }

    /// Whether leases of `key` hold across processes.
    pub(super) fn shares(key: &str) -> bool {
        key.starts_with(SHARED_LEASES)
    }

    /// Takes the lock of `key` for this process, without waiting; `false` where another process has it. Two keys may share a lock: one
    /// of them waits then. Where there can be no lock file everybody may have it: it is held for thrift only.
    pub(super) fn lock(&self, key: &str) -> bool {
        self.inner.lock(key)
    }

    /// Gives the lock of `key` back.
    pub(super) fn unlock(&self, key: &str) {
        let mut held = self.inner.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|_, (owner, _)| owner != key);
    }

    /// Runs `act` where blocking is allowed; `None` where the runtime is going down.
    async fn blocking<T: Send + 'static>(&self, act: impl FnOnce(&DiskState) -> T + Send + 'static) -> Option<T> {
        let inner = Arc::clone(&self.inner);
        tokio::task::spawn_blocking(move || act(&inner)).await.ok()
    }
}

impl DiskState {
    fn path(&self, key: &str) -> Option<PathBuf> {
        let name = sha256_hex(key.as_bytes());
        Some(self.dir.join(family_of(key)?).join(&name[..2]).join(name))
    }

    fn read(&self, key: &str) -> Option<(Bytes, Duration)> {
        let path = self.path(key)?;
        match look(&path, key) {
            DiskRead::Good(value, left) => Some((value, left)),
            DiskRead::Nothing => None,
            DiskRead::Bad => {
                self.discard(&path, key);
                None
            }
        }
    }

    /// What stands on disk after it, where that is not what was given.
    fn write(&self, key: &str, value: &[u8], ttl: Duration) -> Option<(Bytes, Duration)> {
        let path = self.path(key)?;
        let expires_ms = unix_ms().saturating_add(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX));
        let content = record::encode(&ValueRecord { expires_ms, key, value });
        let size = content.len() as u64;
        if size > self.max_bytes.min(MAX_RECORD_BYTES) {
            return None;
        }
        // Twice, because a bad file may have to make way first.
        for _ in 0..2 {
            match self.place(&path, &content) {
                Ok(()) => {
                    self.bytes.fetch_add(size, Ordering::Relaxed);
                    self.tidy_sometimes();
                    return None;
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => match look(&path, key) {
                    DiskRead::Good(value, left) => return Some((value, left)),
                    DiskRead::Bad => self.discard(&path, key),
                    DiskRead::Nothing => {}
                },
                Err(_) => {
                    self.failures.fetch_add(1, Ordering::Relaxed);
                    return None;
                }
            }
        }
        None
    }

    /// Puts a whole file at `path`, where none is: a reader sees all of it or nothing, and of two writers one wins.
    fn place(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        private_dirs(path.parent().unwrap_or(&self.dir))?;
        let incoming = self.dir.join(INCOMING);
        private_dirs(&incoming)?;
        let staged = incoming.join(format!("{:032x}", rand::random::<u128>()));
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&staged)
            .and_then(|mut file| file.write_all(content))
            .and_then(|()| fs::hard_link(&staged, path));
        let removed = fs::remove_file(&staged);
        written.and(removed)
    }

    fn lock(&self, key: &str) -> bool {
        let name = sha256_hex(key.as_bytes())[..3].to_owned();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((owner, _)) = held.get(&name) {
            // A lease that ran out in this process is given anew to whoever asks for the same.
            return owner == key;
        }
        let dir = self.dir.join(FLIGHTS);
        let open = || OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(dir.join(&name));
        let Ok(file) = private_dirs(&dir).and_then(|()| open()) else {
            self.failures.fetch_add(1, Ordering::Relaxed);
            return true;
        };
        match file.try_lock() {
            Ok(()) => {
                held.insert(name, (key.to_owned(), file));
                true
            }
            Err(TryLockError::WouldBlock) => false,
            // A file system without locks.
            Err(TryLockError::Error(_)) => true,
        }
    }

    /// Removes a bad file. Under the lock, and looked at again there: another process may have put a good one in its place.
    fn discard(&self, path: &Path, key: &str) {
        let lock = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(self.dir.join("lock"));
        let removed = lock.and_then(|lock| {
            lock.lock()?;
            if matches!(look(path, key), DiskRead::Bad) { fs::remove_file(path) } else { Ok(()) }
        });
        self.count_unless_absent(removed);
    }

    fn tidy_sometimes(&self) {
        let writes = self.writes.fetch_add(1, Ordering::Relaxed) + 1;
        if writes.is_multiple_of(MEASURE_EVERY) || self.bytes.load(Ordering::Relaxed) > self.max_bytes {
            self.tidy();
        }
    }

    /// Measures the directory and removes the oldest files over the limit, down to nine tenths of it.
    fn tidy(&self) {
        for file in files_below(&self.dir.join(INCOMING), 0) {
            if file.written.elapsed().is_ok_and(|age| age > ABANDONED) {
                self.count_unless_absent(fs::remove_file(&file.path));
            }
        }
        let mut files: Vec<CachedFile> = FAMILIES.iter().flat_map(|f| files_below(&self.dir.join(f), 1)).collect();
        let mut bytes: u64 = files.iter().map(|f| f.size).sum();
        if bytes > self.max_bytes {
            files.sort_by(|a, b| (a.written, &a.path).cmp(&(b.written, &b.path)));
            let keep = self.max_bytes - self.max_bytes / 10;
            for file in files {
                if bytes <= keep {
                    break;
                }
                self.count_unless_absent(fs::remove_file(&file.path));
                bytes -= file.size;
            }
        }
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    fn count_unless_absent(&self, done: io::Result<()>) {
        if done.is_err_and(|e| e.kind() != io::ErrorKind::NotFound) {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
    }
}

enum DiskRead {
    Good(Bytes, Duration),
    Nothing,
    /// Expired, damaged, for another key, or no file at all.
    Bad,
}

fn look(path: &Path, key: &str) -> DiskRead {
    // What is a link, a pipe, a device or endless is not what this module wrote.
    let content = match files::read_regular(path, Links::OnTheWay, FileLimits::bytes(MAX_RECORD_BYTES)) {
        Ok(content) => Bytes::from(content),
        Err(ReadError::Io(e)) if e.kind() == io::ErrorKind::NotFound => return DiskRead::Nothing,
        Err(_) => return DiskRead::Bad,
    };
    match record::decode(&content) {
        Some(found) if found.key == key => match found.expires_ms.checked_sub(unix_ms()) {
            Some(left) if left > 0 => DiskRead::Good(content.slice_ref(found.value), Duration::from_millis(left)),
            _ => DiskRead::Bad,
        },
        _ => DiskRead::Bad,
    }
}

struct CachedFile {
    path: PathBuf,
    size: u64,
    written: SystemTime,
}

/// The plain files in `dir` and `depth` levels below; what cannot be read is left out.
fn files_below(dir: &Path, depth: usize) -> Vec<CachedFile> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        // Of the entry itself: a symbolic link is neither followed nor counted.
        let Ok(meta) = entry.metadata() else { continue };
        if meta.is_dir() && depth > 0 {
            files.extend(files_below(&entry.path(), depth - 1));
        } else if meta.is_file() {
            let written = meta.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            files.push(CachedFile { path: entry.path(), size: meta.len(), written });
        }
    }
    files
}

fn private_dirs(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

fn family_of(key: &str) -> Option<&'static str> {
    let (family, _) = key.split_once(':')?;
    FAMILIES.into_iter().find(|f| *f == family)
}

fn unix_ms() -> u64 {
    u64::try_from(unix_time().as_millis()).unwrap_or(u64::MAX)
}
