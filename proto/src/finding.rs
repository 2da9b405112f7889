//! Passages and findings: verbatim evidence, and statements that stand on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BlockKind, CharRange, Locator, SourceId};

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
    /// What may be quoted of it, in order; empty where it holds half sentences alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<Unit>,
    /// The headings it stands below, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// What names the columns of the table rows among its units; empty where there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub columns: String,
}

/// A whole sentence, heading, item or row of a passage: the least that is ever quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unit {
    /// First character, counted from the start of the passage.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
    /// Number of its block within the passage, from 0: a quote never holds units of two blocks.
    pub block: u32,
    /// What its block is.
    pub kind: BlockKind,
}

impl Unit {
    /// Its characters, counted from the start of the passage.
    #[must_use]
    pub fn range(&self) -> CharRange {
        CharRange::new(self.start, self.end)
    }
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
