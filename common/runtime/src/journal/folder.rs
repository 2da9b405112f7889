//! The folder of a journal: names of its files, and the lock that keeps it to one process.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use precis_proto::closed_words;

use super::error::OpenJournalError;
use crate::files;

const LOCK: &str = "lock";

/// How long a lock that is held is waited for. A process that was killed while it started another one leaves its lock to that one until
/// that runs its own program, a moment later.
const PATIENCE: Duration = Duration::from_secs(5);
/// Interval between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

closed_words! {
    /// What a file of a journal holds.
    #[derive(PartialOrd, Ord)]
    pub(super) enum FileKind {
        Snapshot => "snapshot",
        Log => "log",
        /// A snapshot that is not finished.
        New => "new",
    }
}

/// The path of a file.
pub(super) fn path(dir: &Path, generation: u64, kind: FileKind) -> PathBuf {
    dir.join(format!("{generation:016x}.{kind}"))
}

/// Creates `dir` if it is missing and takes its lock, which ends with the process or the returned file.
///
/// # Errors
/// [`OpenJournalError::InUse`], [`OpenJournalError::Unsafe`], [`OpenJournalError::Io`].
#[expect(clippy::disallowed_methods, reason = "opening a journal blocks, at the start of a process")]
pub(super) fn lock_folder(dir: &Path) -> Result<File, OpenJournalError> {
    files::private_dir(dir)?;
    let lock = dir.join(LOCK);
    let opened = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&lock);
    let file = opened.map_err(OpenJournalError::io("open", &lock))?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Err(OpenJournalError::InUse(dir.to_owned())),
            Err(TryLockError::Error(error)) => return Err(OpenJournalError::io("lock", &lock)(error)),
        }
    }
}

/// Returns generation and kind of every file of the journal, in order.
pub(super) fn list_files(dir: &Path) -> io::Result<BTreeSet<(u64, FileKind)>> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(dir)? {
        let name = entry?.file_name();
        found.extend(name.to_str().and_then(parse_name));
    }
    Ok(found)
}

fn parse_name(name: &str) -> Option<(u64, FileKind)> {
    let (generation, extension) = name.split_once('.')?;
    Some((u64::from_str_radix(generation, 16).ok()?, extension.parse().ok()?))
}

/// Creates a file that must not exist, for its owner only.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Makes names in `dir` durable: that files were created, renamed or removed.
pub(super) fn sync(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_generation_and_others_are_left_alone() {
        let dir = tempfile::tempdir().expect("a directory");
        for name in ["000000000000000a.log", "0000000000000002.snapshot", "lock", "x.log", "0000000000000002.other"] {
            std::fs::write(dir.path().join(name), b"").expect("written");
        }
        let found: Vec<_> = list_files(dir.path()).expect("readable").into_iter().collect();
        assert_eq!(found, [(2, FileKind::Snapshot), (10, FileKind::Log)]);
        assert!(path(dir.path(), 10, FileKind::Log).exists());
    }

    #[test]
    fn a_second_owner_is_refused_until_the_first_one_is_gone() {
        let dir = tempfile::tempdir().expect("a directory");
        let first = lock_folder(dir.path()).expect("free");
        let refused = lock_folder(dir.path()).expect_err("in use").to_string();
        assert!(refused.contains("in use by another process"), "{refused}");
        drop(first);
        lock_folder(dir.path()).expect("free again");
    }

    #[test]
    fn an_owner_that_goes_a_moment_later_is_waited_for() {
        let dir = tempfile::tempdir().expect("a directory");
        let first = lock_folder(dir.path()).expect("free");
        let leaving = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            drop(first);
        });
        lock_folder(dir.path()).expect("free soon");
        leaving.join().expect("gone");
    }
}
