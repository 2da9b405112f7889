//! Passages and findings: verbatim evidence, and statements supported by it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quote_context::ContextRange;
use crate::{BlockKind, CharRange, FieldPlace, Locator, Recognition, SourceId};

/// A verbatim piece of the canonical text of a source. `range` is absolute; `locator` is relative to the page if the text has pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// The source.
    pub source_id: SourceId,
    /// Position in the whole canonical text.
    pub range: CharRange,
    /// The same position as shown to readers.
    pub locator: Locator,
    /// Exactly the characters at this position.
    pub text: String,
    /// Relevance to the query, 0 to 1.
    pub score: f64,
    /// Units that may be quoted, in order; empty if the passage contains only partial sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<Unit>,
    /// The headings above the passage, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Column names of the table rows among its units; empty if there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub columns: String,
    /// Ranges of the text that units need to keep their meaning, each once; units name them by their index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextRange>,
}

/// A range of `context` of a passage that a unit needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needed {
    /// Index in `context` of the passage.
    pub of: u32,
    /// Of a `column` only: the character of the unit, from 0, in front of which a statement has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
}

/// A whole sentence, heading, item or row of a passage: the smallest part that may be quoted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// First character, counted from the start of the passage.
    pub start: usize,
    /// One past the last character.
    pub end: usize,
    /// Number of its block within the passage, from 0: a quote never contains units of two blocks.
    pub block: u32,
    /// Kind of its block.
    pub kind: BlockKind,
    /// One past the last character of its first cell, counted from the start of the passage; only a row has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_end: Option<usize>,
    /// Number of headings above a heading; only a heading has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// The ranges of its passage's `context` without which it may say something else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Needed>,
    /// The other items of its list, in order, if the list is short: what an answer that is the list shows besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<u32>,
    /// Number of items that the document lists after those among `needs`; only a lead-in has some.
    #[serde(default, skip_serializing_if = "no_more")]
    pub more_items: u32,
    /// Where the document has the field that it is, if its readers do not see it on a page; `None` for text and its front matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<FieldPlace>,
    /// What recognized it in a picture of its page; absent for text that the document has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recognized: Option<Box<Recognition>>,
}

impl Unit {
    /// Creates a unit that keeps its meaning by itself.
    #[must_use]
    pub fn new(range: CharRange, block: u32, kind: BlockKind) -> Self {
        let CharRange { start, end } = range;
        Self {
            start,
            end,
            block,
            kind,
            head_end: None,
            depth: None,
            needs: Vec::new(),
            list: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        }
    }

    /// Returns its range, counted from the start of the passage.
    #[must_use]
    pub fn range(&self) -> CharRange {
        CharRange::new(self.start, self.end)
    }

    /// Returns the range of its first cell, counted from the start of the passage; `None` unless it is a row.
    #[must_use]
    pub fn head(&self) -> Option<CharRange> {
        self.head_end.map(|end| CharRange::new(self.start, end))
    }
}

/// A quote that supports a finding: a passage, or part of one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Quote {
    /// The source.
    pub source_id: SourceId,
    /// Position in the canonical text.
    pub locator: Locator,
    /// Exactly the characters at this position.
    pub text: String,
    /// The headings above it, outermost first; empty if there are none, or if they are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Other ranges of the same text that it needs to keep its meaning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextRange>,
    /// The words that answer: positions within it or a range of `context`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<Locator>,
    /// Number of items that the document lists after those in `context`.
    #[serde(default, skip_serializing_if = "no_more")]
    pub more_items: u32,
    /// Where the document has the field that is quoted, if its readers do not see it on a page; left out for text and its front matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<FieldPlace>,
    /// What recognized it in a picture of its page; absent for text that the document has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recognized: Option<Box<Recognition>>,
}

impl Quote {
    /// Creates a quote that keeps its meaning by itself.
    #[must_use]
    pub fn new(source_id: SourceId, locator: Locator, text: impl Into<String>, headings: Vec<String>) -> Self {
        let text = text.into();
        Self {
            source_id,
            locator,
            text,
            headings,
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        }
    }
}

/// A statement with the quotes that support it; there is always at least one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Number within the session, from 1; cited in brackets by the synthesis.
    pub finding_id: u32,
    /// Topic of the finding.
    pub topic: String,
    /// The statement; from the extractive model, the quote itself.
    pub statement: String,
    /// The quotes; at least one.
    pub quotes: Vec<Quote>,
    /// Importance for the query, 0 to 1.
    pub score: f64,
    /// Tokens of the statement.
    pub tokens: u64,
    /// Cosine similarity of its meaning to that of the question, −1 to 1. Only where a model of meaning is in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
}

/// Whether no item was left out, which is not written.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
pub(crate) fn no_more(items: &u32) -> bool {
    *items == 0
}
