//! Why a path gives no model.

use std::io;

use precis_meaning::container::ContainerError;
use precis_meaning::foreign::FolderError as NoEncoder;

/// A path gives no model.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// None of the known kinds.
    #[error(
        "it is none of: a folder with model.safetensors, a wheel with e5-small-q4.bin, such a file itself, a model file of this program"
    )]
    OtherKind,
    /// A folder without a file that a model needs.
    #[error("the folder has no {file}{instead}")]
    Lacking {
        /// Which file.
        file: &'static str,
        /// What there is instead, as the end of a sentence.
        instead: &'static str,
    },
    /// A file of a folder cannot be read.
    #[error("read {file}: {error}")]
    FileOfFolder {
        /// Which file.
        file: &'static str,
        /// Why not.
        error: io::Error,
    },
    /// A folder that gives no model.
    #[error(transparent)]
    NoEncoder(#[from] NoEncoder),
    /// A name or a prefix was given for something that has its own.
    #[error("a name and prefixes are given for a folder only; this file has its own")]
    HasItsOwn,
    /// Of a known kind, and not whole.
    #[error(transparent)]
    Broken(#[from] ContainerError),
}
