//! Measures how much leaves say in sentences: menus, teasers and buttons name things, articles state them.

use precis_proto::BlockKind;
use precis_text::Leaf;

/// Fewest characters of a sentence; chosen: shorter ones are labels with a full stop.
const MIN_SENTENCE_CHARS: usize = 20;

/// Number of characters of `leaves` that belong to sentences or to rows of tables.
pub(super) fn sentence_chars(leaves: &[Leaf]) -> usize {
    leaves.iter().map(of_leaf).sum()
}

fn of_leaf(leaf: &Leaf) -> usize {
    match leaf.kind {
        BlockKind::Furniture | BlockKind::FormField | BlockKind::Heading => 0,
        BlockKind::TableRow | BlockKind::Code => leaf.text.chars().count(),
        _ => of_text(&leaf.text),
    }
}

/// Number of characters of `text` up to the end of its last sentence; 0 if it has none.
pub(super) fn of_text(text: &str) -> usize {
    let mut end = 0;
    let mut chars = text.chars().enumerate().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = match c {
            '.' | '!' | '?' => chars.peek().is_none_or(|(_, next)| !next.is_alphanumeric()),
            '。' | '！' | '？' | '।' | '؟' | '۔' => true,
            _ => false,
        };
        end = if ends { at + 1 } else { end };
    }
    if end < MIN_SENTENCE_CHARS { 0 } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_distinguished_from_names() {
        for (text, chars) in [
            ("The office is open on Mondays.", 30),
            ("The office is open on Mondays. And", 30),
            ("Older entries of the year", 0),
            ("Loading…", 0),
            ("Version 2.1 of the program", 0),
            ("船は七時に港を出て、島へ向かいます。毎日です。", 23),
        ] {
            assert_eq!(of_text(text), chars, "{text}");
        }
    }

    #[test]
    fn a_sentence_has_a_least_length() {
        for (chars, counted) in [
            (MIN_SENTENCE_CHARS - 1, 0),
            (MIN_SENTENCE_CHARS, MIN_SENTENCE_CHARS),
            (MIN_SENTENCE_CHARS + 1, MIN_SENTENCE_CHARS + 1),
        ] {
            assert_eq!(of_text(&format!("{}.", "a".repeat(chars - 1))), counted, "{chars}");
        }
    }
}
