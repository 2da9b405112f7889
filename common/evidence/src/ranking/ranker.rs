//! The ways of scoring chunks, and a chunk with its score.

use std::str::FromStr;

use precis_proto::{CharRange, Locator};
use precis_text::CanonicalText;
use precis_text::chunk::{Chunk, snippet};

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
    pub(super) fn min_query_terms(self) -> usize {
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

/// The `chunk` of `text`, trimmed, with its score.
pub(super) fn ranked_chunk(text: &CanonicalText, chunk: &Chunk, score: f64) -> RankedChunk {
    let range = snippet(text, chunk);
    RankedChunk { range, locator: text.locator(range), text: text.slice(range).to_owned(), score }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ranking_reads_back_its_name() {
        for ranker in [Ranker::Overlap, Ranker::Bm25] {
            assert_eq!(ranker.as_str().parse(), Ok(ranker));
        }
        assert!("BM25".parse::<Ranker>().is_err());
    }
}
