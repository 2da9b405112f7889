//! Opens files without waiting and reads them within limits.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, OFlags, openat};

/// Longest time to read one file: a slow network share must not block a command for ever. Chosen, not measured.
pub const MAX_READ: Duration = Duration::from_secs(60);
/// Bytes read at a time; the time limit is checked in between.
const BLOCK_BYTES: usize = 256 << 10;

/// Whether symbolic links in the path to a file are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// All links are followed: for paths that a person typed.
    Followed,
    /// Links to parent directories only: for our own files in a directory that a person chose.
    OnTheWay,
    /// No link at all: for paths that were resolved and checked before, and for files of a foreign package.
    Refused,
}

/// How much may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileLimits {
    /// Limit in bytes.
    pub bytes: u64,
    /// Time limit.
    pub time: Duration,
}

impl FileLimits {
    /// At most `bytes`, within [`MAX_READ`].
    #[must_use]
    pub fn bytes(bytes: u64) -> Self {
        Self { bytes, time: MAX_READ }
    }
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused, it is not a regular file (`InvalidInput`), or reading took too long (`TimedOut`).
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It has more bytes than allowed.
    #[error("it must have at most {limit} bytes, got {bytes}")]
    TooLarge {
        /// Its size, or the bytes read so far.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            ReadError::TooLarge { .. } => Self::new(io::ErrorKind::FileTooLarge, error.to_string()),
        }
    }
}

/// Opens the regular file at `path` for reading. Never waits, for example for the writer of a pipe.
///
/// # Errors
/// The system's error; `InvalidInput` with a readable message if it is a pipe, a device, a socket or a directory.
pub fn open_regular(path: &Path, links: Links) -> io::Result<File> {
    let file = File::from(match links {
        Links::Followed => openat(CWD, path, flags(), Mode::empty()).map_err(io::Error::from)?,
        Links::OnTheWay => last_part_is_no_link(path)?,
        Links::Refused => without_links(path)?,
    });
    let kind = file.metadata()?.file_type();
    if kind.is_file() { Ok(file) } else { Err(io::Error::new(io::ErrorKind::InvalidInput, not_a_file(kind))) }
}

/// Some kernel files look regular and block until there is news: with `O_NONBLOCK` they fail instead.
fn flags() -> OFlags {
    OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY
}

#[cfg(target_os = "linux")]
fn without_links(path: &Path) -> io::Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    use rustix::io::Errno;
    let none = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match openat2(CWD, path, flags(), Mode::empty(), none) {
        // Kernels before 5.6, and containers that forbid the call: then at least the last part must not be a link.
        Err(Errno::NOSYS | Errno::PERM) => last_part_is_no_link(path),
        opened => opened.map_err(link_or_other),
    }
}

#[cfg(not(target_os = "linux"))]
fn without_links(path: &Path) -> io::Result<OwnedFd> {
    last_part_is_no_link(path)
}

fn last_part_is_no_link(path: &Path) -> io::Result<OwnedFd> {
    openat(CWD, path, flags() | OFlags::NOFOLLOW, Mode::empty()).map_err(link_or_other)
}

fn link_or_other(error: rustix::io::Errno) -> io::Error {
    match error {
        rustix::io::Errno::LOOP => {
            io::Error::new(io::ErrorKind::InvalidInput, "it is a symbolic link, which is not followed here")
        }
        other => other.into(),
    }
}

fn not_a_file(kind: std::fs::FileType) -> &'static str {
    if kind.is_dir() { "it is a directory" } else { "it is a pipe, a device or a socket, not a file" }
}

