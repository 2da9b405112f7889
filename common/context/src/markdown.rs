//! Verbatim text inside Markdown, escaped so that a renderer shows exactly the text.
//!
//! Every character that could act as Markdown gets a backslash; nothing else changes, except that line breaks become spaces, as a renderer
//! shows them. To restore the text, remove each backslash before an ASCII punctuation mark ([`unescape`]). A citation is `[`, digits, `]`
//! without a backslash; brackets of the text itself always have one.
//!
//! ```
//! use precis_context::markdown::{escape, unescape};
//!
//! let text = "See [12] for a*b.";
//! assert_eq!(escape(text), r"See \[12\] for a\*b.");
//! assert_eq!(unescape(&escape(text)), text);
//! ```

/// `text` for the start or the inside of a Markdown paragraph, list item or heading.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut before: Option<char> = None;
    let marker = block_marker(text);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, c)| *c);
        if Some(at) == marker || acts(c, before, after) {
            escaped.push('\\');
        }
        escaped.push(if matches!(c, '\n' | '\r') { ' ' } else { c });
        before = Some(c);
    }
    escaped
}

/// The text that [`escape`] was given, except for line breaks.
#[must_use]
pub fn unescape(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut chars = markdown.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' || !chars.peek().is_some_and(char::is_ascii_punctuation) {
            text.push(c);
        } else if let Some(literal) = chars.next() {
            text.push(literal);
        }
    }
    text
}

/// Whether `c` could act between these neighbours. An underscore inside a word cannot.
fn acts(c: char, before: Option<char>, after: Option<char>) -> bool {
    match c {
        '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '|' | '~' | '$' | '#' | '^' => true,
        '_' => !(before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)),
        _ => false,
    }
}

/// Byte position of the character that would make the line a list, a rule or a definition, if any: `-`, `+`, `=`, `:`, or the mark after a
/// leading number.
fn block_marker(text: &str) -> Option<usize> {
    match text.chars().next()? {
        '-' | '+' | '=' | ':' => Some(0),
        '0'..='9' => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            text[digits..].starts_with(['.', ')']).then_some(digits)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Options, Parser};

    use super::*;

    fn rendered(markdown: &str) -> String {
        let mut text = String::new();
        for event in Parser::new_ext(markdown, Options::all() - Options::ENABLE_SMART_PUNCTUATION) {
            match event {
                Event::Text(part) => text.push_str(&part),
                Event::Start(_) | Event::End(_) => {}
                other => text.push_str(&format!("{other:?}")),
            }
        }
        text
    }

    #[test]
    fn what_is_escaped_reads_back_and_renders_as_it_was() {
        for text in [
            "plain words",
            "a *star* and _line_ and snake_case and `code`",
            "[12] and [a](b) and ![c](d) and [^1]",
            "# heading",
            "- item",
            "+ item",
            "1. item",
            "12) item",
            "= rule",
            "a < b && c > d <b>bold</b> &amp; &copy;",
            "| a | b |",
            "~~gone~~ $x^2$ and \\ and \\[ and \\*",
            ": definition",
            "==mark== ends with hash #",
            "see http://example.org/a_b_c_",
            "日本語の*文*です。",
            "__init__ is _private_",
        ] {
            let escaped = escape(text);
            assert_eq!(unescape(&escaped), text);
            assert_eq!(rendered(&escaped), text, "{escaped}");
            assert_eq!(rendered(&format!("- {escaped} [3]")), format!("{text} [3]"), "{escaped}");
            assert_eq!(rendered(&format!("## {escaped}")), text, "{escaped}");
        }
    }

    #[test]
    fn a_bracketed_number_of_the_text_is_no_citation() {
        assert_eq!(escape("as shown [12]"), "as shown \\[12\\]");
    }
}
