//! Reference marks behind the end of a sentence: `[12]`, `[note 3]`, `¹²`, `*`. They belong to the sentence before them.

use precis_language::abbreviation::marks_reference;

use super::end_marks::{is_closer, is_end_mark};

/// Most bytes between the brackets of a reference mark.
const MARK_BYTES: usize = 24;

/// Moves a break that fell in front of reference marks or into the first of them (`ended.[|12] Next`) behind them and the white space
/// after them.
pub(super) fn past_marks(text: &str, proposed: usize) -> usize {
    // The segmenter treats an opening bracket as a closing mark of the sentence.
    let from = if text[..proposed].ends_with('[') { proposed - 1 } else { proposed };
    let mut rest = &text[from..];
    loop {
        let glued = rest.trim_start_matches(is_small_mark);
        let is_free = |after: &str| after.is_empty() || after.starts_with([' ', '\u{a0}', '\n', '[']);
        if glued.len() < rest.len() && is_free(glued) && text[..text.len() - rest.len()].ends_with(['.', '!', '?', ']'])
        {
            rest = glued;
        }
        let Some(after) = rest.trim_start().strip_prefix('[').and_then(behind) else { break };
        if !is_free(after) {
            break;
        }
        rest = after;
    }
    let end = text.len() - rest.len();
    if end == from { proposed } else { text.len() - rest.trim_start().len() }
}

/// The text behind the mark whose inside begins at `rest`; `None` if it is not a reference mark.
fn behind(rest: &str) -> Option<&str> {
    let close = rest.char_indices().take(MARK_BYTES).find(|(_, c)| *c == ']').map(|(at, _)| at)?;
    is_mark(&rest[..close]).then(|| &rest[close + 1..])
}

/// Whether `content`, found between brackets, is a reference: numbers, one small letter, or a word for it, or several of these.
fn is_mark(content: &str) -> bool {
    if matches!(content, "…" | "...") || marks_reference(content) {
        return true;
    }
    let is_part = |part: &str| {
        let numeric = part.bytes().any(|b| b.is_ascii_digit()) && part.bytes().all(|b| b.is_ascii_alphanumeric());
        numeric || (part.len() == 1 && part.bytes().all(|b| b.is_ascii_lowercase())) || marks_reference(part)
    };
    let mut parts = content.split([' ', ',', ';', '-', '–', ':', '.']).filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(is_part)
}

/// Whether `c` is a reference mark that needs no brackets.
fn is_small_mark(c: char) -> bool {
    matches!(c, '*' | '†' | '‡' | '¹' | '²' | '³' | '⁰' | '⁴'..='⁹')
}

/// `body` without the reference marks behind its end mark: `ended.[12][n 3]`. Marks behind a word stay.
pub(super) fn without_marks(body: &str) -> &str {
    let mut rest = body;
    loop {
        let bare = rest.trim_end_matches(is_small_mark);
        let Some(inner) = bare.strip_suffix(']') else {
            rest = bare;
            break;
        };
        match inner.char_indices().rev().take(MARK_BYTES).find(|(_, c)| *c == '[') {
            Some((open, _)) if open > 0 && is_mark(&inner[open + 1..]) => rest = inner[..open].trim_end(),
            _ => break,
        }
    }
    let is_end = rest.ends_with(|c| is_end_mark(c) || is_closer(c));
    if is_end { rest } else { body }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_distinguished_from_content() {
        for (content, mark) in [
            ("12", true),
            ("12, 13", true),
            ("3-5", true),
            ("a", true),
            ("note 3", true),
            ("12a", true),
            ("citation needed", true),
            ("Not", false),
            ("A", false),
            ("", false),
            ("no", false),
            ("emphasis added", false),
        ] {
            assert_eq!(is_mark(content), mark, "{content}");
        }
    }

    #[test]
    fn marks_behind_an_end_go_and_marks_behind_a_word_stay() {
        for (body, bare) in [
            ("It ended.[12] [3]", "It ended."),
            ("It ended.”²", "It ended.”"),
            ("as in [12]", "as in [12]"),
            ("a surface of 3 m²", "a surface of 3 m²"),
            ("It ended. [Not all]", "It ended. [Not all]"),
        ] {
            assert_eq!(without_marks(body), bare);
        }
    }
}
