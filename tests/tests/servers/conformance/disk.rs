//! The cache directory: what outlives the process, what is not trusted, what stays private and bounded.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use precis_runtime::store::{DiskCache, MemoryStore, Store};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// A process that uses the cache at `dir`.
fn process(dir: &Path) -> (Store, DiskCache) {
    let disk = DiskCache::open(dir, 1 << 20).expect("opens");
    (Store::Memory(MemoryStore::new().with_disk(disk.clone())), disk)
}

async fn put(store: &Store, key: &str, value: &'static str) -> Bytes {
    store.values().put_if_absent(key, Bytes::from_static(value.as_bytes()), DAY).await.expect("reachable")
}

async fn get(store: &Store, key: &str) -> Option<Bytes> {
    store.values().get(key).await.expect("reachable")
}

/// Every file below `dir`.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

fn values(dir: &Path) -> Vec<PathBuf> {
    files(dir).into_iter().filter(|f| !f.ends_with("lock")).collect()
}

#[tokio::test]
async fn a_second_process_reads_what_the_first_one_paid_for() {
    let dir = tempfile::tempdir().expect("a directory");
    let (first, _) = process(dir.path());
    let families = ["digest", "summary", "call", "search", "extract", "tokens", "window"];
    for family in families {
        put(&first, &format!("{family}:k"), "paid").await;
    }
    put(&first, "answer:k", "of this process").await;
    let (second, _) = process(dir.path());
    for family in families {
        assert_eq!(get(&second, &format!("{family}:k")).await.as_deref(), Some(&b"paid"[..]), "{family}");
        assert_eq!(put(&second, &format!("{family}:k"), "again").await, "paid", "the first writer wins");
    }
    assert_eq!(get(&second, "answer:k").await, None, "marks and answers end with the process");
    assert_eq!(values(dir.path()).len(), families.len(), "and nothing else was written");
}

#[tokio::test]
async fn of_two_processes_writing_at_once_one_wins_in_both() {
    let dir = tempfile::tempdir().expect("a directory");
    let (first, second) = (process(dir.path()).0, process(dir.path()).0);
    for n in 0..50 {
        let key = format!("call:{n}");
        let (a, b) = tokio::join!(put(&first, &key, "a"), put(&second, &key, "b"));
        assert_eq!(a, b);
        assert_eq!(get(&first, &key).await, get(&second, &key).await);
    }
}

#[tokio::test]
async fn directories_and_files_are_private() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path().join("cache");
    put(&process(&root).0, "call:k", "secret").await;
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let file = &values(&root)[0];
    assert_eq!(mode(file), 0o600);
    for parent in file.ancestors().skip(1).take_while(|p| p.starts_with(&root)) {
        assert_eq!(mode(parent), 0o700, "{}", parent.display());
    }
}

#[tokio::test]
async fn a_file_that_is_not_ours_is_a_miss_and_is_removed() {
    let dir = tempfile::tempdir().expect("a directory");
    put(&process(dir.path()).0, "call:k", "value").await;
    put(&process(dir.path()).0, "call:other", "other value").await;
    let mut found = values(dir.path());
    found.sort_by_key(|f| fs::read(f).expect("readable").len());
    let (path, other) = (found[0].clone(), fs::read(&found[1]).expect("readable"));
    let whole = fs::read(&path).expect("readable");
    let mut altered = whole.clone();
    *altered.last_mut().expect("not empty") ^= 1;
    for bad in [Vec::new(), whole[..whole.len() - 1].to_vec(), altered, other] {
        fs::write(&path, &bad).expect("writable");
        assert_eq!(get(&process(dir.path()).0, "call:k").await, None);
        assert!(!path.exists());
        fs::write(&path, &bad).expect("writable");
        assert_eq!(put(&process(dir.path()).0, "call:k", "value").await, "value");
        assert_eq!(get(&process(dir.path()).0, "call:k").await.as_deref(), Some(&b"value"[..]), "written anew");
    }
}

#[tokio::test]
async fn an_expired_value_is_a_miss_and_may_be_rewritten() {
    let dir = tempfile::tempdir().expect("a directory");
    let (store, _) = process(dir.path());
    store.values().put_if_absent("call:k", Bytes::from_static(b"old"), Duration::ZERO).await.expect("reachable");
    assert_eq!(get(&process(dir.path()).0, "call:k").await, None);
    assert_eq!(values(dir.path()).len(), 0);
    store.values().put_if_absent("call:k", Bytes::from_static(b"old"), Duration::ZERO).await.expect("reachable");
    assert_eq!(put(&process(dir.path()).0, "call:k", "new").await, "new");
    assert_eq!(get(&process(dir.path()).0, "call:k").await.as_deref(), Some(&b"new"[..]));
}

#[tokio::test]
async fn a_refusing_disk_is_a_counted_miss_without_error() {
    let dir = tempfile::tempdir().expect("a directory");
    let (store, disk) = process(dir.path());
    // Whoever runs the tests may write anywhere; a file where a directory should be stops everybody.
    fs::write(dir.path().join("call"), b"in the way").expect("writable");
    assert_eq!(put(&store, "call:k", "value").await, "value");
    assert_eq!(get(&store, "call:k").await.as_deref(), Some(&b"value"[..]), "kept in memory");
    assert_eq!(disk.failures(), 1);
    assert_eq!(values(dir.path()), [dir.path().join("call")], "nothing is left lying about");
}

#[tokio::test]
async fn the_oldest_files_leave_when_there_is_no_room() {
    let dir = tempfile::tempdir().expect("a directory");
    let (store, disk) = process(dir.path());
    let value = Bytes::from(vec![b'x'; 10_000]);
    for n in 0..200 {
        store.values().put_if_absent(&format!("call:{n}"), value.clone(), DAY).await.expect("reachable");
        assert!(disk.size_bytes() <= 1 << 20);
    }
    let on_disk: u64 = files(dir.path()).iter().map(|f| fs::metadata(f).expect("there").len()).sum();
    assert!(on_disk <= 1 << 20, "{on_disk}");
    let (later, smaller) = (process(dir.path()).0, DiskCache::open(dir.path(), 100_000).expect("opens"));
    assert!(smaller.size_bytes() <= 100_000, "opening tidies up");
    assert!(get(&later, "call:0").await.is_none());
    assert!(get(&later, "call:199").await.is_some());
}
