//! Writes a snapshot: everything that is live, in place of the history that led to it. Blocks.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::folder::{self, FileKind};
use super::{frame, recovery};

/// What is live, as entries.
pub(crate) type Entries = Box<dyn Iterator<Item = Vec<u8>> + Send>;

/// Writes the snapshot of `generation`, whose log exists and is durable, then removes all earlier files. Returns the bytes of the snapshot.
///
/// A process that is killed anywhere in here leaves the earlier files, from which the same follows.
pub(super) fn write(dir: &Path, generation: u64, live: Entries) -> io::Result<u64> {
    let unfinished = folder::path(dir, generation, FileKind::New);
    let bytes = match write_snapshot(&unfinished, live) {
        Ok(bytes) => bytes,
        Err(error) => {
            // A full disk must not fill up further.
            let _ = fs::remove_file(&unfinished);
            return Err(error);
        }
    };
    fs::rename(&unfinished, folder::path(dir, generation, FileKind::Snapshot))?;
    folder::sync(dir)?;
    for (earlier, kind) in folder::list_files(dir)?.into_iter().filter(|(earlier, _)| *earlier < generation) {
        fs::remove_file(folder::path(dir, earlier, kind))?;
    }
    Ok(bytes)
}

fn write_snapshot(path: &Path, live: Entries) -> io::Result<u64> {
    // Left by a process that was killed while it wrote.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = BufWriter::with_capacity(1 << 18, folder::create_new(path)?);
    let (mut bytes, mut framed) = (0, Vec::new());
    let whole = std::iter::once(recovery::head(0)).chain(live).chain(std::iter::once(Vec::new()));
    for entry in whole {
        framed.clear();
        frame::encode(&entry, 0, &mut framed).ok_or_else(|| io::Error::other("an entry of more than 4 GiB"))?;
        file.write_all(&framed)?;
        bytes += framed.len() as u64;
    }
    let file: File = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    Ok(bytes)
}
