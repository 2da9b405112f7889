//! The background of a project: a text file that goes with every question.

use std::path::Path;

use precis_runtime::files::{FileLimits, Links, read_regular};

use crate::cli::exit::{CommandFailure, Exit};

/// Largest background that is read, in bytes: more than any model's window takes beside documents.
const MAX_PROJECT_BYTES: u64 = 1 << 20;

/// The text of `file`, or nothing where none is named.
///
/// # Errors
/// `unreadable_project` where the file cannot be read, is a pipe or a device, is larger than a mebibyte, or is not UTF-8.
pub fn read_project(file: Option<&Path>) -> Result<String, CommandFailure> {
    let Some(file) = file else { return Ok(String::new()) };
    let refused =
        |e: String| CommandFailure::new(Exit::Refused, "unreadable_project", format!("read {}: {e}", file.display()));
    let bytes = read_regular(file, Links::Followed, FileLimits::bytes(MAX_PROJECT_BYTES));
    String::from_utf8(bytes.map_err(|e| refused(e.to_string()))?)
        .map_err(|_| refused("it is not UTF-8 text".to_owned()))
}
