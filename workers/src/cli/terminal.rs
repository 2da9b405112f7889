//! Terminal output: results go to standard output, everything else to standard error. Nothing printed here can control the terminal,
//! whatever a document, a model or another user put into it.
//!
//! Colours are used on a terminal only, and not if `NO_COLOR` is set. A closed pipe (`precis schema | head`) ends the output
//! without an error.

use std::io::{self, IsTerminal, Write};

use clap::builder::styling::{AnsiColor, Style, Styles};

use crate::cli::exit::CommandFailure;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HEADING: Style = AnsiColor::Green.on_default().bold();
const CODE: Style = AnsiColor::Cyan.on_default();

/// Returns the colours of the help texts.
#[must_use]
pub fn styles() -> Styles {
    Styles::styled().header(HEADING).usage(HEADING).literal(CODE).error(ERROR)
}

/// Prints a result for people on standard output; whatever could control the terminal is replaced, as by [`printable`].
///
/// # Errors
/// [`Exit::Failed`](crate::cli::exit::Exit::Failed) if writing fails, for example on a full disk. A closed pipe is not an error.
pub fn print(text: &str) -> Result<(), CommandFailure> {
    write(&printable_text(text))
}

/// Prints a result for programs on standard output; whatever could control the terminal is escaped, so the values stay the same.
///
/// # Errors
/// As [`print()`].
pub fn print_json(json: &str) -> Result<(), CommandFailure> {
    write(&json_safe(json))
}

/// Prints a result as [`print_json()`] if it is JSON, otherwise as [`print()`].
///
/// # Errors
/// As [`print()`].
pub fn print_as(is_json: bool, text: &str) -> Result<(), CommandFailure> {
    if is_json { print_json(text) } else { print(text) }
}

fn write(text: &str) -> Result<(), CommandFailure> {
    let mut stdout = anstream::stdout().lock();
    // Flushed here: nobody sees the error of a flush when the process exits.
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CommandFailure::new(
            crate::cli::exit::Exit::Failed,
            "output_failed",
            format!("write to standard output: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Prints why a command failed, and the remedy.
pub fn print_failure(failure: &CommandFailure) {
    let mut text = format!("{ERROR}error:{ERROR:#} {}\n", printable(&failure.message));
    if let Some(remedy) = &failure.remedy {
        text.push_str(&format!("  {CODE}try:{CODE:#} {}\n", printable(remedy)));
    }
    // If standard error is closed, the error cannot be reported anywhere else.
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Prints a warning on standard error.
pub fn print_warning(message: &str) {
    let text = format!("{WARNING}warning:{WARNING:#} {}\n", printable(message));
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Prints text unchanged on standard error, apart from the result.
pub fn print_aside(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Asks `question` on the terminal and returns whether the answer is yes. Without a terminal nobody can answer: the command was written
/// down, and counts as meant.
pub fn agrees(question: &str) -> bool {
    if !io::stdin().is_terminal() {
        return true;
    }
    let _ = write!(io::stderr(), "{question} [y/N] ");
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).is_ok() && is_yes(&answer)
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str())
}

/// Replaces control characters and bidirectional marks with `\u{fffd}`: a hostile file name could otherwise overwrite the screen or
/// reverse the text after it.
#[must_use]
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if controls_terminal(c) && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// As [`printable`], but keeps tabs, which scripts for shells and tables of a report contain.
fn printable_text(text: &str) -> String {
    text.split('\t').map(printable).collect::<Vec<_>>().join("\t")
}

/// Escapes the characters that JSON allows unescaped but that control a terminal: C1, DEL and bidirectional marks. Applied by
/// [`print_json()`].
#[must_use]
pub fn json_safe(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        // All of them are below 65,536, so four digits suffice; the line breaks of indented JSON are kept.
        if controls_terminal(c) && c != '\n' {
            safe.push_str(&format!("\\u{:04x}", u32::from(c)))
        } else {
            safe.push(c)
        }
    }
    safe
}

/// Returns whether `c` is a control character or a bidirectional mark.
fn controls_terminal(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_yes_is_a_yes() {
        for (answer, expected) in
            [("y\n", true), ("YES\n", true), ("\n", false), ("", false), ("n\n", false), ("yesterday", false)]
        {
            assert_eq!(is_yes(answer), expected, "{answer:?}");
        }
    }

    #[test]
    fn a_name_cannot_move_the_cursor() {
        assert_eq!(printable("a\u{1b}[2Jb\r\nc"), "a\u{fffd}[2Jb\u{fffd}\nc");
        assert_eq!(printable("a\u{9b}2Jb\u{7f}\u{202e}c"), "a\u{fffd}2Jb\u{fffd}\u{fffd}c");
    }

    #[test]
    fn a_result_for_people_keeps_lines_and_tabs_and_steers_nothing() {
        assert_eq!(
            printable_text("| a\tb |\n\u{9b}2J\u{1b}[0m\r\u{202e}é\n"),
            "| a\tb |\n\u{fffd}2J\u{fffd}[0m\u{fffd}\u{fffd}é\n"
        );
    }

    #[test]
    fn json_for_a_terminal_says_the_same_and_steers_nothing() {
        let value = serde_json::json!({ "a": "x\u{9b}31m\u{7f}\u{202e}\u{1b}[0m\u{85}ü" });
        for json in [value.to_string(), format!("{value:#}")] {
            let safe = json_safe(&json);
            assert!(!safe.chars().any(|c| controls_terminal(c) && c != '\n'), "{safe:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).expect("JSON"), value);
        }
    }
}
