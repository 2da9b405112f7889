//! Splits a text into the pieces that a vocabulary merges on their own: words, numbers, punctuation, white space.

use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

/// White space before anything but its end: the last character belongs to the next piece. The published patterns say so by a look-ahead,
/// which this engine lacks; here the character is matched and given back.
const SPACE_BEFORE: &str = r"\s+\s";
/// Index of [`SPACE_BEFORE`] among the patterns.
const GIVES_BACK: usize = 1;
/// Any other white space.
const SPACE: &str = r"\s+";

/// The pieces of texts under one vocabulary.
pub(super) struct PieceSplitter(Regex);

impl PieceSplitter {
    /// `words` is the pattern of pieces without the white space rules, which all vocabularies share.
    pub(super) fn new(words: &str) -> Self {
        Self(Regex::new_many(&[words, SPACE_BEFORE, SPACE]).expect("the patterns are well formed"))
    }

    /// The pieces of `text`, in order and without gaps.
    pub(super) fn split<'t>(&'t self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let found = self.0.find(Input::new(rest).anchored(Anchored::Yes))?;
            let matched = &rest[..found.end()];
            let end = match found.pattern().as_usize() {
                GIVES_BACK => matched.char_indices().next_back().map_or(0, |(at, _)| at),
                _ => matched.len(),
            };
            let (piece, after) = rest.split_at(end);
            rest = after;
            Some(piece)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_gives_its_last_character_to_the_piece_behind_it() {
        let splitter = PieceSplitter::new(r" ?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+$");
        for (text, pieces) in [
            ("one two", &["one", " two"][..]),
            ("one   two", &["one", "  ", " two"]),
            ("a \u{3000}b", &["a", " ", "\u{3000}", "b"]),
            ("a\t1234!  ", &["a", "\t", "123", "4", "!", "  "]),
            ("", &[]),
        ] {
            assert_eq!(splitter.split(text).collect::<Vec<_>>(), pieces, "{text:?}");
            assert_eq!(splitter.split(text).collect::<String>(), text);
        }
    }
}
