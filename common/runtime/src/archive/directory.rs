//! An archive in a directory: private, and each file appears complete or not at all.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use precis_proto::Timestamp;
use precis_proto::source::ContentRef;

use super::archived_text::{ArchivedText, MAX_SIDECAR_BYTES, MAX_TEXT_BYTES, Sidecar, check_hash, hash_named};
use crate::files::{self, FileLimits, Links, ReadError};

const PRIVATE_DIR: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;

/// Creates `dir` for its owner only if it is missing, checks that it can be written to, and returns what tells it from another one. An existing directory keeps its
/// permissions: it may be `/tmp`, or shared with readers. Its contents are in folders of our own, and are checked against their hashes
/// when read.
pub(super) fn open(dir: &Path) -> io::Result<Inode> {
    DirBuilder::new().recursive(true).mode(PRIVATE_DIR).create(dir)?;
    let probe = temporary(dir, "probe");
    private_file(&probe, b"")?;
    fs::remove_file(probe)?;
    Ok(Inode(fs::metadata(dir)?.ino()))
}

/// Tells a directory from another one at its path, such as the empty mount point of an unmounted volume. Without the device: that of a
/// network volume may be another one after it was mounted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Inode(u64);

/// Checks that `dir` is the directory that was opened as `inode`.
///
/// # Errors
/// It is not there, or another one is in its place.
pub(super) fn check(dir: &Path, inode: Inode) -> io::Result<()> {
    let is_there = match fs::metadata(dir) {
        Ok(found) => Inode(found.ino()) == inode,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(error),
    };
    if is_there {
        return Ok(());
    }
    let message = format!(
        "{} is not the directory that was opened: mount its volume again, or start the worker again if it was replaced",
        dir.display()
    );
    Err(io::Error::new(ErrorKind::NotFound, message))
}

/// Writes the text `name` of the folder `dir` and its sidecar; creates the folder, and nothing above it. A complete text that exists already
/// is kept.
pub(super) fn write(dir: &Path, name: &ContentRef, bytes: &[u8], sidecar: &Sidecar) -> io::Result<()> {
    private_folder(dir)?;
    // The sidecar first: its time is the age of both, and a text that is kept again must not look old.
    replace(&dir.join(format!("{}.json", name.hex())), &serde_json::to_vec(sidecar)?)?;
    match read(dir, name) {
        Ok(Some(_)) => Ok(()),
        _ => replace(&text_path(dir, name), bytes),
    }
}

fn text_path(dir: &Path, name: &ContentRef) -> PathBuf {
    dir.join(format!("{}.txt", name.hex()))
}

/// Reads the text `name` of `dir` and checks it against its hash.
pub(super) fn read(dir: &Path, name: &ContentRef) -> io::Result<Option<Vec<u8>>> {
    match files::read_regular(&text_path(dir, name), Links::OnTheWay, FileLimits::bytes(MAX_TEXT_BYTES)) {
        Ok(bytes) => check_hash(name, bytes).map(Some),
        Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Lists the texts of `dir`; empty if it does not exist.
pub(super) fn list(dir: &Path) -> io::Result<Vec<ArchivedText>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut filed = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if let Some(hex) = hash_named(file_name(&path), ".txt") {
            let sidecar = path.with_extension("json");
            let bytes = files::read_regular(&sidecar, Links::OnTheWay, FileLimits::bytes(MAX_SIDECAR_BYTES));
            let archived_at = bytes.map_or(Timestamp(0), |bytes| Sidecar::archived_at(&bytes));
            filed.push(ArchivedText { hex: hex.to_owned(), archived_at });
        }
    }
    Ok(filed)
}

/// Creates the folder `dir` of a source for its owner only. A folder created by another user is refused: in a directory that many may
/// write to, that user would control it.
fn private_folder(dir: &Path) -> io::Result<()> {
    make(dir)?;
    files::owner_only(dir).map_err(io::Error::other)
}

/// Creates the directory `dir` for its owner only, unless it is there; creates nothing above it.
pub(super) fn make(dir: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(PRIVATE_DIR).create(dir) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Creates a file that does not exist yet.
fn private_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(path)?;
    file.write_all(bytes)?;
    // On disk before the file is renamed: a power failure must not leave the final name on an empty file.
    file.sync_data()
}

/// Replaces the content of `path` atomically: no half-written file ever has that name.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let new = temporary(dir, "new");
    private_file(&new, bytes).and_then(|()| fs::rename(&new, path)).inspect_err(|_| {
        // Best effort: the first error is the one that is reported.
        let _ = fs::remove_file(&new);
    })
}

/// Returns a name that no other process uses. Not from the process id: in containers it is the same after a crash, and the file that was
/// left would then be in the way.
fn temporary(dir: &Path, what: &str) -> PathBuf {
    dir.join(format!(".{what}-{:016x}.tmp", rand::random::<u64>()))
}

/// Removes the texts of every folder of `dir` whose sidecars are older than `limit`; returns how many.
pub(super) fn remove_before(dir: &Path, limit: SystemTime) -> io::Result<usize> {
    let mut removed = 0;
    for source in fs::read_dir(dir)? {
        let source = source?;
        if !source.file_type()?.is_dir() {
            continue;
        }
        for entry in fs::read_dir(source.path())? {
            let path = entry?.path();
            if !is_sidecar(&path) {
                continue;
            }
            let meta = fs::symlink_metadata(&path)?;
            // Anything that is not a file was not put here, and must not stop the removal of others.
            if meta.is_file() && meta.modified()? < limit {
                // The text first: a sidecar without its text is found again, a text without its sidecar would stay for ever.
                remove_if_there(&path.with_extension("txt"))?;
                remove_if_there(&path)?;
                removed += 1;
            }
        }
        // Fails, as intended, if the folder is not empty.
        let _ = fs::remove_dir(source.path());
    }
    Ok(removed)
}

fn is_sidecar(path: &Path) -> bool {
    hash_named(file_name(path), ".json").is_some()
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|n| n.to_str()).unwrap_or_default()
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
