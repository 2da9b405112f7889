//! A file found by a walk.

use std::path::PathBuf;

/// A regular file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WalkedFile {
    /// Path to open, free of links, so that the file opened later is the one checked here.
    pub(super) path: PathBuf,
    /// Name to show: the file name, or the path within the given folder with parts joined by `/`.
    pub(super) place: String,
    /// Whether the file itself was given, not only its folder.
    pub(super) named: bool,
}
