//! Ranks the chunks of a text for a query: a few of the best, or many.

use precis_text::CanonicalText;

use super::{RankedChunk, Ranker, TextRanking};
use crate::meaning::Sense;

/// The best chunks of `text` for `query`, best first, at most `max`.
///
/// Ties go to the earlier chunk. Chunks without a term of the query are left out if any chunk has one. A query of fewer than two terms
/// (for [`Ranker::Bm25`], without terms), or one that matches nothing, gives chunks by position instead: opening, abstract,
/// introduction, summary and conclusion, numbered headings, then the rest in order; scored by rank in the first case, 0 in the second.
#[must_use]
pub fn rank(
    text: &CanonicalText,
    query: &str,
    ranker: Ranker,
    evidence_max_chars: usize,
    max: usize,
) -> Vec<RankedChunk> {
    rank_sensed(text, query, (ranker, None), evidence_max_chars, max)
}

/// [`rank`] by words and by meaning, for [`Ranker::Bm25`]: a chunk may then be found that shares no word with the query. The scores of
/// [`Ranker::Overlap`] are compared between texts, so they stay those of words. Without a [`Sense`] the same as [`rank`].
#[must_use]
pub fn rank_sensed(
    text: &CanonicalText,
    query: &str,
    by: (Ranker, Option<Sense<'_>>),
    evidence_max_chars: usize,
    max: usize,
) -> Vec<RankedChunk> {
    TextRanking::new(text, query, by, evidence_max_chars).best(text, max)
}

/// At most `max` chunks of `text` that match `query`, best first; ties go to the earlier chunk. Scores are above 0 and at most 1.
///
/// Unlike [`rank`], it ranks by relevance even for a query of one term, matches other forms of the terms, and adds the
/// neighbours of matches. Empty if no chunk holds a term of the query or a form of one.
#[must_use]
pub fn rank_widely(
    text: &CanonicalText,
    query: &str,
    ranker: Ranker,
    evidence_max_chars: usize,
    max: usize,
) -> Vec<RankedChunk> {
    rank_widely_sensed(text, query, (ranker, None), evidence_max_chars, max)
}

/// [`rank_widely`] by words and by meaning, for [`Ranker::Bm25`]. Without a [`Sense`] the same as [`rank_widely`].
#[must_use]
pub fn rank_widely_sensed(
    text: &CanonicalText,
    query: &str,
    by: (Ranker, Option<Sense<'_>>),
    evidence_max_chars: usize,
    max: usize,
) -> Vec<RankedChunk> {
    TextRanking::new(text, query, by, evidence_max_chars).widely(text, max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each page is one chunk, which makes document frequencies easy to count.
    fn pages(pages: &[&str]) -> CanonicalText {
        CanonicalText::from_pages(&pages.iter().map(|&page| page.to_owned()).collect::<Vec<_>>())
    }

    fn ranks(text: &CanonicalText, query: &str, ranker: Ranker) -> Vec<(u32, f64)> {
        let found = rank(text, query, ranker, 400, 10);
        found.iter().map(|chunk| (chunk.locator.page.expect("paged"), chunk.score)).collect()
    }

    #[test]
    fn the_overlap_score_is_the_share_of_terms_times_their_mean_rarity() {
        let text = pages(&["solar panels", "solar heat", "wind", "panels and solar cells"]);
        let (solar, panels) = (1.0 / 5f64.log2(), 1.0 / 4f64.log2());
        let both = (solar + panels) / 2.0;
        assert_eq!(ranks(&text, "Solar panels", Ranker::Overlap), [(1, both), (4, both), (2, 0.5 * solar)]);
    }

    #[test]
    fn terms_are_whole_words_never_parts() {
        let text = pages(&["methodical art", "the art of methods"]);
        assert_eq!(ranks(&text, "methods art", Ranker::Overlap).first().map(|first| first.0), Some(2));
        assert!(ranks(&text, "method ar", Ranker::Overlap).iter().all(|&(_, score)| score == 0.0));
    }

    #[test]
    fn bm25_scores_lie_between_0_and_1_and_the_best_is_1() {
        let text = pages(&["alpha beta", "alpha alpha alpha beta gamma", "gamma", "delta epsilon"]);
        let found = ranks(&text, "alpha beta", Ranker::Bm25);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].1, 1.0);
        assert!(found[1].1 > 0.0 && found[1].1 <= 1.0);
    }

    #[test]
    fn of_equal_chunks_bm25_prefers_the_one_next_to_another_match() {
        let text = pages(&["alpha one", "delta two", "delta too", "alpha one", "alpha two alpha"]);
        let found: Vec<u32> = ranks(&text, "alpha", Ranker::Bm25).iter().map(|found| found.0).collect();
        assert_eq!(found, [5, 4, 1]);
    }

    #[test]
    fn text_with_symbols_is_found_by_bm25_and_not_overlap() {
        let text = pages(&["c is a letter of the plan", "plan c", "a plan in C++ holds"]);
        assert_eq!(ranks(&text, "plan of C++", Ranker::Bm25).first().map(|first| first.0), Some(3));
        let (plain, signed) =
            (ranks(&text, "plan letter", Ranker::Overlap), ranks(&text, "plan letter $*", Ranker::Overlap));
        assert_eq!(plain, signed);
    }

    #[test]
    fn a_query_without_two_terms_takes_the_opening_first() {
        let text = pages(&["first words", "about whales", "Conclusion It ends here"]);
        let found: Vec<u32> = ranks(&text, "whales", Ranker::Overlap).iter().map(|found| found.0).collect();
        assert_eq!(found, [1, 3, 2]);
    }

    #[test]
    fn bm25_takes_a_single_term_at_its_word_and_meets_forms() {
        let text = pages(&["first words", "about whales", "Conclusion It ends here", "one whale more"]);
        let found: Vec<u32> = ranks(&text, "whales", Ranker::Bm25).iter().map(|found| found.0).collect();
        assert_eq!(found, [2, 4]);
    }

    #[test]
    fn a_query_that_nothing_matches_gives_positions_with_score_0() {
        let text = pages(&["first words", "second words"]);
        assert_eq!(ranks(&text, "quantum gravity", Ranker::Overlap), [(1, 0.0), (2, 0.0)]);
    }

    #[test]
    fn cjk_queries_match_by_bigrams() {
        let text = pages(&["東京の天気は晴れ", "糖尿病の治療について", "大阪の天気"]);
        assert_eq!(ranks(&text, "糖尿病", Ranker::Overlap), [(2, 1.0 / 3f64.log2())]);
    }

    #[test]
    fn results_are_limited_to_the_count_and_empty_texts_give_none() {
        let text = CanonicalText::from_plain(&"solar panels and heat. ".repeat(200));
        for max in [0, 1, 4, 5] {
            assert_eq!(rank(&text, "solar panels", Ranker::Overlap, 400, max).len(), max);
        }
        assert!(rank(&CanonicalText::from_plain(""), "solar panels", Ranker::Overlap, 400, 5).is_empty());
        assert!(rank(&CanonicalText::from_plain(" "), "", Ranker::Bm25, 400, 5).is_empty());
    }
}
