//! Sources of which the best passages are enough: they have much less to do with the question than others.
//!
//! A language model that reads all of them is paid to find nothing there. What is said here holds under any budget, so that more
//! budget lowers nobody, and never of the guarded ones: the most important and the protected are carried whole where they fit.

use super::item::AllocationItem;

/// Tokens of passages that such a source is carried in at most: about three.
const MOST_TOKENS: u64 = 320;
/// Tokens of passages at least: about one.
const LEAST_TOKENS: u64 = 64;
/// Share of the highest relevance below which a source stands aside. Of 150 questions about papers, each among 7 or 19 others, one or two
/// had their answer in one that did; with 0.6 up to five (see docs/fidelity.md).
const ASIDE_SHARE: f64 = 0.5;
/// The highest relevance from which on that is so: below it, the sources answer in other words than the question's, if at all, and what
/// words say of them means little.
const LEAST_OF_BEST: f64 = 0.4;

/// The highest relevance of all.
pub(super) fn highest<'a>(items: impl Iterator<Item = &'a AllocationItem>) -> f64 {
    items.filter_map(|item| item.relevance).fold(0.0, f64::max)
}

/// The tokens in which passages of `item` are enough, where the highest relevance is `highest`: half of them, and no more than three
/// passages take. `None` for what was reduced already, is no longer than a passage, or whose relevance is not to count: it is carried as it
/// is.
pub(super) fn aside_tokens(item: &AllocationItem, highest: f64) -> Option<u64> {
    let is_whole = item.tokens >= item.whole_tokens;
    let is_low = item.relevance.is_some_and(|relevance| relevance < ASIDE_SHARE * highest);
    let tokens = (item.tokens / 2).min(MOST_TOKENS);
    (highest >= LEAST_OF_BEST && is_low && is_whole && tokens >= LEAST_TOKENS).then_some(tokens)
}
