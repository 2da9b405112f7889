//! How near a thing in a passage stands to words of the question.

use precis_language::words::{Unspaced, WrittenWord, split};

use super::term_weights::PassageTerms;

/// Distance in words at which the bonus is halved.
const NEAR_WORDS: f64 = 6.0;
/// Factor for a thing in a passage without any word of the question.
const FAR: f64 = 0.5;

/// Positions of the question's words in a text.
pub(super) struct WordNearness {
    /// First byte of each word.
    words: Vec<usize>,
    /// Indexes of the words that are terms of the question, in [`WordNearness::words`].
    asked: Vec<usize>,
}

impl WordNearness {
    pub(super) fn new(text: &str, asked: &[String]) -> Self {
        let words = split(text, Unspaced::Joined, &[]);
        let is_asked = |word: &WrittenWord<'_>| {
            let held = PassageTerms::new(&[word.text]);
            asked.iter().any(|term| held.likeness(term) > 0.0)
        };
        let hits = words.iter().enumerate().filter(|(_, word)| is_asked(word)).map(|(at, _)| at).collect();
        Self { words: words.iter().map(|word| word.range.start).collect(), asked: hits }
    }

    /// WordNearness of byte `at` to the closest word of the question, from [`FAR`] to 1.
    pub(super) fn at(&self, at: usize) -> f64 {
        let word = self.words.partition_point(|start| *start < at);
        let nearest = self.asked.iter().map(|asked| asked.abs_diff(word)).min();
        nearest.map_or(FAR, |distance| FAR + (1.0 - FAR) / (1.0 + distance as f64 / NEAR_WORDS))
    }
}
