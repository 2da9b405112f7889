//! The name of a file of a form. It becomes the id and title of a source and is never used as a path; but whoever writes a report to disk
//! later should find no path in it either. Pure.

use axum::http::StatusCode;

use crate::limits::MAX_FILE_NAME_BYTES;
use crate::problem::Problem;

/// Returns the name, if it is one.
///
/// # Errors
/// 422 for no name, one that is empty or longer than [`MAX_FILE_NAME_BYTES`], and one that is a path or has control characters.
pub(super) fn check_name(name: Option<&str>) -> Result<&str, Problem> {
    let is_fine = |name: &&str| {
        let is_path = name.contains(['/', '\\']) || matches!(*name, "." | "..");
        (1..=MAX_FILE_NAME_BYTES).contains(&name.len()) && !is_path && !name.chars().any(char::is_control)
    };
    name.filter(is_fine).ok_or_else(invalid)
}

/// The refusal of a name.
pub(super) fn invalid() -> Problem {
    let detail = format!(
        "each part after the request must be a file with a name of 1 to {MAX_FILE_NAME_BYTES} bytes, without folders and control characters"
    );
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_file_name", detail)
        .with_remedy("send the name of the file alone, such as paper.pdf")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_path() {
        for name in ["paper.pdf", "a b.txt", "...", "Übersicht.docx", "x"] {
            assert_eq!(check_name(Some(name)), Ok(name));
        }
        for name in ["", ".", "..", "../x", "/etc/passwd", "a/b", "..\\x", "C:\\x", "a\0b", "a\nb", "a\u{7f}"] {
            assert_eq!(check_name(Some(name)).expect_err("refused").code, "invalid_file_name", "{name:?}");
        }
        assert!(check_name(None).is_err());
        for (bytes, is_name) in
            [(MAX_FILE_NAME_BYTES - 1, true), (MAX_FILE_NAME_BYTES, true), (MAX_FILE_NAME_BYTES + 1, false)]
        {
            assert_eq!(check_name(Some(&"x".repeat(bytes))).is_ok(), is_name, "{bytes}");
        }
    }
}