/// Reads the regular file at `path`.
///
/// # Errors
/// [`ReadError`]; a file that exceeds a limit is not returned in part.
pub fn read_regular(path: &Path, links: Links, limits: FileLimits) -> Result<Vec<u8>, ReadError> {
    let mut file = open_regular(path, links)?;
    let since = Instant::now();
    let too_large = |bytes| ReadError::TooLarge { bytes, limit: limits.bytes };
    let size = file.metadata().map_err(ReadError::Io)?.len();
    if size > limits.bytes {
        return Err(too_large(size));
    }
    // The size is only a hint: a file may grow, and some kernel files report no size.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    loop {
        // One byte more than allowed, so that a file that grew beyond the limit is noticed instead of cut.
        let room = limits.bytes.saturating_sub(bytes.len() as u64).saturating_add(1).min(BLOCK_BYTES as u64);
        let read = (&mut file).take(room).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limits.bytes {
            return Err(too_large(bytes.len() as u64));
        }
        if (read as u64) < room {
            return Ok(bytes);
        }
        if since.elapsed() > limits.time {
            let message = format!("reading took longer than {} s", limits.time.as_secs_f64());
            return Err(ReadError::Io(io::Error::new(io::ErrorKind::TimedOut, message)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn read(path: &Path, links: Links, bytes: u64) -> Result<Vec<u8>, String> {
        read_regular(path, links, FileLimits::bytes(bytes)).map_err(|e| e.to_string())
    }

    #[test]
    fn a_file_is_read_only_up_to_its_limit() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("a");
        for size in [0_usize, 1, 99, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES] {
            std::fs::write(&path, vec![b'a'; size]).expect("written");
            for (limit, fine) in
                [(size as u64 + 1, true), (size as u64, true), ((size as u64).wrapping_sub(1), size == 0)]
            {
                assert_eq!(read(&path, Links::Followed, limit).is_ok(), fine, "{size} bytes, limit {limit}");
            }
        }
    }

    #[test]
    fn a_pipe_a_device_and_a_directory_are_refused_at_once() {
        let dir = tempfile::tempdir().expect("a directory");
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(CWD, &pipe, rustix::fs::FileType::Fifo, Mode::RUSR, 0).expect("a pipe");
        let device = "it is a pipe, a device or a socket, not a file".to_owned();
        for (path, why) in [
            (pipe.as_path(), device.clone()),
            (Path::new("/dev/zero"), device),
            (dir.path(), "it is a directory".to_owned()),
        ] {
            assert_eq!(read(path, Links::Followed, 10), Err(why), "{}", path.display());
        }
    }

    #[test]
    fn a_file_without_an_end_or_a_size_stops_at_the_limit() {
        // The kernel reports 0 bytes for it.
        assert!(read(Path::new("/proc/self/maps"), Links::Followed, 100).is_err());
        assert!(read(Path::new("/proc/self/stat"), Links::Followed, 1 << 20).is_ok());
    }

    #[test]
    fn a_link_is_followed_only_where_it_was_typed() {
        let dir = tempfile::tempdir().expect("a directory");
        let real = dir.path().canonicalize().expect("resolved");
        std::fs::create_dir(real.join("d")).expect("a directory");
        std::fs::write(real.join("d/a"), "words").expect("written");
        symlink(real.join("d/a"), real.join("file")).expect("linked");
        symlink(real.join("d"), real.join("way")).expect("linked");
        for (name, on_the_way, refused) in [("d/a", true, true), ("file", false, false), ("way/a", true, false)] {
            let path = real.join(name);
            assert!(read(&path, Links::Followed, 10).is_ok(), "{name}");
            assert_eq!(read(&path, Links::OnTheWay, 10).is_ok(), on_the_way, "{name}");
            assert_eq!(read(&path, Links::Refused, 10).is_ok(), refused, "{name}");
        }
    }

    #[test]
    fn reading_ends_with_its_time() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("long");
        std::fs::write(&path, vec![b'a'; 4 * BLOCK_BYTES]).expect("written");
        let limits = FileLimits { bytes: u64::MAX, time: Duration::ZERO };
        let error = read_regular(&path, Links::Followed, limits).expect_err("no time");
        assert!(matches!(error, ReadError::Io(e) if e.kind() == io::ErrorKind::TimedOut));
    }
}
