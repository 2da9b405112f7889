//! Reads a journal back: the last snapshot and what was appended since, up to a torn end.
//!
//! A process that is killed leaves whole entries. A power failure may leave a torn one, and whole ones behind it, none of which anybody
//! was told to be durable: they are left out. If a later entry says that more than that was durable, bytes that were safely on disk are
//! gone, and the journal is not opened.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::OpenJournalError;
use super::folder::{self, FileKind};
use super::frame;

/// The first entry of a file begins with this; then comes the position of the journal at which the file begins.
const HEAD: &[u8; 8] = b"precisJ1";

/// An entry of a kind that its reader does not know: a newer version wrote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UnknownEntry(pub(crate) String);

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Recovered {
    /// The generation that the next log may have.
    pub(super) next: u64,
    /// The position behind the last entry that was read.
    pub(super) position: u64,
    /// Bytes that were left out because the end is torn.
    pub(super) torn_bytes: u64,
}

/// The first entry of a file that begins at `position`.
pub(super) fn head(position: u64) -> Vec<u8> {
    [HEAD.as_slice(), &position.to_be_bytes()].concat()
}

/// Calls `replay` with every entry of the journal in `dir`, in order. Changes nothing.
///
/// # Errors
/// [`OpenJournalError::Damaged`], [`OpenJournalError::Newer`], [`OpenJournalError::Io`].
pub(super) fn read(
    dir: &Path,
    replay: &mut dyn FnMut(&[u8]) -> Result<(), UnknownEntry>,
) -> Result<Recovered, OpenJournalError> {
    let files = folder::list_files(dir).map_err(OpenJournalError::io("list", dir))?;
    let next = files.iter().map(|(generation, _)| generation + 1).max().unwrap_or(0);
    let mut replay = |entry: &[u8]| {
        replay(entry).map_err(|unknown| OpenJournalError::Newer { dir: dir.to_owned(), reason: unknown.0 })
    };
    let base = files.iter().filter(|(_, kind)| *kind == FileKind::Snapshot).map(|(generation, _)| *generation).max();
    if let Some(base) = base {
        snapshot(&folder::path(dir, base, FileKind::Snapshot), &mut replay)?;
    }
    logs(dir, base, &files, &mut replay).map(|(position, torn_bytes)| Recovered { next, position, torn_bytes })
}

type Replay<'a> = dyn FnMut(&[u8]) -> Result<(), OpenJournalError> + 'a;

/// Reads a snapshot, which was renamed only once all of it was on disk, and so is whole.
fn snapshot(path: &Path, replay: &mut Replay<'_>) -> Result<(), OpenJournalError> {
    let mut reader = EntryReader::open(path)?;
    reader.start()?.ok_or_else(|| reader.damage())?;
    loop {
        match reader.next()? {
            // The end is an empty entry, so that a file cut between two entries is noticed.
            Some(entry) if entry.is_empty() => return Ok(()),
            Some(entry) => replay(&entry)?,
            None => return Err(reader.damage()),
        }
    }
}

/// Reads the logs since snapshot `base`; returns the position behind the last entry, and how many bytes were left out.
fn logs(
    dir: &Path,
    base: Option<u64>,
    files: &BTreeSet<(u64, FileKind)>,
    replay: &mut Replay<'_>,
) -> Result<(u64, u64), OpenJournalError> {
    let since = files.iter().filter(|(g, kind)| *kind == FileKind::Log && base.is_none_or(|base| *g >= base));
    let paths: Vec<PathBuf> = since.map(|(generation, kind)| folder::path(dir, *generation, *kind)).collect();
    let mut position = None;
    for (index, path) in paths.iter().enumerate() {
        let later = &paths[index + 1..];
        let mut reader = EntryReader::open(path)?;
        let start = reader.start()?;
        // The log of a snapshot is made, and durable, before the snapshot.
        if index == 0 && base.is_some() && start.is_none() {
            return Err(reader.damage());
        }
        let mut at = position.or(start).unwrap_or(0);
        if start != Some(at) {
            // Torn at its beginning, or what came before it is shorter than it was.
            return Ok((at, reader.torn_bytes(at, later)?));
        }
        while let Some(entry) = reader.next()? {
            at += frame::FRAME_BYTES as u64 + entry.len() as u64;
            replay(&entry)?;
        }
        if reader.offset < reader.size {
            return Ok((at, reader.torn_bytes(at, later)?));
        }
        position = Some(at);
    }
    Ok((position.unwrap_or(0), 0))
}

