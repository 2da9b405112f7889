//! The file that entries are appended to, and the one that follows it. Blocks, and is called under a lock: an append is one `write`, which
//! does not wait for the disk.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::{self, FileKind};
use super::{frame, recovery};

/// Capacity of the buffer that is kept between appends, in bytes.
const BUFFER_BYTES: usize = 1 << 20;

/// The open log.
#[derive(Debug)]
pub(super) struct LogWriter {
    dir: PathBuf,
    file: Arc<File>,
    generation: u64,
    /// Position behind the last entry: bytes of all entries ever appended.
    position: u64,
    /// Bytes of the files that hold the journal now.
    bytes_on_disk: u64,
    /// Earlier logs with entries that may not be durable.
    earlier: Vec<Arc<File>>,
    /// Whether a log was created since the folder was last made durable.
    is_new: bool,
    buffer: Vec<u8>,
}

/// What has to be synced so that everything before `position` is durable.
pub(super) struct Unsynced {
    pub(super) position: u64,
    files: Vec<Arc<File>>,
    dir: Option<PathBuf>,
}

impl LogWriter {
    /// Creates the log of `generation`, which begins at `position`.
    pub(super) fn create(dir: &Path, generation: u64, position: u64) -> io::Result<Self> {
        let (file, bytes) = create_log(dir, generation, position)?;
        let (earlier, buffer) = (Vec::new(), Vec::new());
        let dir = dir.to_owned();
        Ok(Self { dir, file, generation, position, bytes_on_disk: bytes, earlier, is_new: true, buffer })
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn bytes_on_disk(&self) -> u64 {
        self.bytes_on_disk
    }

    /// Sets how many bytes the files have, after some were added or removed.
    pub(super) fn set_bytes_on_disk(&mut self, bytes: u64) {
        self.bytes_on_disk = bytes;
    }

    /// Appends an entry; returns the position behind it.
    pub(super) fn append(&mut self, entry: &[u8], durable: u64) -> io::Result<u64> {
        self.buffer.clear();
        frame::encode(entry, durable, &mut self.buffer)
            .ok_or_else(|| io::Error::other("an entry of more than 4 GiB"))?;
        // One call, so that a process that is killed leaves all of the entry or nothing.
        (&*self.file).write_all(&self.buffer)?;
        self.position += self.buffer.len() as u64;
        self.bytes_on_disk += self.buffer.len() as u64;
        if self.buffer.capacity() > BUFFER_BYTES {
            self.buffer = Vec::new();
        }
        Ok(self.position)
    }

    /// Begins the log of the next generation; further entries go there.
    pub(super) fn succeed(&mut self) -> io::Result<()> {
        let (file, bytes) = create_log(&self.dir, self.generation + 1, self.position)?;
        self.earlier.push(std::mem::replace(&mut self.file, file));
        self.generation += 1;
        self.bytes_on_disk += bytes;
        self.is_new = true;
        Ok(())
    }

    /// Takes what has to be synced.
    pub(super) fn take_unsynced(&mut self) -> Unsynced {
        let mut files = std::mem::take(&mut self.earlier);
        files.push(Arc::clone(&self.file));
        let dir = std::mem::take(&mut self.is_new).then(|| self.dir.clone());
        Unsynced { position: self.position, files, dir }
    }
}

impl Unsynced {
    /// Waits for the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.files.iter().try_for_each(|file| file.sync_data())?;
        self.dir.as_deref().map_or(Ok(()), folder::sync)
    }
}

/// Creates a log with its first entry; returns its size.
fn create_log(dir: &Path, generation: u64, position: u64) -> io::Result<(Arc<File>, u64)> {
    let path = folder::path(dir, generation, FileKind::Log);
    let mut file = folder::create_new(&path)?;
    let mut head = Vec::new();
    frame::encode(&recovery::head(position), 0, &mut head).ok_or_else(|| io::Error::other("a head is short"))?;
    match file.write_all(&head) {
        Ok(()) => Ok((Arc::new(file), head.len() as u64)),
        Err(error) => {
            // Nothing follows it: without its head it would end the journal at the next start.
            let _ = std::fs::remove_file(path);
            Err(error)
        }
    }
}
