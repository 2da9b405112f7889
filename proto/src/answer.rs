//! Whether a question is answered, part by part.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far the documents answer the question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The whole question.
    pub status: AnswerStatus,
    /// The same in words, in the language of the question where the labels of a report are in it, else in English: the first line of
    /// the report. Empty before the report is written, and where an older version wrote it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub line: String,
    /// Its parts in the order of the question; empty where it has none.
    #[serde(default)]
    pub parts: Vec<AnswerPart>,
}

/// How far a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerStatus {
    /// Every part of it.
    Answered,
    /// Some parts of it.
    Partly,
    /// The documents do not say.
    NotInDocuments,
}

impl AnswerStatus {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Answered, Self::Partly, Self::NotInDocuments];

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Partly => "partly",
            Self::NotInDocuments => "not_in_documents",
        }
    }
}

/// One part of the question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerPart {
    /// The part of the question, in its own words.
    pub text: String,
    /// Whether the report answers it.
    pub is_answered: bool,
}
