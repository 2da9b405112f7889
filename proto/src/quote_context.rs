//! What a quote needs beside itself to keep its meaning: other exact ranges of the same text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Locator;
use crate::closed_words;

closed_words! {
    /// What a range is to the quote that it goes with.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum ContextRole: serde {
        /// The sentence or paragraph that announces a list; of nested lists the outermost first.
        LeadIn => "lead_in",
        /// A heading of a list or section that the quote is not understood without.
        Heading => "heading",
        /// A head cell of the quoted row.
        Column => "column",
        /// The cell that says what the quoted row is about.
        RowLabel => "row_label",
        /// The question of which the quote is the answer: of an FAQ, a form, an interview.
        Question => "question",
        /// The answer to the quoted question.
        Answer => "answer",
        /// The term of which the quote is the definition.
        Term => "term",
        /// An item of the list that the quote announces.
        Item => "item",
        /// The sentence after a vote that says what came of it.
        Outcome => "outcome",
        /// The sentence or clause under which the quote holds.
        Condition => "condition",
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
