//! Fields at the head of a document: `Name: value` lines, as letters, standards and proposals have them.
//!
//! Canonical text has no line ends, so a field begins at a capitalized word that ends in a colon, and its value runs to the next field. In
//! a text that begins with a field in small letters, as front matter does, names may have small letters.

use precis_proto::CharRange;

/// Characters from the start of a document within which its head is expected; chosen, not measured.
pub(super) const HEAD_CHARS: usize = 2_500;
/// Most letters of a field's name.
const MAX_NAME: usize = 40;

/// A field in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedField<'t> {
    /// Letters and hyphens.
    pub name: &'t str,
    /// Without white space at its ends; may be empty.
    pub value: &'t str,
    /// First byte of the name.
    pub(super) at: usize,
}

impl NamedField<'_> {
    /// The characters of name, colon and value in `text`, the text it was parsed from.
    pub fn range(&self, text: &str) -> CharRange {
        let start = text[..self.at].chars().count();
        let behind = &text[self.at..];
        let colon = behind.find(':').map_or(behind.len(), |at| at + 1);
        let value = behind[colon..].find(self.value).map_or(colon, |at| colon + at);
        CharRange::new(start, start + behind[..value + self.value.len()].chars().count())
    }
}

/// The fields of `text`, in order; text before the first one is skipped.
pub fn fields(text: &str) -> Vec<NamedField<'_>> {
    let mut marks: Vec<(usize, usize)> = Vec::new();
    let first = text.split_whitespace().next().and_then(|word| word.strip_suffix(':'));
    let is_small = first.is_some_and(|name| is_name(name, true));
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        if word.strip_suffix(':').is_some_and(|name| is_name(name, is_small)) {
            marks.push((at, at + word.len()));
        }
        at += piece.len();
    }
    let ends = marks.iter().skip(1).map(|mark| mark.0).chain([text.len()]);
    let field = |((start, colon), end): (&(usize, usize), usize)| NamedField {
        name: &text[*start..colon - 1],
        value: text[*colon..end].trim(),
        at: *start,
    };
    marks.iter().zip(ends).map(field).collect()
}

fn is_name(word: &str, is_small: bool) -> bool {
    word.starts_with(|c: char| c.is_uppercase() || is_small && c.is_alphabetic())
        && word.chars().count() <= MAX_NAME
        && word.chars().all(|c| c.is_alphabetic() || c == '-')
        && word.ends_with(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_reaches_to_the_next_one() {
        let text = "PEP: 12 Title: A: of things Author: Ann <a@b.c> Superseded-By: 13 https://x.y/z: see :pep:`9`";
        let found: Vec<(&str, &str)> = fields(text).iter().map(|f| (f.name, f.value)).collect();
        assert_eq!(
            found,
            [
                ("PEP", "12"),
                ("Title", ""),
                ("A", "of things"),
                ("Author", "Ann <a@b.c>"),
                ("Superseded-By", "13 https://x.y/z: see :pep:`9`"),
            ]
        );
        let whole: Vec<String> = fields(text)
            .iter()
            .map(|f| f.range(text))
            .map(|range| text.chars().skip(range.start).take(range.len()).collect())
            .collect();
        assert_eq!(whole[..4], ["PEP: 12", "Title:", "A: of things", "Author: Ann <a@b.c>"]);
        assert!(fields("").is_empty());
        assert!(fields("no field: here").is_empty());
        let small: Vec<&str> =
            fields("eip: 20 title: A requires: 1, 2 Text. note: b").iter().map(|f| f.value).collect();
        assert_eq!(small, ["20", "A", "1, 2 Text.", "b"]);
        assert!(fields("A-: b 漢字 : c").is_empty());
    }
}
