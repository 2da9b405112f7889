//! A folder as a corpus takes it: its files with size and time, and a closer look at one of them.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::reading::{FirstLook, look};
use super::walk::{Rules, reason, walk_by};

/// Folders of programs and their caches: nobody's documents, and there are very many of them.
const IGNORED: [&str; 5] = ["node_modules", "__pycache__", "bower_components", "site-packages", "CVS"];
const NANOSECONDS: i64 = 1_000_000_000;

/// What lies in a folder.
#[derive(Debug, Default)]
pub struct FolderContents {
    /// Its files, in the order of their paths.
    pub files: Vec<FolderFile>,
    /// What cannot be asked or is no file: path and reason.
    pub obstacles: Vec<(String, String)>,
    /// Whether there are more than were asked for.
    pub is_cut: bool,
}

/// A file of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// To open it: without links.
    pub path: PathBuf,
    /// Its path within the folder, parts joined by `/`.
    pub place: String,
    /// In bytes.
    pub size: u64,
    /// Of its last change, in nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// What a closer look at a file shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileInspection {
    /// It may be a document; the hash of its bytes.
    Document(String),
    /// It is none, or too large: a stable code, and words for people.
    Refused(&'static str, String),
    /// It cannot be read now: words for people.
    Unreadable(String),
}

/// Lists the folder `dir`; nothing under `except` is listed, nothing hidden, no folder of a program's own files, and no more than
/// `max_files` and one more. Blocks.
#[must_use]
pub fn list_folder(dir: &Path, except: &Path, max_files: usize) -> FolderContents {
    let walk = walk_by(Rules { ignored: &IGNORED, max_files }, &[dir.to_owned()], Some(except));
    let obstacles = walk.obstacles.into_iter().map(|obstacle| (obstacle.place, obstacle.reason)).collect();
    let mut folder = FolderContents { files: Vec::new(), obstacles, is_cut: walk.is_cut };
    for found in walk.found {
        match std::fs::symlink_metadata(&found.path) {
            Ok(metadata) => folder.files.push(FolderFile {
                path: found.path,
                place: found.place,
                size: metadata.len(),
                mtime_ns: changed(&metadata),
            }),
            Err(error) => folder.obstacles.push((found.place, reason(&error))),
        }
    }
    folder.is_cut |= folder.files.len() + folder.obstacles.len() > max_files;
    folder
}

fn changed(metadata: &Metadata) -> i64 {
    metadata.mtime().saturating_mul(NANOSECONDS).saturating_add(metadata.mtime_nsec())
}

/// Reads a file once to tell documents from the rest. Blocks.
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
