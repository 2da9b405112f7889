//! Sources that are much less relevant than others, so that their best passages are enough.
//!
//! A language model would be paid to read them whole and find nothing. The decision does not depend on the budget, so a larger budget
//! never lowers a source, and it never applies to guarded sources: the most important and the protected ones are carried whole if they
//! fit.

use super::item::AllocationItem;

/// Most tokens of passages for such a source: about three passages.
const MOST_TOKENS: u64 = 320;
/// Least tokens of passages: about one.
const LEAST_TOKENS: u64 = 64;
/// Share of the highest relevance below which a source is set aside. Of 150 questions about papers, each among 7 or 19 others, one or two
/// had their answer in a source set aside; with 0.6, up to five (see docs/fidelity.md).
const ASIDE_SHARE: f64 = 0.5;
/// Least value of the highest relevance for this rule: below it, the sources answer in other words than the question's, if at all, and
/// relevance by words means little.
const LEAST_OF_BEST: f64 = 0.4;

/// The highest relevance of all items.
pub(super) fn highest<'a>(items: impl Iterator<Item = &'a AllocationItem>) -> f64 {
    items.filter_map(|item| item.relevance).fold(0.0, f64::max)
}

/// The tokens of passages that are enough for `item`, if the highest relevance is `highest`: half of its tokens, at most [`MOST_TOKENS`].
/// `None` if it is relevant enough, was already reduced, is no longer than a passage, or has no relevance.
pub(super) fn aside_tokens(item: &AllocationItem, highest: f64) -> Option<u64> {
    let is_whole = item.tokens >= item.whole_tokens;
    let is_low = item.relevance.is_some_and(|relevance| relevance < ASIDE_SHARE * highest);
    let tokens = (item.tokens / 2).min(MOST_TOKENS);
    (highest >= LEAST_OF_BEST && is_low && is_whole && tokens >= LEAST_TOKENS).then_some(tokens)
}
