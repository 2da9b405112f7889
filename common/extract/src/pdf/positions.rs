//! Finds raised and lowered text within a line, by baseline and size: exponents, note marks, indices.

use super::super::runs::Position;
use super::glyph::LEFT_OUT;
use super::words::LineWord;

/// Largest size of raised or lowered type, relative to the word it belongs to.
const SMALL: f64 = 0.87;
/// Least distance of its baseline from that word's, in ems of that word: above it, and below it.
const RAISED_EM: f64 = 0.15;
const LOWERED_EM: f64 = 0.06;
/// Largest distance from that word, in ems: for numbers and signs, and for words of several letters, which may be small print beside it.
const GAP_EM: f64 = 0.4;
const LETTERS_GAP_EM: f64 = 0.12;
/// Words searched for the one a raised or lowered word belongs to: several may follow each other.
const REACH: usize = 3;

/// Where each word of a line stands, from its baseline and size beside the nearest larger word.
pub(super) fn positions(words: &[LineWord]) -> Vec<Position> {
    // The parts of a fraction are plain numbers.
    let of = |at: usize| if is_fraction(words, at) { Position::Baseline } else { position(words, at) };
    (0..words.len()).map(of).collect()
}

fn position(words: &[LineWord], at: usize) -> Position {
    let word = &words[at];
    let is_base = |base: &&LineWord| word.em <= SMALL * base.em && !base.text.starts_with(LEFT_OUT);
    let before = words[..at].iter().rev().take(REACH).find(is_base);
    let behind = words[at + 1..].iter().take(REACH).find(is_base);
    for base in [before, behind].into_iter().flatten() {
        let gap = (word.u0 - base.u1).max(base.u0 - word.u1);
        let up = base.v - word.v;
        let letters = word.text.chars().filter(|c| c.is_alphabetic()).count();
        let gap_em = if letters > 2 { LETTERS_GAP_EM } else { GAP_EM };
        if gap > gap_em * base.em + reach(words, base, word) {
            continue;
        }
        if up >= RAISED_EM * base.em {
            return Position::Raised;
        }
        if up <= -LOWERED_EM * base.em {
            return Position::Lowered;
        }
    }
    Position::Baseline
}

/// The width of the small words between a word and the one it belongs to.
fn reach(words: &[LineWord], base: &LineWord, word: &LineWord) -> f64 {
    let (lo, hi) = (base.u1.min(word.u1), base.u0.max(word.u0));
    words
        .iter()
        .filter(|between| between.em <= SMALL * base.em && between.u0 >= lo - 0.1 && between.u1 <= hi + 0.1)
        .map(|w| w.u1 - w.u0)
        .sum()
}

fn is_fraction(words: &[LineWord], at: usize) -> bool {
    let is_slash = |c: char| matches!(c, '/' | '⁄');
    let next = words.get(at + 1).is_some_and(|word| word.text.starts_with(is_slash));
    let last = at.checked_sub(1).is_some_and(|before| words[before].text.ends_with(is_slash));
    next || last || words[at].text.contains(is_slash)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::word;
    use super::*;

    /// Words with left edge, baseline and size; then where each stands.
    type PositionCase = (&'static [(&'static str, f64, f64, f64)], &'static [Position]);

    #[test]
    fn small_words_off_the_baseline_are_raised_or_lowered() {
        use Position::{Baseline, Lowered, Raised};
        let table: [PositionCase; 7] = [
            (&[("40", 0.0, 100.0, 10.0), ("1", 10.2, 96.0, 6.0)], &[Baseline, Raised]),
            (&[("CO", 0.0, 100.0, 10.0), ("2", 10.2, 102.0, 6.0)], &[Baseline, Lowered]),
            (&[("T", 0.0, 100.0, 10.0), ("HE", 5.2, 100.0, 8.0)], &[Baseline, Baseline]),
            (&[("1", 0.0, 96.0, 6.0), ("A", 3.4, 100.0, 10.0)], &[Raised, Baseline]),
            (
                &[("x", 0.0, 100.0, 10.0), ("1", 5.2, 96.0, 6.0), (",", 8.2, 96.0, 6.0), ("2", 11.2, 96.0, 6.0)],
                &[Baseline, Raised, Raised, Raised],
            ),
            (
                &[("1", 0.0, 96.0, 6.0), ("/", 3.0, 100.0, 10.0), ("2", 8.0, 100.0, 6.0)],
                &[Baseline, Baseline, Baseline],
            ),
            (&[("far", 0.0, 100.0, 10.0), ("off", 40.0, 96.0, 6.0)], &[Baseline, Baseline]),
        ];
        for (words, want) in table {
            let words: Vec<LineWord> = words.iter().map(|(text, u0, v, em)| word(text, *u0, *v, *em)).collect();
            assert_eq!(positions(&words), want, "{:?}", words.iter().map(|w| &w.text).collect::<Vec<_>>());
        }
    }
}
