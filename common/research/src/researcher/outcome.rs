//! Outcomes of searches and reads.

use precis_proto::research::Served;

use super::pages::DocumentPage;

/// The outcome of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionOutcome {
    /// A search was made.
    Results(SearchResults),
    /// A result was read.
    Text {
        /// Its number.
        number: String,
        /// The page that was read.
        page: DocumentPage,
    },
    /// It was tried and failed; the reason.
    Failed(String),
    /// It was not tried; the reason.
    Refused(String),
}

/// The results of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResults {
    /// Name of the search provider.
    pub provider: String,
    /// Whether it was paid for, or answered from memo or log.
    pub served: Served,
    /// Best first.
    pub results: Vec<ResultView>,
}

/// A result as a model sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultView {
    /// Its number in the session, or a label such as `2a` if it has none yet.
    pub number: String,
    /// Its title; may be empty.
    pub title: String,
    /// Path or address.
    pub address: String,
    /// Day, month or year of publication according to the search; empty if unknown.
    pub published: String,
    /// Whether it was seen before.
    pub novelty: Novelty,
    /// Summary by a provider or model; may be empty.
    pub summary: String,
    /// The text found; excerpts must occur in it.
    pub text: String,
    /// Excerpts of [`ResultView::text`]; one that does not occur in it is left out and counted.
    pub excerpts: Vec<String>,
}

/// Whether a result was seen before in the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Novelty {
    /// Not similar to an earlier one.
    New,
    /// Similar to an earlier one.
    Related,
    /// Equal or nearly equal to an earlier one.
    Duplicate,
}

impl Novelty {
    /// The word used in prompts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Related => "related",
            Self::Duplicate => "duplicate",
        }
    }
}
