//! Why a journal cannot be opened, and why it can no longer be written.

use std::io;
use std::path::{Path, PathBuf};

use crate::files::Unsafe;

/// Why a journal cannot be opened. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenJournalError {
    /// Another process owns it.
    #[error("{} is in use by another process; stop that process, or name another folder", .0.display())]
    InUse(PathBuf),
    /// Others could change it.
    #[error(transparent)]
    Unsafe(#[from] Unsafe),
    /// A file or folder cannot be read or written.
    #[error("{what} {}: {reason}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's error message.
        reason: String,
    },
    /// Bytes that were safely on disk have changed or are gone.
    #[error(
        "{} is damaged at byte {at}: entries that were safely on disk cannot be read. Restore the folder from a copy; or move the folder \
         away to start with an empty one", file.display()
    )]
    Damaged {
        /// The file.
        file: PathBuf,
        /// Offset of the first byte that cannot be read.
        at: u64,
    },
    /// An entry is of a kind that this version does not know.
    #[error("{} was written by a newer version ({reason}); start that version", dir.display())]
    Newer {
        /// The folder.
        dir: PathBuf,
        /// What is not known.
        reason: String,
    },
}

impl OpenJournalError {
    /// Returns what turns an I/O error into one of these.
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { what, path, reason: error.to_string() }
    }
}

/// The journal cannot be written any more: the disk refused a write, or it was closed. What was durable before stays so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the journal can no longer be written: {0}")]
pub struct JournalFailed(pub String);
