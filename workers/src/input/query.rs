//! Reads and checks the question.

use std::io::Read;
use std::path::{Path, PathBuf};

use precis_evidence::question::follow_up::asks_about_nothing;
use precis_proto::request::MAX_QUERY_CHARS;
use precis_runtime::files::{Links, open_regular};

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal::printable;

/// Most bytes read of a question: a valid one cannot be longer, at four bytes per character.
const MAX_QUERY_BYTES: u64 = MAX_QUERY_CHARS as u64 * 4 + 4;

/// Where the question comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryFrom {
    /// The command line; `-` means standard input.
    Text(String),
    /// A file; `-` means standard input.
    File(PathBuf),
}

/// Reads the question, trims it, and checks that it has 1 to [`MAX_QUERY_CHARS`] characters.
///
/// # Errors
/// [`Exit::Refused`] if it cannot be read, is empty or too long, or contains a NUL character.
pub fn read_query(from: &QueryFrom) -> Result<String, CommandFailure> {
    let text = match from {
        QueryFrom::Text(text) if text == "-" => read_all("standard input", std::io::stdin().lock())?,
        QueryFrom::Text(text) => text.clone(),
        QueryFrom::File(path) if path == Path::new("-") => read_all("standard input", std::io::stdin().lock())?,
        QueryFrom::File(path) => {
            let name = path.display().to_string();
            let file = open_regular(path, Links::Followed)
                .map_err(|e| query_failure(format!("read the question from {name}: {e}")))?;
            read_all(&name, file)?
        }
    };
    check(&text)
}

/// Checks that a question outside a conversation says what it is about. One that is blank is refused by others, as empty.
///
/// # Errors
/// [`Exit::Refused`] if it only asks: "Why?".
pub fn check_subject(query: &str) -> Result<(), CommandFailure> {
    match !query.trim().is_empty() && asks_about_nothing(query) {
        true => Err(query_failure(format!("What do you want to know? \"{}\" names nothing", printable(query)))
            .with_remedy("ask in a sentence, or continue a report: precis ask precis-out \"Why?\"")),
        false => Ok(()),
    }
}

fn check(text: &str) -> Result<String, CommandFailure> {
    let query = text.trim();
    let chars = query.chars().count();
    if query.is_empty() {
        return Err(query_failure("the question is empty".to_owned())
            .with_remedy("pass a question: --query \"What do the documents say about …?\""));
    }
    if chars > MAX_QUERY_CHARS {
        let message = format!("the question must have at most {MAX_QUERY_CHARS} characters, got {chars} or more");
        return Err(query_failure(message).with_remedy("ask in a few sentences, and pass long texts with --docs"));
    }
    if query.chars().any(|c| c == '\0') {
        return Err(query_failure("the question contains a NUL character".to_owned()));
    }
    Ok(query.to_owned())
}

fn read_all(name: &str, from: impl Read) -> Result<String, CommandFailure> {
    let mut bytes = Vec::new();
    from.take(MAX_QUERY_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|e| query_failure(format!("read the question from {name}: {e}")))?;
    // A truncated question is refused as too long later; its last character may be incomplete, which is not the error to report.
    let cut = bytes.len() as u64 == MAX_QUERY_BYTES;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) if cut => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        Err(_) => Err(query_failure(format!("the question in {name} is not UTF-8 text"))),
    }
}

fn query_failure(message: String) -> CommandFailure {
    CommandFailure::new(Exit::Refused, "invalid_query", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_one_to_ten_thousand_characters() {
        let exactly = "ä".repeat(MAX_QUERY_CHARS);
        for (text, fine) in [
            ("the", true),
            ("  why?\n", true),
            (exactly.as_str(), true),
            (&format!("{exactly}ä"), false),
            ("", false),
            (" \n\t", false),
            ("a\0b", false),
        ] {
            assert_eq!(check(text).is_ok(), fine, "{} characters", text.chars().count());
        }
        assert_eq!(check("  why?\n").expect("fine"), "why?");
    }

    #[test]
    fn a_long_stream_is_refused_without_being_read_whole() {
        let endless = std::io::repeat(b'a');
        let text = read_all("a stream", endless).expect("read in part");
        assert!(check(&text).is_err());
        assert!(read_all("x", &b"\xff\xfe"[..]).is_err());
    }
}
