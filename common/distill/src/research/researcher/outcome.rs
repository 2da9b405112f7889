//! What a search and a read bring.

use precis_proto::research::Served;

/// What became of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionOutcome {
    /// A search was made.
    Results(SearchResults),
    /// A result was read.
    Text {
        /// Its number.
        number: String,
        /// What of it speaks to the directive, verbatim, in the order of the text.
        passages: Vec<String>,
    },
    /// It was tried and failed, and why.
    Failed(String),
    /// It was not tried, and why.
    Refused(String),
}

/// The results of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResults {
    /// Who was asked.
    pub provider: String,
    /// Where the answer came from.
    pub served: Served,
    /// Best first.
    pub results: Vec<ResultView>,
}

/// A result as a model sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultView {
    /// Its number in the session, or a label such as `2a` where it has none yet.
    pub number: String,
    /// Its title; may be empty.
    pub title: String,
    /// Path or address.
    pub address: String,
    /// Whether it was seen before.
    pub novelty: Novelty,
    /// What it says, in the words of a provider or model; may be empty.
    pub summary: String,
    /// The text that was found: what excerpts must stand in.
    pub text: String,
    /// Excerpts of [`ResultView::text`]; one that does not stand in it is left out and counted.
    pub excerpts: Vec<String>,
}

/// Whether a result was seen before in the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Novelty {
    /// Unlike all before.
    New,
    /// Much like one before.
    Related,
    /// Seen before, or nearly the same as one seen before.
    Duplicate,
}

impl Novelty {
    /// The word in prompts.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Related => "related",
            Self::Duplicate => "duplicate",
        }
    }
}
