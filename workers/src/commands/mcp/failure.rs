//! Why a tool did not do what it was asked for, as the model that called it reads it.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cli::exit::CommandFailure;

/// A failure of a tool. None has text of a document in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ToolFailure {
    /// Stable code.
    pub(super) code: String,
    /// What failed on which input: lower case, no full stop.
    pub(super) message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) remedy: Option<String>,
}

impl ToolFailure {
    pub(super) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), remedy: None }
    }

    pub(super) fn with_remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    /// Returns the result of the call, marked as an error: a model can mend its arguments and call again.
    pub(super) fn result(&self) -> Value {
        let remedy = self.remedy.as_ref().map_or_else(String::new, |remedy| format!("\nWhat to do: {remedy}"));
        let text = format!("{}: {}{remedy}", self.code, self.message);
        json!({ "content": [{ "type": "text", "text": text }], "isError": true })
    }
}

impl From<CommandFailure> for ToolFailure {
    fn from(failure: CommandFailure) -> Self {
        Self { code: failure.code.to_owned(), message: failure.message, remedy: failure.remedy }
    }
}
