//! The searcher interface: a query in, passages out.

pub use precis_proto::research::Hit;
use precis_proto::research::Stop;

/// Term frequencies of what is searched.
pub trait TermFrequencies {
    /// The number of passages that contain `term` (one of [`precis_text::terms::terms`]), and of all passages; `None` if the searcher does not
    /// know. All terms then weigh the same.
    fn frequency(&self, _term: &str) -> Option<Frequency> {
        None
    }
}

/// A [`TermFrequencies`] without any, for searchers that only return hits.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoVocabulary;

impl TermFrequencies for NoVocabulary {}

/// A searcher for passages. The order of the hits is its ranking.
pub trait PassageSearch: TermFrequencies {
    /// The best `limit` passages for `query`, best first; empty if none matches.
    ///
    /// # Errors
    /// [`PassageSearchError`] if the search failed or research has ended; finding nothing is not an error.
    fn search(&mut self, query: &str, limit: usize) -> Result<Vec<Hit>, PassageSearchError>;

    /// The best `limit` passages for `query` in one document, named as in [`Hit::document`].
    ///
    /// # Errors
    /// As [`Self::search`].
    fn search_document(&mut self, document: &str, query: &str, limit: usize) -> Result<Vec<Hit>, PassageSearchError> {
        let hits = self.search(query, limit)?;
        Ok(hits.into_iter().filter(|hit| hit.document == document).collect())
    }
}

/// How common a term is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frequency {
    /// Passages that contain the term.
    pub holding: u64,
    /// All passages.
    pub of: u64,
}

/// Error of a search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PassageSearchError {
    /// This search failed; another one may succeed.
    #[error("{0}")]
    Failed(String),
    /// Nothing more may be searched, with the reason: time, money, tokens or the caller's request.
    #[error("research ended: {0:?}")]
    Ended(Stop),
}
