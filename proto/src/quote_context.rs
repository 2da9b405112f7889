//! What a quote needs beside itself to keep its meaning: other exact ranges of the same text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Locator;

/// What a range is to the quote that it goes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextRole {
    /// The sentence or paragraph that announces a list; of nested lists the outermost first.
    LeadIn,
    /// A heading of a list or section that the quote is not understood without.
    Heading,
    /// A head cell of the quoted row.
    Column,
    /// The cell that says what the quoted row is about.
    RowLabel,
    /// The question of which the quote is the answer: of an FAQ, a form, an interview.
    Question,
    /// The answer to the quoted question.
    Answer,
    /// The term of which the quote is the definition.
    Term,
    /// An item of the list that the quote announces.
    Item,
    /// The sentence after a vote that says what came of it.
    Outcome,
    /// The sentence or clause under which the quote holds.
    Condition,
}

impl ContextRole {
    /// Returns the word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LeadIn => "lead_in",
            Self::Heading => "heading",
            Self::Column => "column",
            Self::RowLabel => "row_label",
            Self::Question => "question",
            Self::Answer => "answer",
            Self::Term => "term",
            Self::Item => "item",
            Self::Outcome => "outcome",
            Self::Condition => "condition",
        }
    }
}

/// A range of the text of a quote that goes with it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ContextRange {
    /// What it is to the quote.
    pub role: ContextRole,
    /// Position in the canonical text of the quote.
    pub locator: Locator,
    /// Exactly the characters at this position.
    pub text: String,
    /// Of a `column` only: the character of the quote, from 0, in front of which a statement has it. Absent: the ranges stand in the order
    /// of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
}
