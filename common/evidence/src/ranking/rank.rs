//! Ranks the chunks of a text for a query.

use std::str::FromStr;

use precis_proto::{CharRange, Locator};
use precis_text::CanonicalText;
use precis_text::chunk::{Chunk, chunks, snippet};
use precis_text::terms::{literals, query_words};

use super::matches::{self, Meeting};
use super::order::sort;
use super::sensed::sensed;
use super::{fields, positional, score};
use crate::meaning::Sense;

/// The scoring method for chunks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ranker {
    /// Share of the query's terms times their rarity: the definition of `relevance_score` in the digest format.
    #[default]
    Overlap,
    /// BM25 over terms, similar words and the names above, divided by the best score of the text.
    Bm25,
}

/// The text does not name a [`Ranker`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a ranking: expected overlap or bm25")]
pub struct UnknownRanker(String);

impl Ranker {
    /// The name used in configuration and keys.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Overlap => "overlap",
            Self::Bm25 => "bm25",
        }
    }

    /// Least number of terms for a query to rank by relevance; with fewer, chunks are ranked by position.
    fn min_query_terms(self) -> usize {
        match self {
            Self::Overlap => 2,
            Self::Bm25 => 1,
        }
    }
}

impl FromStr for Ranker {
    type Err = UnknownRanker;

    fn from_str(text: &str) -> Result<Self, UnknownRanker> {
        [Self::Overlap, Self::Bm25]
            .into_iter()
            .find(|ranker| ranker.as_str() == text)
            .ok_or_else(|| UnknownRanker(text.to_owned()))
    }
}

/// A chunk chosen as evidence, trimmed.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedChunk {
    /// Characters of the whole text.
    pub range: CharRange,
    /// The locator under which a reader cites it.
    pub locator: Locator,
    /// The text of the range.
    pub text: String,
    /// Relevance, 0 to 1.
    pub score: f64,
}

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
    (ranker, sense): (Ranker, Option<Sense<'_>>),
    evidence_max_chars: usize,
    max: usize,
) -> Vec<RankedChunk> {
    let chunks = chunks(text, evidence_max_chars);
    let sense = sense.filter(|_| ranker == Ranker::Bm25);
    let joined = sense.and_then(|sense| sensed(text, &chunks, query, sense)).filter(|found| !found.is_empty());
    let mut order = joined.unwrap_or_else(|| by_words(text, &chunks, query, ranker));
    order.truncate(max);
    order.into_iter().map(|(chunk, score)| ranked(text, &chunks[chunk], score)).collect()
}

fn by_words(text: &CanonicalText, chunks: &[Chunk], query: &str, ranker: Ranker) -> Vec<(usize, f64)> {
    let terms = query_words(query);
    let literals = if ranker == Ranker::Bm25 { literals(query) } else { Vec::new() };
    if terms.len() + literals.len() < ranker.min_query_terms() {
        return positional::order(text, chunks);
    }
    let scored = match ranker {
        Ranker::Overlap => overlap(text, chunks, &terms, Meeting::Whole),
        Ranker::Bm25 => fields::bm25(text, chunks, query),
    };
    if scored.is_empty() { unmatched(text, chunks) } else { scored }
}

pub(super) fn ranked(text: &CanonicalText, chunk: &Chunk, score: f64) -> RankedChunk {
    let range = snippet(text, chunk);
    RankedChunk { range, locator: text.locator(range), text: text.slice(range).to_owned(), score }
}

/// Chunks with at least one term, scored by overlap, best first.
pub(super) fn overlap(text: &CanonicalText, chunks: &[Chunk], terms: &[String], meeting: Meeting) -> Vec<(usize, f64)> {
    let all = matches::count(text, chunks, terms, meeting);
    let mut order: Vec<(usize, f64)> =
        all.chunks.iter().map(|found| (found.chunk, score::overlap(found, &all))).collect();
    sort(&mut order);
    order
}

fn unmatched(text: &CanonicalText, chunks: &[Chunk]) -> Vec<(usize, f64)> {
    positional::order(text, chunks).into_iter().map(|(chunk, _)| (chunk, 0.0)).collect()
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
    fn of_equal_chunks_bm25_prefers_the_one_beside_another_match() {
        let text = pages(&["alpha one", "delta two", "delta too", "alpha one", "alpha two alpha"]);
        let found: Vec<u32> = ranks(&text, "alpha", Ranker::Bm25).iter().map(|found| found.0).collect();
        assert_eq!(found, [5, 4, 1]);
    }

    #[test]
    fn what_is_written_with_symbols_is_found_by_bm25_and_leaves_overlap_alone() {
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
    fn at_most_the_number_asked_for_comes_back_and_nothing_from_an_empty_text() {
        let text = CanonicalText::from_plain(&"solar panels and heat. ".repeat(200));
        for max in [0, 1, 4, 5] {
            assert_eq!(rank(&text, "solar panels", Ranker::Overlap, 400, max).len(), max);
        }
        assert!(rank(&CanonicalText::from_plain(""), "solar panels", Ranker::Overlap, 400, 5).is_empty());
        assert!(rank(&CanonicalText::from_plain(" "), "", Ranker::Bm25, 400, 5).is_empty());
    }

    #[test]
    fn a_ranking_reads_back_its_name() {
        for ranker in [Ranker::Overlap, Ranker::Bm25] {
            assert_eq!(ranker.as_str().parse(), Ok(ranker));
        }
        assert!("BM25".parse::<Ranker>().is_err());
    }
}
