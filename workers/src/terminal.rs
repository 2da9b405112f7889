//! Printing for people: results to standard output, everything else to standard error.
//!
//! Colour appears on a terminal only, and not where `NO_COLOR` is set. A reader that stops reading (`precis schema | head`) ends
//! the output, not the program.

use std::io::{self, Write};

use clap::builder::styling::{AnsiColor, Style, Styles};

use crate::exit::Failure;

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
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(crate::exit::Exit::Failed, "output_failed", format!("write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints why a command failed, and what to do about it.
pub fn print_failure(failure: &Failure) {
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

/// Text that does what it says: control characters, with which a file name could paint over the screen, become `\u{fffd}`.
#[must_use]
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_move_the_cursor() {
        assert_eq!(printable("a\u{1b}[2Jb\r\nc"), "a\u{fffd}[2Jb\u{fffd}\nc");
    }
}
