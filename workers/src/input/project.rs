//! The background of a project: a text file that goes with every question.

use std::path::Path;

use crate::exit::{Exit, Failure};

/// The text of `file`, or nothing where none is named.
///
/// # Errors
/// `unreadable_project` where the file cannot be read or is not UTF-8.
pub fn read_project(file: Option<&Path>) -> Result<String, Failure> {
    let Some(file) = file else { return Ok(String::new()) };
    let refused = |e| Failure::new(Exit::Refused, "unreadable_project", format!("read {}: {e}", file.display()));
    std::fs::read_to_string(file).map_err(refused)
}
