//! Markup inside a block: links give their text, emphasis goes, what is struck out is not said, note marks lead to notes.

use super::super::runs::{Marks, Position, RunText};

/// The words of a block.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ShownLine {
    pub(super) words: RunText,
    /// Texts of notes written inside the block.
    pub(super) notes: Vec<String>,
    /// The last character before the mark being read.
    last: Option<char>,
}

impl ShownLine {
    fn push(&mut self, text: &str) {
        self.words.plain(text);
        self.last = text.chars().next_back().or(self.last);
    }
}

/// The words of `text`. One pass; what never ends is text.
pub(super) fn plain(text: &str) -> ShownLine {
    let mut shown = ShownLine::default();
    let mut rest = text;
    // Where no end was found for a mark once, none is searched for again: a line of a million marks would take hours.
    let mut without_end: Vec<char> = Vec::new();
    while let Some(at) = rest.find(['[', '*', '/', '_', '=', '~', '+', '^']) {
        shown.push(&rest[..at]);
        rest = &rest[at..];
        let mark = rest.chars().next().unwrap_or('[');
        let taken = match mark {
            _ if without_end.contains(&mark) => None,
            '[' => bracketed_len(rest, &mut shown),
            '^' | '_' if rest[1..].starts_with('{') => off_line(rest, mark, &mut shown),
            _ => emphasis(rest, mark, &mut shown),
        };
        let taken = taken.unwrap_or_else(|| {
            if !rest[1..].contains(if mark == '[' { ']' } else { mark }) {
                without_end.push(mark);
            }
            shown.push(&rest[..1]);
            1
        });
        rest = &rest[taken..];
    }
    shown.push(rest);
    shown
}

/// The length of the link, note mark or priority that `rest` begins with.
fn bracketed_len(rest: &str, shown: &mut ShownLine) -> Option<usize> {
    if let Some(inner) = rest.strip_prefix("[[") {
        let end = window(inner).find("]]")?;
        let (target, label) = inner[..end].split_once("][").unwrap_or((&inner[..end], ""));
        let file = target.split("::").next().unwrap_or_default();
        shown.words.begin_link(file.strip_prefix("file:").unwrap_or(file));
        shown.push(if label.is_empty() { target } else { label });
        shown.words.end_link();
        return Some(end + 4);
    }
    if let Some(inner) = rest.strip_prefix("[fn:") {
        let end = window(inner).find(']')?;
        match inner[..end].split_once(':') {
            Some((_, note)) => shown.notes.push(note.to_owned()),
            None => shown.words.note(&inner[..end]),
        }
        return Some(end + 5);
    }
    let is_priority = rest.starts_with("[#") && rest.get(3..4) == Some("]");
    is_priority.then(|| if rest.get(4..5) == Some(" ") { 5 } else { 4 })
}

/// The length of the raised or lowered text that `rest` begins with: `^{…}` or `_{…}`.
fn off_line(rest: &str, mark: char, shown: &mut ShownLine) -> Option<usize> {
    let end = window(&rest[2..]).find('}')?;
    let position = if mark == '^' { Position::Raised } else { Position::Lowered };
    shown.words.push(&rest[2..2 + end], Marks { position, ..Marks::default() });
    Some(end + 3)
}

/// Longest markup inside a line, in bytes; chosen: it bounds the search for an end.
const MAX_MARKUP_BYTES: usize = 1_000;

/// The part of `text` in which an end is searched.
fn window(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_MARKUP_BYTES)]
}

/// The length of the emphasis that `rest` begins with, by the characters around its marks.
fn emphasis(rest: &str, mark: char, shown: &mut ShownLine) -> Option<usize> {
    if mark == '^' {
        return None;
    }
    let opens = shown.last.is_none_or(|c| c.is_whitespace() || "-('\"{".contains(c));
    let inner = &rest[1..];
    if !opens || inner.starts_with(char::is_whitespace) {
        return None;
    }
    let closes = |at: usize| {
        let before = inner[..at].chars().next_back();
        let after = inner[at + 1..].chars().next();
        before.is_some_and(|c| !c.is_whitespace())
            && after.is_none_or(|c| c.is_whitespace() || "-.,;:!?'\")}[".contains(c))
    };
    let end = window(inner).match_indices(mark).map(|(at, _)| at).find(|at| closes(*at))?;
    let body = &inner[..end];
    match mark {
        '+' => shown.words.push(body, Marks { is_struck: true, ..Marks::default() }),
        // Verbatim text has no markup.
        '=' | '~' => shown.push(body),
        _ => {
            // One level is enough: marks inside marks are rare, and recursion has no bound.
            let inner: String = body.split(['*', '/', '_']).collect::<Vec<_>>().join("");
            shown.push(if is_nested(body) { &inner } else { body });
        }
    }
    Some(end + 2)
}

/// Whether all of `body` is emphasized once more.
fn is_nested(body: &str) -> bool {
    let mark = body.chars().next().filter(|c| "*/_".contains(*c));
    mark.is_some_and(|mark| body.len() > 2 && body.ends_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_words_stay() {
        for (text, want) in [
            ("We do *not* =a*b= ~c/d~.", "We do not a*b c/d."),
            ("a*b*c and 2 * 3 * 4", "a*b*c and 2 * 3 * 4"),
            ("see [[https://a.b][the /page/]], [[id:1]]", "see the /page/, id:1"),
            ("*/both/*", "both"),
            ("dogs are +not+ allowed", "dogs are allowed"),
            ("10^{6} CO_{2} a^b x_{", "10⁶ CO₂ a^b x_{"),
            ("a/b and /c", "a/b and /c"),
            ("one[fn:1] two[fn:: A note]", "one two"),
            ("[#A] first [1]", "first [1]"),
            ("[[open", "[[open"),
        ] {
            assert_eq!(plain(text).words.words().text, want, "{text}");
        }
        assert_eq!(plain("a[fn:x: A note]").notes, [" A note"]);
        assert_eq!(plain("+no t+").words.words().left_out.struck, 3);
        assert_eq!(plain("a[fn:x]").words.words().notes, ["x"]);
    }

    #[test]
    fn a_line_of_marks_ends() {
        for text in [
            "*a".repeat(200_000),
            " *a".repeat(200_000),
            "[[".repeat(200_000),
            "[fn:".repeat(200_000),
            "(/ ".repeat(200_000),
        ] {
            assert!(!plain(&text).words.is_blank());
        }
    }
}
