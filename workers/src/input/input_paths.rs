//! Resolves the typed paths: expands glob patterns that the shell did not expand, and reads `-` from standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal::printable;

/// File name of a document from standard input.
const STANDARD_INPUT: &str = "standard-input";

/// The paths to walk.
#[derive(Debug, Default)]
pub(super) struct InputPaths {
    /// Paths in the order typed; the matches of a pattern are sorted by name.
    pub(super) paths: Vec<PathBuf>,
    /// Directory with the document from standard input; removed when dropped, so it must outlive reading.
    pub(super) spool: Option<TempDir>,
}

/// Replaces `-` by a file with the bytes of standard input, at most one more than `max_bytes`, and each pattern by its matches.
///
/// # Errors
/// [`Exit::Refused`] if a pattern matches nothing, or standard input cannot be stored.
pub(super) fn expand_paths(docs: &[PathBuf], max_bytes: u64) -> Result<InputPaths, CommandFailure> {
    let mut given = InputPaths::default();
    for doc in docs {
        if doc == Path::new("-") {
            if given.spool.is_none() {
                let spool = spool(io::stdin().lock(), max_bytes);
                let spool = spool.map_err(|e| source_failure(format!("read a document from standard input: {e}")))?;
                given.paths.push(spool.path().join(STANDARD_INPUT));
                given.spool = Some(spool);
            }
            continue;
        }
        match pattern(doc) {
            Some(pattern) => given.paths.extend(matching(pattern)?),
            None => given.paths.push(doc.clone()),
        }
    }
    Ok(given)
}

/// Copies `from` to a file in a temporary directory. One byte over the limit is kept, so that the file is later refused as too large.
fn spool(from: impl Read, max_bytes: u64) -> io::Result<TempDir> {
    let dir = tempfile::Builder::new().prefix("precis-").tempdir()?;
    let mut file = File::create(dir.path().join(STANDARD_INPUT))?;
    io::copy(&mut from.take(max_bytes.saturating_add(1)), &mut file)?;
    Ok(dir)
}

/// Returns `doc` as a pattern, unless it contains no wildcard or a file with exactly this name exists.
fn pattern(doc: &Path) -> Option<&str> {
    doc.to_str().filter(|text| text.contains(['*', '?', '[']) && !doc.exists())
}

/// Returns the matches of `pattern`: `*` and `?` match within a name, `**` across folders; hidden files match only an explicit dot.
fn matching(pattern: &str) -> Result<Vec<PathBuf>, CommandFailure> {
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::new() };
    let found = glob::glob_with(pattern, options)
        .map_err(|e| source_failure(format!("`{}` is not a valid pattern: {}", printable(pattern), e.msg)))?;
    let found: Vec<PathBuf> = found.filter_map(Result::ok).collect();
    match found.is_empty() {
        true => Err(source_failure(format!("no file matches `{}`", printable(pattern)))),
        false => Ok(found),
    }
}

fn source_failure(message: String) -> CommandFailure {
    CommandFailure::new(Exit::Refused, "no_readable_source", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_no_shell_expanded_is_expanded_here() {
        let root = tempfile::tempdir().expect("a directory");
        let at = |name: &str| root.path().join(name);
        std::fs::create_dir_all(at("sub")).expect("created");
        for name in ["b.md", "a.md", ".c.md", "a.txt", "sub/d.md", "odd[1].md"] {
            std::fs::write(at(name), name).expect("written");
        }
        let names = |pattern: &str| -> Vec<String> {
            let given = expand_paths(&[at(pattern)], 10).expect("matches");
            let short = |path: &PathBuf| path.strip_prefix(root.path()).map(|p| p.display().to_string());
            given.paths.iter().map(|path| short(path).expect("below")).collect()
        };
        assert_eq!(names("?.md"), ["a.md", "b.md"]);
        assert_eq!(names("**/d.md"), ["sub/d.md"]);
        assert_eq!(names("odd[1].md"), ["odd[1].md"], "a file that is called so is meant");
        assert_eq!(names("missing.md"), ["missing.md"], "what is no pattern is for the walk to judge");
        let refusal = expand_paths(&[at("*.pdf")], 10).expect_err("matches nothing");
        assert_eq!(refusal.exit, Exit::Refused);
        assert_eq!(refusal.message, format!("no file matches `{}`", at("*.pdf").display()));
    }

    #[test]
    fn of_standard_input_one_byte_over_the_limit_is_kept() {
        for (limit, kept) in [(4, 5), (5, 5), (6, 5)] {
            let spool = spool(&b"bytes"[..], limit).expect("kept");
            let size = std::fs::metadata(spool.path().join(STANDARD_INPUT)).expect("a file").len();
            assert_eq!(size, kept.min(limit + 1), "{limit}");
        }
    }
}
