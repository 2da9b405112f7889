//! What no longer fitted into the window of a researcher.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fidelity::FidelityLevel;

/// A message dropped to save space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DroppedMessage {
    /// Position of the message in the conversation, from 1.
    pub n: u32,
    /// Role of its author.
    pub role: String,
    /// Why it was dropped.
    pub why: String,
    /// Numbers of the documents it mentioned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<u32>,
}

/// How much of what a researcher was told about a document was in its window when it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotesFidelity {
    /// Number of the document in the session, from 1.
    pub n: u32,
    /// Level of what was left; `raw` notes are not listed.
    pub level: FidelityLevel,
    /// Tokens of all messages that mention the document.
    pub tokens_before: u64,
    /// Tokens of those that were not dropped.
    pub tokens_after: u64,
}
