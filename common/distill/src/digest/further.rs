//! How much of a document is read beyond its digest.
//!
//! A digest carries a handful of snippets whatever the room. Where a session's evidence is small against its budget, that
//! is a thin report for no gain; so the reduction that travels on holds further passages, and counts them.

use precis_proto::CharRange;

use crate::evidence::RankedChunk;

/// Tokens a digest takes by itself at most, as a rule (measured on real documents: 700 to 1,900).
const DIGEST_TOKENS: u64 = 2_000;
/// Most tokens of further passages per digest: some 24 passages, from which a report of 1,500 tokens is chosen with care
/// (chosen, not measured).
const MOST_FURTHER_TOKENS: u64 = 2_400;

/// Tokens of further passages that each of `digests` digests may carry, so that all of them and `other_tokens` of sources
/// carried whole stay within `budget_tokens`; 0 where there is no room, or no digest.
#[must_use]
pub fn further_tokens(budget_tokens: u64, other_tokens: u64, digests: u64) -> u64 {
    let taken = other_tokens.saturating_add(digests.saturating_mul(DIGEST_TOKENS));
    budget_tokens.saturating_sub(taken).checked_div(digests).unwrap_or(0).min(MOST_FURTHER_TOKENS)
}

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
    fn further_passages_take_only_the_room_that_is_left() {
        for (budget, other, digests, tokens) in [
            (100_000, 0, 1, 2_400),
            (100_000, 0, 8, 2_400),
            (100_000, 80_000, 8, 500),
            (100_000, 99_000, 8, 0),
            (4_400, 0, 1, 2_400),
            (4_399, 0, 1, 2_399),
            (2_000, 0, 1, 0),
            (100, 0, 0, 0),
            (u64::MAX, u64::MAX, 3, 0),
            (u64::MAX, 0, u64::MAX, 0),
        ] {
            assert_eq!(further_tokens(budget, other, digests), tokens, "{budget} {other} {digests}");
        }
    }

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