/// Reads the entries of one file, one after another.
struct EntryReader {
    path: PathBuf,
    file: BufReader<File>,
    /// Bytes of the file.
    size: u64,
    /// Offset behind the last whole entry.
    offset: u64,
}

impl EntryReader {
    fn open(path: &Path) -> Result<Self, OpenJournalError> {
        let opened = || -> io::Result<(File, u64)> {
            let file = File::open(path)?;
            let size = file.metadata()?.len();
            Ok((file, size))
        };
        let (file, size) = opened().map_err(OpenJournalError::io("open", path))?;
        Ok(Self { path: path.to_owned(), file: BufReader::new(file), size, offset: 0 })
    }

    /// Reads the first entry; returns the position it names, `None` if it is torn.
    fn start(&mut self) -> Result<Option<u64>, OpenJournalError> {
        let Some(entry) = self.next()? else { return Ok(None) };
        match entry.split_first_chunk::<8>() {
            Some((HEAD, start)) if start.len() == 8 => Ok(start.try_into().ok().map(u64::from_be_bytes)),
            _ => {
                let dir = self.path.parent().unwrap_or(&self.path).to_owned();
                Err(OpenJournalError::Newer { dir, reason: "another format".to_owned() })
            }
        }
    }

    /// Returns the next entry; `None` at the end, or at bytes that are not a whole entry.
    fn next(&mut self) -> Result<Option<Vec<u8>>, OpenJournalError> {
        let left = usize::try_from(self.size - self.offset).unwrap_or(usize::MAX);
        let mut bytes = vec![0; frame::FRAME_BYTES];
        if left < bytes.len() {
            return Ok(None);
        }
        self.file.read_exact(&mut bytes).map_err(OpenJournalError::io("read", &self.path))?;
        // Checked against the file before memory is taken: the length of a torn entry may be any number.
        let whole = frame::entry_bytes(&bytes).and_then(|length| length.checked_add(frame::FRAME_BYTES));
        let Some(whole) = whole.filter(|whole| *whole <= left) else { return Ok(None) };
        bytes.resize(whole, 0);
        let rest = &mut bytes[frame::FRAME_BYTES..];
        self.file.read_exact(rest).map_err(OpenJournalError::io("read", &self.path))?;
        if frame::decode(&bytes).is_none() {
            return Ok(None);
        }
        self.offset += whole as u64;
        Ok(Some(bytes.split_off(frame::FRAME_BYTES)))
    }

    /// Returns the bytes left out from here on, in this file and the `later` ones, if none of them tells that more than `position` was
    /// durable.
    fn torn_bytes(&self, position: u64, later: &[PathBuf]) -> Result<u64, OpenJournalError> {
        let mut left_out = 0;
        for (path, from) in [(&self.path, self.offset)].into_iter().chain(later.iter().map(|path| (path, 0))) {
            let bytes = rest_of(path, from).map_err(OpenJournalError::io("read", path))?;
            if frame::tells_of(&bytes, position) {
                return Err(self.damage());
            }
            left_out += bytes.len() as u64;
        }
        Ok(left_out)
    }

    fn damage(&self) -> OpenJournalError {
        OpenJournalError::Damaged { file: self.path.clone(), at: self.offset }
    }
}

fn rest_of(path: &Path, from: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
