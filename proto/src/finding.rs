//! Passages and findings: verbatim evidence, and statements that stand on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CharRange, Locator, SourceId};

/// A verbatim piece of a source's canonical text. `range` is absolute; `locator` is page-relative where the text has pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Passage {
    /// The source.
    pub source_id: SourceId,
    /// Characters of the whole canonical text.
    pub range: CharRange,
    /// The same place as a reader cites it.
    pub locator: Locator,
    /// Exactly those characters.
    pub text: String,
    /// Relevance to the query, 0 to 1.
    pub score: f64,
}

/// A quote a finding stands on: a passage, or part of one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Quote {
    /// The source.
    pub source_id: SourceId,
    /// Where it stands.
    pub locator: Locator,
    /// Exactly those characters.
    pub text: String,
}

/// A statement with the quotes that carry it; never without one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Number within the session, from 1; what a synthesis writes in brackets.
    pub finding_id: u32,
    /// What it is about.
    pub topic: String,
    /// The statement; for the extractive model the quote itself.
    pub statement: String,
    /// At least one.
    pub quotes: Vec<Quote>,
    /// Importance for the query, 0 to 1.
    pub score: f64,
    /// Tokens of the statement.
    pub tokens: u64,
}
