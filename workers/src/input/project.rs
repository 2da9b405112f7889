//! The background of a project: a text file sent along with every question.

use std::path::Path;

use precis_runtime::files::{FileLimits, Links, read_regular};

use crate::cli::exit::{CommandFailure, Exit};

/// Largest background file, in bytes: more than fits into the context window of any model next to documents.
const MAX_PROJECT_BYTES: u64 = 1 << 20;

/// Reads the text of `file`; empty without a file.
///
/// # Errors
/// `unreadable_project` if the file cannot be read, is a pipe or a device, is larger than 1 MiB, or is not UTF-8.
pub fn read_project(file: Option<&Path>) -> Result<String, CommandFailure> {
    let Some(file) = file else { return Ok(String::new()) };
    let refused =
        |e: String| CommandFailure::new(Exit::Refused, "unreadable_project", format!("read {}: {e}", file.display()));
    let bytes = read_regular(file, Links::Followed, FileLimits::bytes(MAX_PROJECT_BYTES));
    String::from_utf8(bytes.map_err(|e| refused(e.to_string()))?)
        .map_err(|_| refused("the file is not UTF-8 text".to_owned()))
}
