//! Fields at the head of a document: `Name: value` lines, as letters, standards and proposals have them.
//!
//! Canonical text has no line ends, so a field begins at a capitalized word that ends in a colon, and its value runs to the next field. In
//! a text that begins with a field in small letters, as front matter does, names may have small letters.

use precis_language::words::{Unspaced, WrittenWord, split};
use precis_proto::CharRange;

/// Characters from the start of a document within which its head is expected; chosen, not measured.
pub const HEAD_CHARS: usize = 2_500;
/// Most letters of a field's name.
const MAX_NAME: usize = 40;
/// Most words of a label.
const LABEL_WORDS: usize = 3;

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

/// A label of one or several words, such as `Superseded by`, with the text behind its colon.
#[derive(Debug)]
pub(super) struct Label<'t> {
    /// Its words; a hyphen ends one.
    pub(super) words: Vec<WrittenWord<'t>>,
    /// First byte of the label in the text.
    pub(super) at: usize,
    /// First byte behind the colon in the text.
    pub(super) behind: usize,
}

/// The labels of `text`, in order, each as long as it can be: text has no line ends, so the words before a name may belong to the value
/// before it.
pub(super) fn labels(text: &str) -> Vec<Label<'_>> {
    let mut found = Vec::new();
    // First bytes of the last pieces, the oldest first, while they are words of letters.
    let mut run: Vec<usize> = Vec::new();
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let name = word.strip_suffix(':').filter(|name| is_name(name, true));
        if name.is_some() || is_name(word, true) {
            run.push(at);
            run.drain(..run.len().saturating_sub(LABEL_WORDS));
        } else {
            run.clear();
        }
        if name.is_some() {
            let (start, colon) = (run.first().copied().unwrap_or(at), at + word.len() - 1);
            let words = split(&text[start..colon], Unspaced::Joined, &[]);
            found.push(Label { words, at: start, behind: colon + 1 });
            run.clear();
        }
        at += piece.len();
    }
    found
}

/// Whether the names of fields in `text` have small letters: it begins with one that has.
fn has_small_names(text: &str) -> bool {
    let first = text.split_whitespace().next().and_then(|word| word.strip_suffix(':'));
    first.is_some_and(|name| is_name(name, true))
}

/// The fields of `text`, in order; text before the first one is skipped.
pub fn fields(text: &str) -> Vec<NamedField<'_>> {
    let mut marks: Vec<(usize, usize)> = Vec::new();
    let is_small = has_small_names(text);
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
    fn a_label_is_the_words_before_a_colon() {
        let text =
            "SPEC-1 Previous Proposal: SPEC-3 is old Review Manager: Ann Superseded-By: 4 : and so on the last one: x";
        let found: Vec<(String, &str)> = labels(text)
            .iter()
            .map(|label| {
                let words: Vec<&str> = label.words.iter().map(|word| word.text).collect();
                (words.join(" "), &text[label.behind..label.behind + 2])
            })
            .collect();
        let want = [
            ("Previous Proposal", " S"),
            ("old Review Manager", " A"),
            ("Ann Superseded By", " 4"),
            ("the last one", " x"),
        ];
        assert_eq!(found.iter().map(|(words, behind)| (words.as_str(), *behind)).collect::<Vec<_>>(), want);
        assert!(labels("").is_empty());
    }

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
