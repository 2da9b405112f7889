//! A file that a walk has come upon.

use std::path::PathBuf;

/// A regular file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WalkedFile {
    /// To open it: without links, so that what is opened is what was judged here.
    pub(super) path: PathBuf,
    /// To name it: its own name, or its path within the folder that was given; parts joined by `/`.
    pub(super) place: String,
    /// Whether it was given itself, not with its folder.
    pub(super) named: bool,
}
