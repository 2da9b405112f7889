//! The seam to whoever searches: a query in, passages out.

pub use precis_proto::research::Hit;
use precis_proto::research::Stop;

/// Knows how common words are in what is searched.
pub trait TermFrequencies {
    /// In how many passages `term`, one of [`crate::terms::terms`], stands, of how many; `None` where the searcher cannot tell.
    /// Without it all terms weigh the same.
    fn frequency(&self, _term: &str) -> Option<Frequency> {
        None
    }
}

/// Knows nothing of words: for searchers that only give answers.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoVocabulary;

impl TermFrequencies for NoVocabulary {}

/// Finds passages. The order of the hits is the searcher's ranking.
pub trait PassageSearch: TermFrequencies {
    /// The best `limit` passages for `query`, best first; empty where none has anything to do with it.
    ///
    /// # Errors
    /// [`PassageSearchError`]; "nothing found" is no failure.
    fn search(&mut self, query: &str, limit: usize) -> Result<Vec<Hit>, PassageSearchError>;
}

/// How common a term is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frequency {
    /// Passages that hold the term.
    pub holding: u64,
    /// All passages.
    pub of: u64,
}

/// Why a search gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PassageSearchError {
    /// It failed; another query may not.
    #[error("{0}")]
    Failed(String),
    /// Nothing more may be searched, and why: time, money, tokens or the caller's wish.
    #[error("research ended: {0:?}")]
    Ended(Stop),
}
