//! The likeliest way to divide a text into pieces (SentencePiece's Unigram; Kudo, "Subword Regularization", 2018), as models of the family of
//! XLM-RoBERTa use it. The algorithm is Viterbi's.

use super::index::{Index, Prefix};
use super::pieces::Pieces;
use super::replaced::Replaced;
use super::special::Special;

/// Stands for a space within pieces.
const SPACE: char = '\u{2581}';
/// How much less likely than the least likely piece a character is that no piece has. Of SentencePiece.
const UNKNOWN_PENALTY: f32 = 10.0;

/// Pieces with the logarithm of the likelihood of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Unigram {
    pieces: Pieces,
    scores: Vec<f32>,
    special: Special,
    replaced: Replaced,
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
        Some(Self { pieces, scores, special, replaced, index, longest, unknown_score })
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
            tokens.push(ways[at].token);
            at = ways[at].from;
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
    /// first, and never two of them.
    fn prepare(&self, text: &str) -> (Vec<u8>, Vec<usize>) {
        let mut characters = self.replaced.apply(text);
        characters.dedup_by(|a, b| *a == ' ' && *b == ' ');
        if characters.first() != Some(&' ') {
            characters.insert(0, ' ');
        }
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
    fn special_tokens_must_be_pieces_and_every_piece_has_a_score() {
        let fine = of(&BASE);
        let beyond = Special { begin: 8, end: 1, unknown: 2 };
        assert!(Unigram::new(fine.pieces.clone(), fine.scores.clone(), beyond, Replaced::default()).is_none());
        assert!(Unigram::new(fine.pieces.clone(), vec![0.0; 7], fine.special, Replaced::default()).is_none());
    }
}
