//! The likeliest way to divide a text into pieces (SentencePiece's Unigram; Kudo, "Subword Regularization", 2018), as models of the family of
//! XLM-RoBERTa use it. The algorithm is Viterbi's.

use super::index::{Index, Prefix};
use super::pieces::Pieces;
use super::replaced::Replaced;
use super::special::Special;

/// Stands for a space within pieces.
pub(crate) const SPACE: char = '\u{2581}';
/// How much less likely than the least likely piece a character is that no piece has. Of SentencePiece.
const UNKNOWN_PENALTY: f32 = 10.0;

/// What becomes of the spaces of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Spaces {
    /// Never two of them.
    #[default]
    Single,
    /// Never two of them, and none at the end.
    Trimmed,
    /// As [`Self::Trimmed`], and everything that Unicode calls white space is one.
    Words,
    /// As many as there are.
    All,
}

/// In what the tokenizers of this family differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Manner {
    /// What becomes of spaces.
    pub spaces: Spaces,
    /// Whether characters of a word that no piece has are one unknown token together.
    pub joins_unknown: bool,
}

/// Pieces with the logarithm of the likelihood of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Unigram {
    pieces: Pieces,
    scores: Vec<f32>,
    special: Special,
    replaced: Replaced,
    manner: Manner,
    index: Index,
    longest: usize,
    unknown_score: f32,
}

/// The best way to a place of a text.
#[derive(Clone, Copy)]
struct Way {
    score: f32,
    token: u32,
    from: usize,
}

impl Unigram {
    /// `None` unless there is one score a piece, each special token is a piece, and the pieces can be looked up.
    pub fn new(pieces: Pieces, scores: Vec<f32>, special: Special, replaced: Replaced) -> Option<Self> {
        let last = u32::try_from(pieces.count()).ok()?;
        let is_fine = scores.len() == pieces.count()
            && [special.begin, special.end, special.unknown].iter().all(|token| *token < last);
        if !is_fine {
            return None;
        }
        let index = Index::new(&pieces)?;
        let longest = (0..pieces.count()).map(|token| pieces.piece(token).len()).max().unwrap_or(0);
        let unknown_score = scores.iter().copied().fold(f32::INFINITY, f32::min) - UNKNOWN_PENALTY;
        let manner = Manner::default();
        Some(Self { pieces, scores, special, replaced, manner, index, longest, unknown_score })
    }

    /// The same in another manner.
    #[must_use]
    pub fn with_manner(self, manner: Manner) -> Self {
        Self { manner, ..self }
    }

    /// In what it differs from others.
    pub fn manner(&self) -> Manner {
        self.manner
    }

    /// Its pieces.
    pub fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// One a piece.
    pub fn scores(&self) -> &[f32] {
        &self.scores
    }

    /// Tokens with a part of their own.
    pub fn special(&self) -> Special {
        self.special
    }

    /// Characters that are known in another form.
    pub fn replacements(&self) -> &Replaced {
        &self.replaced
    }

    /// The tokens of a text, without those around it.
    pub(super) fn tokens(&self, text: &str) -> Vec<u32> {
        let (bytes, starts) = self.prepare(text);
        let count = starts.len() - 1;
        let mut ways = vec![Way { score: f32::NEG_INFINITY, token: self.special.unknown, from: 0 }; count + 1];
        ways[0].score = 0.0;
        // No piece is empty, so every way to a place is known before one goes on from it.
        for from in 0..count {
            self.extend(&mut ways, from, &bytes, &starts);
        }
        let mut tokens = Vec::new();
        let mut at = count;
        while at > 0 {
            debug_assert!(ways[at].from < at, "every way comes from an earlier place");
            let Way { token, from, .. } = ways[at];
            let is_joined = self.manner.joins_unknown
                && token == self.special.unknown
                && ways[from].token == token
                && from > 0
                && !begins_word(&bytes[starts[from]..]);
            if !is_joined {
                tokens.push(token);
            }
            at = from;
        }
        tokens.reverse();
        tokens
    }

    /// Ways that go on from a place: with each piece that begins there, and with one unknown character.
    fn extend(&self, ways: &mut [Way], from: usize, bytes: &[u8], starts: &[usize]) {
        let score = ways[from].score;
        let start = starts[from];
        let mut prefix = Prefix::EMPTY;
        for to in from + 1..starts.len() {
            let end = starts[to];
            if end - start > self.longest {
                break;
            }
            prefix = bytes[starts[to - 1]..end].iter().fold(prefix, |prefix, byte| prefix.with(*byte));
            let Some(token) = self.index.find(&self.pieces, prefix, &bytes[start..end]) else { continue };
            let score = score + self.scores[token as usize];
            if token != self.special.unknown && score > ways[to].score {
                ways[to] = Way { score, token, from };
            }
        }
        // Always possible, so that no place is without a way, whatever the text.
        let score = score + self.unknown_score;
        if score > ways[from + 1].score {
            ways[from + 1] = Way { score, token: self.special.unknown, from };
        }
    }

