//! Chooses further passages of a document besides its digest.
//!
//! A digest carries a handful of snippets, however large the budget is. If a session has little evidence compared with its budget, that
//! would make the report needlessly thin, so the reduction passed on also holds further passages, within a token limit.

use precis_evidence::ranking::RankedChunk;
use precis_proto::CharRange;

/// Most tokens of a digest and its further passages given to the built-in model: about 24 passages besides the digest, enough to choose
/// a report of 1,500 tokens from (chosen, not measured). A language model gets as much as the budget allows.
pub const BUILT_IN_SHARE_TOKENS: u64 = 4_400;

/// The chunks of `ranked` (best first) that do not overlap `held` and together fit into `tokens`, as counted by `count`.
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
    use precis_evidence::ranking::{Ranker, rank_widely};
    use precis_text::CanonicalText;

    use super::*;

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
