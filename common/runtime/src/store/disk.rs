//! Caches on disk: what a second run on the same input need not pay for again.
//!
//! A directory of small files, one per key; the values are opaque here. The directory is shared between processes and may be removed or
//! filled up at any time. A file that is not exactly what this module wrote for this key counts as a miss and is removed; but anyone
//! who may write to the directory can forge such a file, so a directory that belongs to another user, or that others may write to, is
//! not opened at all. Once it is open, no error reaches the caller: what cannot be read or written is a miss, and failures of the disk
//! are counted.
//!
//! ```text
//! {dir}/{family}/{first two digits}/{sha256 of the key}     one value each, mode 0600
//! {dir}/incoming/{random}                                   files being written
//! {dir}/lock                                                held while a bad file is replaced
//! {dir}/flights/{three digits}                              empty, locked while a call is in progress: the system unlocks it
//!                                                           when its process ends, however it ends
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

/// Key families kept on disk; the others are locks and marks, which must not outlive the process.
const FAMILIES: [&str; 9] =
    ["digest", "summary", "call", "search", "extract", "tokens", "meaning", "verdict", "window"];
/// The families of a server, whose sessions outlive the process too: also their answers, cancellations and views.
const SERVER_FAMILIES: [&str; 12] = [
    "digest", "summary", "call", "search", "extract", "tokens", "meaning", "verdict", "window", "answer", "cancel",
    "session",
];
/// Writes between two measurements of the directory: other processes write to it too.
const MEASURE_EVERY: u64 = 256;
/// Age at which a file being written is taken to belong to a process that died.
const ABANDONED: Duration = Duration::from_secs(3600);
/// Largest record that is read, in bytes; larger values are not kept.
const MAX_RECORD_BYTES: u64 = 64 << 20;
const INCOMING: &str = "incoming";
const FLIGHTS: &str = "flights";
/// The family of leases that hold across all processes of this machine.
const SHARED_LEASES: &str = "flight:";

/// A directory of cached values. A clone is another handle to the same directory.
#[derive(Debug, Clone)]
pub struct DiskCache {
    state: Arc<DiskState>,
}

#[derive(Debug)]
struct DiskState {
    dir: PathBuf,
    /// The families that are kept.
    families: &'static [&'static str],
    max_bytes: u64,
    /// This process's estimate of the directory's size; exact after each measurement.
    bytes: AtomicU64,
    writes: AtomicU64,
    failures: AtomicU64,
    /// Lock files held by this process, by name, with the key they are held for.
    held: Mutex<HashMap<String, (String, File)>>,
}

impl DiskCache {
    /// Opens or creates the cache at `dir`, and removes the oldest files above `max_bytes`. Blocks.
    ///
    /// # Errors
    /// If `dir` cannot be created or read, belongs to another user or is writable by others. A directory that is only readable is not
    /// an error: it is read.
    pub fn open(dir: impl Into<PathBuf>, max_bytes: u64) -> io::Result<Self> {
        Self::keeping(&FAMILIES, dir.into(), max_bytes)
    }

    /// As [`Self::open`], for a process whose sessions outlive it: their answers, cancellations and views are kept too.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn of_server(dir: impl Into<PathBuf>, max_bytes: u64) -> io::Result<Self> {
        Self::keeping(&SERVER_FAMILIES, dir.into(), max_bytes)
    }

    fn keeping(families: &'static [&'static str], dir: PathBuf, max_bytes: u64) -> io::Result<Self> {
        files::private_dir(&dir).map_err(io::Error::other)?;
        fs::read_dir(&dir)?;
        let state = DiskState {
            dir,
            families,
            max_bytes,
            bytes: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            held: Mutex::default(),
        };
        state.tidy();
        Ok(Self { state: Arc::new(state) })
    }

    /// Reads and writes that failed for reasons other than absence: a full or read-only disk, foreign files.
    #[must_use]
    pub fn failures(&self) -> u64 {
        // Relaxed, as every access here: the counters guard no other data.
        self.state.failures.load(Ordering::Relaxed)
    }

    /// Bytes on disk, as estimated by this process.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.state.bytes.load(Ordering::Relaxed)
    }

    /// Deletes every cached value. Blocks.
    pub fn clear(&self) {
        for family in self.state.families {
            let gone = fs::remove_dir_all(self.state.dir.join(family));
            self.state.count_unless_absent(gone);
        }
        self.state.bytes.store(0, Ordering::Relaxed);
    }

    /// Whether the family of `key` is kept on disk.
    pub(super) fn keeps(&self, key: &str) -> bool {
        self.state.family_of(key).is_some()
    }

    /// Returns the value of `key` and its remaining time to live.
    pub(super) async fn get(&self, key: &str) -> Option<(Bytes, Duration)> {
        let key = key.to_owned();
        self.blocking(move |state| state.read(&key)).await.flatten()
    }

    /// Writes `value` unless the disk has an unexpired one; returns the value to use and its time to live.
    pub(super) async fn put_if_absent(&self, key: &str, value: Bytes, ttl: Duration) -> (Bytes, Duration) {
        let (key, ours) = (key.to_owned(), value.clone());
        let kept = self.blocking(move |state| state.write(&key, &ours, ttl)).await.flatten();
        kept.unwrap_or((value, ttl))
    }

    pub(super) async fn remove(&self, key: &str) {
        let key = key.to_owned();
        self.blocking(move |state| state.path(&key).map(|path| state.count_unless_absent(fs::remove_file(path)))).await;
    }

    /// Whether leases of `key` hold across processes.
    pub(super) fn shares(key: &str) -> bool {
        key.starts_with(SHARED_LEASES)
    }

    /// Takes the lock of `key` for this process without waiting; `false` if another process holds it. Two keys may share a lock file;
    /// then one waits. If no lock file can be created, everyone gets the lock: it only saves repeated calls.
    pub(super) fn lock(&self, key: &str) -> bool {
        self.state.lock(key)
    }

    /// Releases the lock of `key`.
    pub(super) fn unlock(&self, key: &str) {
        let mut held = self.state.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|_, (owner, _)| owner != key);
    }

    /// Runs `act` on a blocking thread; `None` if the runtime is shutting down.
    async fn blocking<T: Send + 'static>(&self, act: impl FnOnce(&DiskState) -> T + Send + 'static) -> Option<T> {
        let state = Arc::clone(&self.state);
        // Once started it runs to its end even if the caller is dropped, so that a staged file is removed again.
        tokio::task::spawn_blocking(move || act(&state)).await.ok()
    }
}

