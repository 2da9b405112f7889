//! The context before a session: project background, evidence behind earlier answers, and the conversation. Stored by reference; it
//! reaches a model only through the layers of a prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_words;

/// Most messages of a history.
pub const MAX_HISTORY_MESSAGES: usize = 2_000;
/// Most blocks of earlier context.
pub const MAX_PRIOR_BLOCKS: usize = 1_000;

/// The context before a session; empty if it is independent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Prior {
    /// Background that applies to the whole project; untrusted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub project_context: String,
    /// Evidence behind earlier answers, most important first; untrusted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<PriorBlock>,
    /// The conversation, oldest first; untrusted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Said>,
}

/// A block of earlier context, such as a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriorBlock {
    /// Origin of the block, for the model.
    #[serde(default)]
    pub title: String,
    /// The text; Markdown headings are kept when it is shortened.
    pub text: String,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// Role of the author.
    pub role: SpeakerRole,
    /// Text of the message.
    pub content: String,
}

closed_words! {
    /// The role of the author of a message. There is no system role: a caller cannot set rules.
    #[derive(Serialize, Deserialize, JsonSchema)]
    pub enum SpeakerRole: serde {
        /// The user; starts a turn.
        User => "user",
        /// The assistant.
        Assistant => "assistant",
        /// The result of a tool called by the assistant.
        Tool => "tool",
    }
}

impl Prior {
    /// Returns whether there is no earlier context.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.project_context.trim().is_empty() && self.context.is_empty() && self.history.is_empty()
    }

    /// Returns all texts of the context.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let blocks = self.context.iter().flat_map(|block| [block.title.as_str(), &block.text]);
        let messages = self.history.iter().map(|message| message.content.as_str());
        std::iter::once(self.project_context.as_str()).chain(blocks).chain(messages)
    }
}
