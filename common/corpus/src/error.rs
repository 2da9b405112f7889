//! Why a corpus cannot be used.

use std::io;
use std::path::{Path, PathBuf};

/// Why an operation on a corpus failed.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// The folder was never indexed, or its index was removed.
    #[error("the folder is not indexed")]
    Missing,
    /// The index is damaged, or was made by another version of the program; indexing the folder again rebuilds it.
    #[error("the index cannot be used: {0}")]
    Unusable(String),
    /// Another process is writing to the index.
    #[error("another process is indexing this folder")]
    Busy,
    /// A limit on the query or the folder is exceeded.
    #[error("too many {what}: expected at most {limit}, got {given}")]
    TooMuch {
        /// What exceeds the limit, in the plural.
        what: &'static str,
        /// The number given.
        given: usize,
        /// The limit.
        limit: usize,
    },
    /// The query contains no text.
    #[error("the query is empty")]
    EmptyQuery,
    /// Reading or writing a file failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl CorpusError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Io { path, source }
    }

    pub(crate) fn unusable(reason: impl std::fmt::Display) -> Self {
        Self::Unusable(reason.to_string())
    }
}

/// Any error of tantivy while reading means that the index is damaged.
impl From<tantivy::TantivyError> for CorpusError {
    fn from(error: tantivy::TantivyError) -> Self {
        Self::unusable(error)
    }
}
