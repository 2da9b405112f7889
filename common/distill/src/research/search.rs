//! The seam to whoever searches: a query in, passages out.

use precis_proto::CharRange;
use precis_proto::research::Stop;

/// Finds passages. The order of the hits is the searcher's ranking.
pub trait Search {
    /// The best `limit` passages for `query`, best first; empty where none has anything to do with it.
    ///
    /// # Errors
    /// [`SearchFailure`]; "nothing found" is no failure.
    fn search(&mut self, query: &str, limit: usize) -> Result<Vec<Hit>, SearchFailure>;

    /// In how many passages `term`, one of [`crate::terms::terms`], stands, of how many; `None` where the searcher cannot tell.
    /// Without it all terms weigh the same.
    fn frequency(&self, _term: &str) -> Option<Frequency> {
        None
    }
}

/// How common a term is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frequency {
    /// Passages that hold the term.
    pub holding: u64,
    /// All passages.
    pub of: u64,
}

/// A passage that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Path or address of its document; two hits with the same one are of the same document.
    pub document: String,
    /// Title of the document; empty where it has none.
    pub title: String,
    /// Headings above the passage, outermost first.
    pub headings: Vec<String>,
    /// Its characters in the document's text.
    pub range: CharRange,
    /// Its text.
    pub text: String,
    /// How well it matches; comparable within one search only, higher is better.
    pub score: f64,
    /// Hash of the document's text, `sha256:` and hex.
    pub source_text_hash: String,
}

/// Why a search gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchFailure {
    /// It failed; another query may not.
    #[error("{0}")]
    Failed(String),
    /// Nothing more may be searched, and why: time, money, tokens or the caller's wish.
    #[error("research ended: {0:?}")]
    Ended(Stop),
}
