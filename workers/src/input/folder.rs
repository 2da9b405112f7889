//! Lists the files of a corpus folder with size and modification time, and inspects single files.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::reading::{FirstLook, look};
use super::walk::{Rules, reason, walk_by};

/// Folders that are not indexed: they contain very many files that are not documents.
const IGNORED: [&str; 5] = ["node_modules", "__pycache__", "bower_components", "site-packages", "CVS"];
const NANOSECONDS: i64 = 1_000_000_000;

/// The contents of a folder.
#[derive(Debug, Default)]
pub struct FolderContents {
    /// The files, sorted by path.
    pub files: Vec<FolderFile>,
    /// Entries that cannot be accessed or are not files: path and reason.
    pub obstacles: Vec<(String, String)>,
    /// Whether the folder contains more files than the limit.
    pub is_cut: bool,
}

/// A file of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// Path to open, free of links.
    pub path: PathBuf,
    /// Path within the folder, parts joined by `/`.
    pub place: String,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last modification, in nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// The result of inspecting a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileInspection {
    /// Possibly a document; the hash of its bytes.
    Document(String),
    /// Not a document, or too large: a stable code and a message.
    Refused(&'static str, String),
    /// Cannot be read at the moment: a message.
    Unreadable(String),
}

/// Lists the folder `dir` without `except`, hidden files and the ignored folders. Stops soon after `max_files` files and then sets
/// `is_cut`. Blocks.
#[must_use]
pub fn list_folder(dir: &Path, except: &Path, max_files: usize) -> FolderContents {
    let walk = walk_by(Rules { ignored: &IGNORED, max_files }, &[dir.to_owned()], Some(except));
    let obstacles = walk.obstacles.into_iter().map(|obstacle| (obstacle.place, obstacle.reason)).collect();
    let mut folder = FolderContents { files: Vec::new(), obstacles, is_cut: walk.is_cut };
    for found in walk.found {
        // Not followed: the path was free of links, so a link here has replaced the file since.
        match std::fs::symlink_metadata(&found.path) {
            Ok(metadata) => folder.files.push(FolderFile {
                path: found.path,
                place: found.place,
                size: metadata.len(),
                mtime_ns: change_time(&metadata),
            }),
            Err(error) => folder.obstacles.push((found.place, reason(&error))),
        }
    }
    folder.is_cut |= folder.files.len() + folder.obstacles.len() > max_files;
    folder
}

fn change_time(metadata: &Metadata) -> i64 {
    metadata.mtime().saturating_mul(NANOSECONDS).saturating_add(metadata.mtime_nsec())
}

/// Reads a file once to find out whether it can be a document. Blocks.
#[must_use]
pub fn see(path: &Path, max_bytes: u64) -> FileInspection {
    match look(path, max_bytes, false) {
        Ok(FirstLook::Document(content)) => FileInspection::Document(content.hex().to_owned()),
        Ok(FirstLook::Other(why)) => FileInspection::Refused("unsupported", why),
        Ok(FirstLook::TooLarge(bytes)) => FileInspection::Refused(
            "too_large",
            format!("{bytes} bytes are more than max_document_bytes = {max_bytes}"),
        ),
        Err(error) => FileInspection::Unreadable(reason(&error)),
    }
}
