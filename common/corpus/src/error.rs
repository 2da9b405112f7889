//! Why a corpus cannot be used.

use std::io;
use std::path::{Path, PathBuf};

/// Why something did not happen to a corpus.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// Nobody has indexed this folder, or the index was removed.
    #[error("the folder is not indexed")]
    Missing,
    /// The index is damaged, or another version of the program made it; indexing makes it anew.
    #[error("the index cannot be used: {0}")]
    Unusable(String),
    /// Another process writes to the index now.
    #[error("another process is indexing this folder")]
    Busy,
    /// A query, or a folder, beyond a limit.
    #[error("{what}: {given} is more than {limit}")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// How much was given.
        given: usize,
        /// Most that is taken.
        limit: usize,
    },
    /// A query without a word to search for.
    #[error("the query is empty")]
    EmptyQuery,
    /// The disk or its permissions.
    #[error("{}: {source}", path.display())]
    Io {
        /// What could not be read or written.
        path: PathBuf,
        /// What the system says.
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

/// Errors of tantivy while reading: whatever they say, the index is not what was written.
impl From<tantivy::TantivyError> for CorpusError {
    fn from(error: tantivy::TantivyError) -> Self {
        Self::unusable(error)
    }
}