    /// The text as pieces have it, and where each character begins, with the end as the last. A space stands before every word, also the
    /// first.
    fn prepare(&self, text: &str) -> (Vec<u8>, Vec<usize>) {
        let mut characters = self.replaced.apply(text);
        self.space(&mut characters);
        let mut bytes = Vec::with_capacity(characters.len() * 2);
        let mut starts = Vec::with_capacity(characters.len() + 1);
        for character in characters {
            starts.push(bytes.len());
            let shown = if character == ' ' { SPACE } else { character };
            bytes.extend_from_slice(shown.encode_utf8(&mut [0; 4]).as_bytes());
        }
        starts.push(bytes.len());
        (bytes, starts)
    }

    fn space(&self, characters: &mut Vec<char>) {
        let spaces = self.manner.spaces;
        if spaces == Spaces::Words {
            characters.iter_mut().filter(|character| character.is_whitespace()).for_each(|character| *character = ' ');
        }
        if spaces != Spaces::All {
            characters.dedup_by(|a, b| *a == ' ' && *b == ' ');
        }
        if matches!(spaces, Spaces::Trimmed | Spaces::Words) {
            while characters.pop_if(|last| last.is_whitespace()).is_some() {}
        }
        let is_spaced = match characters.first() {
            Some(first) => *first == ' ' || (*first == SPACE && spaces != Spaces::Single),
            None => spaces != Spaces::Single,
        };
        if !is_spaced {
            characters.insert(0, ' ');
        }
    }
}

/// Whether these bytes of a prepared text are the beginning of a word.
fn begins_word(bytes: &[u8]) -> bool {
    bytes.starts_with(SPACE.encode_utf8(&mut [0; 4]).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pieces: &[(&str, f32)]) -> Unigram {
        let mut ends = Vec::new();
        let mut bytes = Vec::new();
        for (piece, _) in pieces {
            bytes.extend_from_slice(piece.as_bytes());
            ends.push(bytes.len() as u32);
        }
        let scores = pieces.iter().map(|(_, score)| *score).collect();
        let special = Special { begin: 0, end: 1, unknown: 2 };
        let map = Replaced::new(vec![0x09], vec![1], vec![0x20]).expect("valid");
        Unigram::new(Pieces::new(ends, bytes).expect("valid"), scores, special, map).expect("valid")
    }

    const BASE: [(&str, f32); 8] = [
        ("<s>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        ("▁", -2.0),
        ("a", -3.0),
        ("b", -3.0),
        ("ab", -4.0),
        ("▁ab", -9.5),
    ];

    #[test]
    fn the_likeliest_way_wins() {
        // "▁" and "ab" together are likelier than "▁ab".
        assert_eq!(of(&BASE).tokens("ab"), [3, 6]);
        let mut likelier = BASE;
        likelier[7].1 = -5.5;
        assert_eq!(of(&likelier).tokens("ab"), [7]);
    }

    #[test]
    fn what_no_piece_has_is_unknown_and_the_rest_is_not() {
        assert_eq!(of(&BASE).tokens("aξb"), [3, 4, 2, 5]);
        assert_eq!(of(&BASE).tokens("ξξ"), [3, 2, 2]);
    }

    #[test]
    fn spaces_and_their_substitutes_become_one() {
        let unigram = of(&BASE);
        assert_eq!(unigram.tokens("a  \t b"), unigram.tokens(" a b"));
        assert_eq!(unigram.tokens(""), [3]);
    }

    #[test]
    fn each_manner_has_its_spaces() {
        let tokens = |spaces, text: &str| of(&BASE).with_manner(Manner { spaces, joins_unknown: false }).tokens(text);
        let text = " a  b ";
        assert_eq!(tokens(Spaces::Single, text), [3, 4, 3, 5, 3]);
        assert_eq!(tokens(Spaces::Trimmed, text), [3, 4, 3, 5]);
        assert_eq!(tokens(Spaces::All, text), [3, 4, 3, 3, 5, 3]);
        // A space that no map replaces is a character like others, except where words are divided at it.
        assert_eq!(tokens(Spaces::Trimmed, "a\u{2003}b"), [3, 4, 2, 5]);
        assert_eq!(tokens(Spaces::Words, "\u{2003}a \u{2003}b\u{2003}"), [3, 4, 3, 5]);
        for spaces in [Spaces::Trimmed, Spaces::Words, Spaces::All] {
            assert_eq!(tokens(spaces, ""), [0_u32; 0]);
            assert_eq!(tokens(spaces, "▁a"), [3, 4]);
        }
    }

    #[test]
    fn unknown_characters_of_a_word_are_joined_where_the_model_does_so() {
        let joined = of(&BASE).with_manner(Manner { spaces: Spaces::Words, joins_unknown: true });
        assert_eq!(joined.tokens("ξξ ξξaξ"), [3, 2, 3, 2, 4, 2]);
        let mut without_space = BASE;
        without_space[3].0 = "x";
        without_space[7].0 = "y";
        let joined = of(&without_space).with_manner(Manner { spaces: Spaces::Words, joins_unknown: true });
        assert_eq!(joined.tokens("ξξ ξ"), [2, 2]);
    }

    #[test]
    fn special_tokens_must_be_pieces_and_every_piece_has_a_score() {
        let fine = of(&BASE);
        let beyond = Special { begin: 8, end: 1, unknown: 2 };
        assert!(Unigram::new(fine.pieces.clone(), fine.scores.clone(), beyond, Replaced::default()).is_none());
        assert!(Unigram::new(fine.pieces.clone(), vec![0.0; 7], fine.special, Replaced::default()).is_none());
    }
}
