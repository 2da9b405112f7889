//! What was before a session: background of its project, what earlier answers stood on, what was said. Carried by reference; it
//! reaches a model only through the layers of a prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most messages of a history.
pub const MAX_HISTORY_MESSAGES: usize = 2_000;
/// Most blocks of earlier context.
pub const MAX_PRIOR_BLOCKS: usize = 1_000;

/// What a session follows on. Empty where it stands on its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Prior {
    /// Background that holds for the whole project; untrusted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub project_context: String,
    /// What earlier answers stood on, most important first; untrusted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<PriorBlock>,
    /// What was said, oldest first; untrusted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Said>,
}

/// A piece of earlier context, such as a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriorBlock {
    /// For the model: where it is from.
    #[serde(default)]
    pub title: String,
    /// The text; headings of Markdown are kept when it is shortened.
    pub text: String,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// Who said it.
    pub role: SpeakerRole,
    /// What was said.
    pub content: String,
}

/// Who speaks in a conversation. There is no system here: rules are ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SpeakerRole {
    /// Who asks; begins a turn.
    User,
    /// Who answers.
    Assistant,
    /// What a tool returned to whoever answers.
    Tool,
}

impl SpeakerRole {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

impl Prior {
    /// Whether the session stands on its own.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.project_context.trim().is_empty() && self.context.is_empty() && self.history.is_empty()
    }

    /// Every text in it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let blocks = self.context.iter().flat_map(|block| [block.title.as_str(), &block.text]);
        let said = self.history.iter().map(|said| said.content.as_str());
        std::iter::once(self.project_context.as_str()).chain(blocks).chain(said)
    }
}
