//! Why a session in this process ended without a response.

use std::path::PathBuf;

use precis_runtime::broker::BrokerError;
use precis_runtime::files::Unsafe;
use precis_runtime::model::ModelsError;

use crate::cli::exit::Exit;

/// Why an embedded session ended without a response.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddedError {
    /// The models cannot be set up as configured.
    #[error(transparent)]
    Models(#[from] ModelsError),
    /// A directory cannot be used.
    #[error("cannot use {what} {}: {reason}", path.display())]
    Directory {
        /// Which directory.
        what: &'static str,
        /// Its path.
        path: PathBuf,
        /// Error message of the system.
        reason: String,
    },
    /// Other users can write to the cache directory, so nothing in it can be trusted.
    #[error("the cache directory cannot be trusted: {0}")]
    UnsafeCache(Unsafe),
    /// The engine itself failed.
    #[error("the engine failed: {0}")]
    Engine(String),
}

impl From<BrokerError> for EmbeddedError {
    fn from(error: BrokerError) -> Self {
        Self::Engine(error.to_string())
    }
}

impl EmbeddedError {
    /// Returns the exit code: [`Exit::Usage`] for an invalid configuration, [`Exit::Refused`] for an unsafe cache directory, otherwise
    /// [`Exit::Failed`].
    #[must_use]
    pub fn exit_code(&self) -> Exit {
        match self {
            Self::Models(_) => Exit::Usage,
            Self::UnsafeCache(_) => Exit::Refused,
            Self::Directory { .. } | Self::Engine(_) => Exit::Failed,
        }
    }
}
