//! Whether a question is answered, part by part.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_words;

/// How far the documents answer the question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// How far the whole question is answered.
    pub status: AnswerStatus,
    /// The status in words: the first line of the report. In the language of the question if report labels exist in that language, else in
    /// English. Empty before the report is written, and in reports of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub line: String,
    /// The parts of the question, in order; empty if it has no parts.
    #[serde(default)]
    pub parts: Vec<AnswerPart>,
}

closed_words! {
    /// How far a question is answered.
    #[derive(Serialize, Deserialize, JsonSchema)]
    pub enum AnswerStatus: serde {
        /// Every part is answered.
        Answered => "answered",
        /// Some parts are answered.
        Partly => "partly",
        /// The documents do not contain the answer.
        NotInDocuments => "not_in_documents",
    }
}

/// One part of the question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerPart {
    /// The part, in words of the question.
    pub text: String,
    /// Whether the report answers it.
    pub is_answered: bool,
}
