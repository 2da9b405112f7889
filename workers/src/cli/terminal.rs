//! Printing for people: results to standard output, everything else to standard error.
//!
//! Colour appears on a terminal only, and not where `NO_COLOR` is set. A reader that stops reading (`precis schema | head`) ends
//! the output, not the program.

use std::io::{self, Write};

use clap::builder::styling::{AnsiColor, Style, Styles};

use crate::cli::exit::CommandFailure;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HEADING: Style = AnsiColor::Green.on_default().bold();
const CODE: Style = AnsiColor::Cyan.on_default();

/// Colours of the help texts.
#[must_use]
pub fn styles() -> Styles {
    Styles::styled().header(HEADING).usage(HEADING).literal(CODE).error(ERROR)
}

/// Prints a result.
///
/// # Errors
/// Standard output takes no more, for another reason than that nobody reads it: a full disk, for one.
pub fn print(text: &str) -> Result<(), CommandFailure> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CommandFailure::new(
            crate::cli::exit::Exit::Failed,
            "output_failed",
            format!("write to standard output: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Prints why a command failed, and what to do about it.
pub fn print_failure(failure: &CommandFailure) {
    let mut text = format!("{ERROR}error:{ERROR:#} {}\n", printable(&failure.message));
    if let Some(remedy) = &failure.remedy {
        text.push_str(&format!("  {CODE}try:{CODE:#} {}\n", printable(remedy)));
    }
    // Nobody is left to tell where standard error is gone.
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Prints something that went less well than asked.
pub fn print_warning(message: &str) {
    let text = format!("{WARNING}warning:{WARNING:#} {}\n", printable(message));
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Prints something beside the result, as it is.
pub fn print_aside(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Text that does what it says: control characters, with which a file name could paint over the screen, and marks that turn the
/// direction of what follows become `\u{fffd}`.
#[must_use]
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if steers(c) && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// JSON in which no character steers a terminal: those that JSON allows as they are (C1, DEL, marks of direction) are escaped.
#[must_use]
pub fn json_safe(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        // All of them lie below 65,536, and none is a line break of printed JSON.
        if steers(c) && c != '\n' { safe.push_str(&format!("\\u{:04x}", u32::from(c))) } else { safe.push(c) }
    }
    safe
}

/// Whether `c` moves a cursor, ends a line, or turns the direction of writing.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_move_the_cursor() {
        assert_eq!(printable("a\u{1b}[2Jb\r\nc"), "a\u{fffd}[2Jb\u{fffd}\nc");
        assert_eq!(printable("a\u{9b}2Jb\u{7f}\u{202e}c"), "a\u{fffd}2Jb\u{fffd}\u{fffd}c");
    }

    #[test]
    fn json_for_a_terminal_says_the_same_and_steers_nothing() {
        let value = serde_json::json!({ "a": "x\u{9b}31m\u{7f}\u{202e}\u{1b}[0m\u{85}ü" });
        for json in [value.to_string(), format!("{value:#}")] {
            let safe = json_safe(&json);
            assert!(!safe.chars().any(|c| steers(c) && c != '\n'), "{safe:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).expect("JSON"), value);
        }
    }
}
