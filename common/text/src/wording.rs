//! In which words two statements differ that are nearly the same.
//!
//! Nearly the same words may say the opposite. So nothing is decided here but that the two are worth reading side by side.

use std::collections::BTreeSet;

use precis_language::words::{Unspaced, WrittenWord, split};

/// Least share of the words of both, in the same order, that near statements have in common. Chosen: one changed word of four, or a
/// negation more in eight, is near, and so are all pairs of `verify/twins.rs`.
const NEAR: f64 = 0.75;
/// Fewest words of a statement that is compared; headings and names are shorter.
const FEWEST_WORDS: usize = 4;
/// Signs within a word.
const INNER: [char; 2] = ['\'', '’'];
/// Most words of a statement that is compared. Bounds time, which is quadratic in it.
const MOST_WORDS: usize = 120;

/// A statement as its words in order, lower case; in scripts without spaces each character is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    words: Vec<String>,
    /// The same words in alphabetical order, to reject most pairs quickly.
    sorted: Vec<String>,
}

/// The words in which two near statements differ, each in the order of its statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordingDifference<'a> {
    /// Words that only the first has.
    pub first: Vec<&'a str>,
    /// Words that only the second has.
    pub second: Vec<&'a str>,
}

impl Wording {
    /// The words of `statement`.
    pub fn from_statement(statement: &str) -> Self {
        let words = split(statement, Unspaced::Characters, &INNER);
        let words: Vec<String> = words.iter().map(WrittenWord::lower).collect();
        let mut sorted = words.clone();
        sorted.sort_unstable();
        Self { words, sorted }
    }

    /// The difference between this statement and a near one; `None` if they are not near. Both lists are empty if the words are equal.
    pub fn difference<'a>(&'a self, other: &'a Self) -> Option<WordingDifference<'a>> {
        let (a, b) = (&self.words, &other.words);
        let is_compared = |words: &[String]| (FEWEST_WORDS..=MOST_WORDS).contains(&words.len());
        let least = NEAR * (a.len() + b.len()) as f64 / 2.0;
        if !is_compared(a) || !is_compared(b) || (self.common_words(other) as f64) < least {
            return None;
        }
        let common = common(a, b);
        (common.len() as f64 >= least).then(|| WordingDifference {
            first: without(a, common.iter().map(|(at, _)| *at)),
            second: without(b, common.iter().map(|(_, at)| *at)),
        })
    }

    /// Number of words in common, whatever their order: never less than what is common in order.
    fn common_words(&self, other: &Self) -> usize {
        let (mut shared, mut others) = (0, other.sorted.iter().peekable());
        for word in &self.sorted {
            while others.next_if(|other| *other < word).is_some() {}
            shared += usize::from(others.next_if_eq(&word).is_some());
        }
        shared
    }
}

/// A piece of one of two sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordingPiece<'t> {
    /// Its characters.
    pub text: &'t str,
    /// Whether the other sentence lacks its words.
    pub differs: bool,
}

