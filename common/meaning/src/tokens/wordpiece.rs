//! The longest pieces of each word, one after the other (WordPiece; Devlin et al., "BERT", 2018), as models of the family of BERT use it.
//!
//! What a model knows of characters comes with it, as tables: so equal files give equal tokens, whichever version of Unicode the program
//! was built with.

use super::index::{Index, Prefix};
use super::pieces::Pieces;
use super::ranges::Ranges;
use super::replaced::Replaced;
use super::special::Special;
use crate::limits::MAX_WORD;

/// Before every piece of a word but the first.
pub(crate) const CONTINUED: &[u8] = b"##";

/// What becomes of the characters of a text before it is divided into words, and where it is divided beside spaces.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Characters {
    /// Those that are removed.
    pub removed: Ranges,
    /// Those that become others: a small letter, a letter without its accent.
    pub replaced: Replaced,
    /// Those that are a word each, after they were replaced.
    pub alone: Ranges,
}

/// Pieces of words.
#[derive(Clone, Debug, PartialEq)]
pub struct WordPiece {
    pieces: Pieces,
    special: Special,
    characters: Characters,
    longest_word: u32,
    index: Index,
    longest: usize,
}

impl WordPiece {
    /// `longest_word` counts characters. `None` unless it is from one to [`MAX_WORD`], each special token is a piece, and the pieces can
    /// be looked up.
    pub fn new(pieces: Pieces, special: Special, longest_word: u32, characters: Characters) -> Option<Self> {
        let last = u32::try_from(pieces.count()).ok()?;
        let are_pieces = [special.begin, special.end, special.unknown].iter().all(|token| *token < last);
        if !are_pieces || !(1..=MAX_WORD as u32).contains(&longest_word) {
            return None;
        }
        let index = Index::new(&pieces)?;
        let longest = (0..pieces.count()).map(|token| pieces.piece(token).len()).max().unwrap_or(0);
        Some(Self { pieces, special, characters, longest_word, index, longest })
    }

    /// Its pieces.
    pub fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// Tokens with a part of their own.
    pub fn special(&self) -> Special {
        self.special
    }

    /// Most characters of a word that is known.
    pub fn longest_word(&self) -> u32 {
        self.longest_word
    }

    /// What it knows of characters.
    pub fn characters(&self) -> &Characters {
        &self.characters
    }

    /// The tokens of a text, without those around it.
    pub(super) fn tokens(&self, text: &str) -> Vec<u32> {
        let kept: String = text.chars().filter(|character| !self.characters.removed.has(*character)).collect();
        let (mut tokens, mut word) = (Vec::new(), String::new());
        for character in self.characters.replaced.apply(&kept) {
            let is_alone = self.characters.alone.has(character);
            if is_alone || character.is_whitespace() {
                self.divide(&std::mem::take(&mut word), &mut tokens);
            }
            if is_alone {
                self.divide(character.encode_utf8(&mut [0; 4]), &mut tokens);
            } else if !character.is_whitespace() {
                word.push(character);
            }
        }
        self.divide(&word, &mut tokens);
        tokens
    }

    /// Adds the pieces of a word; one unknown token if some part of it is no piece, or it is too long.
    fn divide(&self, word: &str, tokens: &mut Vec<u32>) {
        let before = tokens.len();
        if word.chars().nth(self.longest_word as usize).is_some() {
            tokens.push(self.special.unknown);
            return;
        }
        let mut from = 0;
        while from < word.len() {
            let Some((token, length)) = self.longest_piece(&word[from..], from > 0) else {
                tokens.truncate(before);
                tokens.push(self.special.unknown);
                return;
            };
            tokens.push(token);
            from += length;
        }
    }

    /// The longest piece with which `rest` begins, and its length in bytes.
    fn longest_piece(&self, rest: &str, is_continued: bool) -> Option<(u32, usize)> {
        let mut bytes = if is_continued { CONTINUED.to_vec() } else { Vec::new() };
        let before = bytes.len();
        let mut prefix = bytes.iter().fold(Prefix::EMPTY, |prefix, byte| prefix.with(*byte));
        let mut found = None;
        for character in rest.chars() {
            let start = bytes.len();
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            if bytes.len() > self.longest {
                break;
            }
            prefix = bytes[start..].iter().fold(prefix, |prefix, byte| prefix.with(*byte));
            if let Some(token) = self.index.find(&self.pieces, prefix, &bytes) {
                found = Some((token, bytes.len() - before));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pieces: &[&str], longest_word: u32) -> Option<WordPiece> {
        let (mut ends, mut bytes) = (Vec::new(), Vec::new());
        for piece in pieces {
            bytes.extend_from_slice(piece.as_bytes());
            ends.push(bytes.len() as u32);
        }
        let characters = Characters {
            removed: Ranges::of(|character| character == '\u{ad}')?,
            replaced: Replaced::new(vec![0x41], vec![1], vec![0x61])?,
            alone: Ranges::of(|character| character == '!')?,
        };
        let special = Special { begin: 0, end: 1, unknown: 2 };
        WordPiece::new(Pieces::new(ends, bytes)?, special, longest_word, characters)
    }

    // 3 to 9.
    const BASE: [&str; 10] = ["", "", "", "a", "ab", "##b", "##bc", "!", "##a", "é"];

    #[test]
    fn the_longest_piece_is_taken_and_the_rest_goes_on() {
        let words = of(&BASE, 5).expect("valid");
        assert_eq!(words.tokens("ab abbc aba"), [4, 4, 6, 4, 8]);
        assert_eq!(words.tokens("é"), [9]);
    }

    #[test]
    fn a_word_with_a_part_that_is_no_piece_is_unknown() {
        let words = of(&BASE, 5).expect("valid");
        assert_eq!(words.tokens("abx a b"), [2, 3, 2]);
    }

    #[test]
    fn characters_are_removed_replaced_and_divided_at() {
        let words = of(&BASE, 5).expect("valid");
        assert_eq!(words.tokens("A\u{ad}b!!\u{3000}a"), [4, 7, 7, 3]);
        assert_eq!(words.tokens(" \u{ad} "), [0_u32; 0]);
    }

    #[test]
    fn a_word_has_at_most_its_limit() {
        let words = of(&BASE, 5).expect("valid");
        for (length, first) in [(4, 3), (5, 3), (6, 2)] {
            assert_eq!(words.tokens(&"a".repeat(length))[0], first, "{length}");
        }
        for (most, is_fine) in [(0, false), (1, true), (MAX_WORD - 1, true), (MAX_WORD, true), (MAX_WORD + 1, false)] {
            assert_eq!(of(&BASE, most as u32).is_some(), is_fine, "{most}");
        }
    }

    #[test]
    fn special_tokens_must_be_pieces_here_too() {
        assert!(of(&BASE[..3], 5).is_some());
        assert!(of(&BASE[..2], 5).is_none());
    }
}
