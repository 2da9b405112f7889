//! How much of a document is read beyond its digest.
//!
//! A digest carries a handful of snippets whatever the room. Where a session's evidence is small against its budget, that
//! is a thin report for no gain; so the reduction that travels on holds further passages, and counts them.

use precis_proto::CharRange;

use crate::evidence::RankedChunk;

/// Most tokens of a digest and its further passages together that the built-in model is given: some 24 passages beside the digest, from
/// which a report of 1,500 tokens is chosen with care (chosen, not measured). A language model gets what the budget holds.
pub const BUILT_IN_SHARE_TOKENS: u64 = 4_400;

/// Of `ranked`, best first, those that lie outside of `held` and fit into `tokens` together as `count` counts them.
#[must_use]
pub fn further_passages(
    ranked: Vec<RankedChunk>,
    held: &[CharRange],
    tokens: u64,
    count: &dyn Fn(&str) -> u64,
) -> Vec<RankedChunk> {
    let mut left = tokens;
    let is_fresh = |range: CharRange| held.iter().all(|h| range.end <= h.start || h.end <= range.start);
    let fitting = ranked.into_iter().filter(|chunk| {
        let cost = count(&chunk.text);
        let fits = is_fresh(chunk.range) && cost <= left;
        if fits {
            left -= cost;
        }
        fits
    });
    fitting.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Ranker, rank_widely};
    use crate::text::CanonicalText;

    #[test]
    fn further_passages_lie_outside_of_the_snippets_and_within_their_tokens() {
        let text = CanonicalText::from_plain(&"The solar panel gives heat to the house. ".repeat(80));
        let ranked = rank_widely(&text, "solar panel", Ranker::Overlap, 400, 99);
        let held: Vec<CharRange> = ranked.iter().take(2).map(|chunk| chunk.range).collect();
        let count = |text: &str| text.split_whitespace().count() as u64;
        for tokens in [0, 1, 100, 250, 10_000] {
            let found = further_passages(ranked.clone(), &held, tokens, &count);
            assert!(found.iter().map(|chunk| count(&chunk.text)).sum::<u64>() <= tokens);
            assert!(found.iter().all(|chunk| !held.contains(&chunk.range)));
            assert_eq!(found.is_empty(), tokens < 50, "{tokens}");
        }
        assert_eq!(further_passages(ranked.clone(), &held, 10_000, &count).len(), ranked.len() - 2);
    }
}