impl DiskState {
    fn path(&self, key: &str) -> Option<PathBuf> {
        let name = sha256_hex(key.as_bytes());
        Some(self.dir.join(self.family_of(key)?).join(&name[..2]).join(name))
    }

    fn family_of(&self, key: &str) -> Option<&'static str> {
        let (family, _) = key.split_once(':')?;
        self.families.iter().copied().find(|f| *f == family)
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

    /// Writes a file; returns the value already on disk if there is an unexpired one.
    fn write(&self, key: &str, value: &[u8], ttl: Duration) -> Option<(Bytes, Duration)> {
        let path = self.path(key)?;
        let expires_ms = unix_ms().saturating_add(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX));
        let content = record::encode(&ValueRecord { expires_ms, key, value });
        let size = content.len() as u64;
        if size > self.max_bytes.min(MAX_RECORD_BYTES) {
            return None;
        }
        // Twice, because a bad file may have to be removed first.
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

    /// Puts a complete file at `path` if there is none. Hard-linked from a staged file: a reader sees all of it or nothing, and of two
    /// writers one wins.
    fn place(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        private_dirs(path.parent().unwrap_or(&self.dir))?;
        let incoming = self.dir.join(INCOMING);
        private_dirs(&incoming)?;
        let staged = incoming.join(format!("{:032x}", rand::random::<u128>()));
        // Not synced: a file that a power failure tore does not match its hash and counts as a miss.
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&staged)
            .and_then(|mut file| file.write_all(content))
            .and_then(|()| fs::hard_link(&staged, path));
        // Also after a failure: a full disk must not fill up further with staged files.
        let removed = fs::remove_file(&staged);
        written.and(removed)
    }

    fn lock(&self, key: &str) -> bool {
        let name = sha256_hex(key.as_bytes())[..3].to_owned();
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((owner, _)) = held.get(&name) {
            // A lease that expired in this process can be taken again for the same key.
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
            // The file system does not support locks.
            Err(TryLockError::Error(_)) => true,
        }
    }

    /// Removes a bad file, after checking it again under the lock: another process may have replaced it by a good one.
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

    /// Measures the directory; above the limit, removes the oldest files down to nine tenths of it.
    fn tidy(&self) {
        for file in files_below(&self.dir.join(INCOMING), 0) {
            if file.written.elapsed().is_ok_and(|age| age > ABANDONED) {
                self.count_unless_absent(fs::remove_file(&file.path));
            }
        }
        let mut files: Vec<CachedFile> = self.families.iter().flat_map(|f| files_below(&self.dir.join(f), 1)).collect();
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
    /// Expired, damaged, for another key, or not a regular file.
    Bad,
}

fn look(path: &Path, key: &str) -> DiskRead {
    // Links, pipes, devices and oversized files were not written by this module.
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

/// Returns the regular files in `dir` and `depth` levels below; skips what cannot be read.
fn files_below(dir: &Path, depth: usize) -> Vec<CachedFile> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        // Metadata of the entry itself: a symbolic link is neither followed nor counted.
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

fn unix_ms() -> u64 {
    u64::try_from(unix_time().as_millis()).unwrap_or(u64::MAX)
}
