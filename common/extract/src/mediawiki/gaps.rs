//! What a sentence lacks where a template is left out of it, and which values of one are sentences.

use super::pieces::MARK;
use crate::plain::ends_text;

/// Least number of characters of a sentence; chosen: shorter values are names and numbers.
const LEAST_SENTENCE_CHARS: usize = 20;

/// Whether something of a sentence is missing where a template with these `values` is left out between `before` and `rest` of a line. Nothing
/// is between two sentences. What is set to a word is a mark, such as that of a source or note, if it has no values, or sentences, or follows a comma.
pub(super) fn is_gap(before: &str, rest: &str, values: &[&str]) -> bool {
    let is_tight = before.ends_with(|c: char| !c.is_whitespace());
    let before = before.trim_end_matches([' ', '\t']);
    let is_between = before.is_empty() || before.ends_with('\n') || ends_text(before);
    if is_between && (ends_line(rest) || rest.starts_with(char::is_uppercase)) {
        return false;
    }
    let is_note = values.iter().all(|value| ends_text(value)) || before.ends_with(',') || ends_text(before);
    !(is_tight && is_note)
}

/// Whether nothing but the marks of notes and other pieces stands on the line that `rest` goes on with.
pub(super) fn ends_line(rest: &str) -> bool {
    let mut rest = rest;
    while let Some((_, behind)) = rest.strip_prefix(MARK).and_then(|mark| mark.split_once(MARK)) {
        rest = behind;
    }
    rest.is_empty() || rest.starts_with('\n')
}

pub(super) fn is_address(value: &str) -> bool {
    value.contains("://") && !value.contains(char::is_whitespace)
}

pub(super) fn is_sentence(value: &str) -> bool {
    let is_of_words = value.contains(char::is_whitespace) || !value.is_ascii();
    is_of_words && !is_address(value) && ends_text(value) && value.chars().nth(LEAST_SENTENCE_CHARS - 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_so_many_characters() {
        for (chars, is_it) in
            [(LEAST_SENTENCE_CHARS - 1, false), (LEAST_SENTENCE_CHARS, true), (LEAST_SENTENCE_CHARS + 1, true)]
        {
            assert_eq!(is_sentence(&format!("a {}.", "b".repeat(chars - 3))), is_it, "{chars}");
        }
    }

    #[test]
    fn marks_of_notes_do_not_go_on_with_a_line() {
        for (rest, is_end) in
            [("", true), ("\na", true), ("\u{7f}1\u{7f}\u{7f}2\u{7f}\n", true), ("\u{7f}1\u{7f}a", false)]
        {
            assert_eq!(ends_line(rest), is_end, "{rest}");
        }
    }
}