/// Two sentences in pieces that join to them: words that only one of them has, and the text between these.
pub fn pieces<'t>(a: &'t str, b: &'t str) -> [Vec<WordingPiece<'t>>; 2] {
    let written = |text: &'t str| split(text, Unspaced::Characters, &INNER);
    let (first, second) = (written(a), written(b));
    let lower = |words: &[WrittenWord<'_>]| words.iter().map(WrittenWord::lower).collect::<Vec<_>>();
    let common = common(&lower(&first), &lower(&second));
    let (mine, theirs): (BTreeSet<usize>, BTreeSet<usize>) = common.into_iter().unzip();
    [cut(a, &first, &mine), cut(b, &second, &theirs)]
}

/// `text` cut where words outside `common` begin and end; such words that follow each other are one piece.
fn cut<'t>(text: &'t str, words: &[WrittenWord<'t>], common: &BTreeSet<usize>) -> Vec<WordingPiece<'t>> {
    let (mut pieces, mut done, mut at) = (Vec::new(), 0, 0);
    while at < words.len() {
        let run = (at..words.len()).take_while(|word| !common.contains(word)).count();
        if run > 0 {
            let (start, end) = (words[at].range.start, words[at + run - 1].range.end);
            pieces.push(WordingPiece { text: &text[done..start], differs: false });
            pieces.push(WordingPiece { text: &text[start..end], differs: true });
            done = end;
        }
        at += run.max(1);
    }
    pieces.push(WordingPiece { text: &text[done..], differs: false });
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

/// The places of a longest common subsequence of `a` and `b` (Wagner and Fischer 1974), in order.
fn common(a: &[String], b: &[String]) -> Vec<(usize, usize)> {
    // `longest[i][j]` is the length for `a[i..]` and `b[j..]`.
    let mut longest = vec![vec![0_usize; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i][j] = match a[i] == b[j] {
                true => longest[i + 1][j + 1] + 1,
                false => longest[i + 1][j].max(longest[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut places) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            places.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if longest[i + 1][j] >= longest[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    places
}

fn without(words: &[String], places: impl Iterator<Item = usize>) -> Vec<&str> {
    let held: BTreeSet<usize> = places.collect();
    words.iter().enumerate().filter(|(at, _)| !held.contains(at)).map(|(_, word)| word.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(a: &str, b: &str) -> Option<(String, String)> {
        let (a, b) = (Wording::from_statement(a), Wording::from_statement(b));
        a.difference(&b).map(|found| (found.first.join(" "), found.second.join(" ")))
    }

    #[test]
    fn near_statements_differ_in_the_words_that_only_one_has() {
        for (a, b, want) in [
            ("The supplier pays for the delay.", "The buyer pays for the delay.", Some(("supplier", "buyer"))),
            ("It is safe for all of them.", "It is not safe for all of them.", Some(("", "not"))),
            ("The valve is open.", "The valve is closed.", Some(("open", "closed"))),
            ("The supplier pays the buyer.", "The buyer pays the supplier.", None),
            ("Pay it.", "Pay them.", None),
            ("The drug lowers the pressure.", "Ice melts in the sun.", None),
            ("It is so in the end.", "It is so, in the end!", Some(("", ""))),
            ("契約により売主は損害を負う。", "契約により売主は損害を負わない。", Some(("う", "わ な い"))),
        ] {
            let want = want.map(|(a, b)| (a.to_owned(), b.to_owned()));
            assert_eq!(difference(a, b), want, "{a} / {b}");
        }
    }

    #[test]
    fn the_pieces_join_to_the_sentences_with_only_their_words() {
        for (a, b, want) in [
            ("The supplier pays.", "The buyer pays.", ["The [supplier] pays.", "The [buyer] pays."]),
            ("It is safe.", "It is  not at all safe!", ["It is safe.", "It is  [not at all] safe!"]),
            ("A b", "C d", ["[A b]", "[C d]"]),
            ("負う。", "負わない。", ["負[う]。", "負[わない]。"]),
            ("", "…", ["", "…"]),
        ] {
            let shown = pieces(a, b).map(|pieces| {
                let piece = |piece: WordingPiece<'_>| match piece.differs {
                    true => format!("[{}]", piece.text),
                    false => piece.text.to_owned(),
                };
                pieces.into_iter().map(piece).collect::<String>()
            });
            assert_eq!(shown, want);
        }
    }

    #[test]
    fn statements_at_the_limits_are_compared_and_those_beyond_are_not() {
        let of = |words: usize, last: &str| {
            (1..words).map(|n| format!("w{n}")).chain([last.to_owned()]).collect::<Vec<_>>().join(" ")
        };
        for (words, is_compared) in [(3, false), (4, true), (5, true), (119, true), (120, true), (121, false)] {
            assert_eq!(difference(&of(words, "x"), &of(words, "y")).is_some(), is_compared, "{words}");
        }
    }

    #[test]
    fn the_quick_test_never_rejects_what_the_slow_one_finds() {
        let mut seed = 7_u64;
        let mut dice = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..2_000 {
            let mut text = || (0..4 + dice(12)).map(|_| format!("w{}", dice(6))).collect::<Vec<_>>().join(" ");
            let (a, b) = (Wording::from_statement(&text()), Wording::from_statement(&text()));
            assert!(common(&a.words, &b.words).len() <= a.common_words(&b), "{a:?} {b:?}");
        }
    }
}
