//! The seam to the pure side: a payload that fits out of a task, a checked answer out of a text.
//!
//! Whoever wires the program implements [`Gate`]; nothing is sent that it has not counted.

use std::fmt::Debug;
use std::sync::Arc;

use precis_proto::call::LayerUsage;
use precis_proto::prior::Prior;
use precis_proto::task::Task;
use precis_proto::warning::Warning;
use serde_json::Value;

/// The one gate before dispatch, and the reading of answers. Called on blocking threads where it may take long.
pub trait Gate: Send + Sync + Debug {
    /// Writes, counts and fits the payload of `task` for `provider` (`NAME:MODEL`).
    ///
    /// # Errors
    /// [`GateError`] where nothing useful fits.
    fn prepare(&self, task: &Task, provider: &str, attempt: &GateAttempt) -> Result<PreparedPayload, GateError>;

    /// Reads a model's text as the answer to `task`.
    ///
    /// # Errors
    /// The complaint to show to the model.
    fn read(&self, task: &Task, text: &str) -> Result<Value, String>;

    /// The same task one level down, if there is one: for a model whose answers stay malformed.
    fn step_down(&self, task: &Task) -> Option<Task>;

    /// The built-in model's answer. No network; may take long.
    fn local(&self, task: &Task) -> Value;

    /// What of `prior` an answer of [`Gate::local`] leaves unread: one row per layer, with nothing kept; none where
    /// the task is not the question itself.
    fn unread(&self, task: &Task, prior: &Prior) -> Vec<LayerUsage>;

    /// Changes whenever [`Gate::local`] may answer otherwise: part of the identity of its answers.
    fn local_version(&self) -> &'static str;

    /// Tokens of a text, where a provider does not say.
    fn count(&self, text: &str) -> u64;

    /// What `provider` (`NAME:MODEL`) charges; `None` where that is unknown or nothing.
    fn price(&self, provider: &str) -> Option<GatePrice>;
}

/// What has gone before this payload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GateAttempt {
    /// How often the provider has said that the payload overflows; each time asks for a smaller one.
    pub shrink: u32,
    /// The provider's window, where it has named it.
    pub window: Option<u64>,
    /// What was wrong with the answer before.
    pub complaint: Option<String>,
    /// What was before the session.
    pub prior: Arc<Prior>,
    /// Tokens of the provider for each hundred counted here, where it has counted the payload before this one.
    pub per_hundred: Option<u64>,
}

impl GateAttempt {
    /// What the provider would make of `tokens` counted here, as far as it is known.
    #[must_use]
    pub fn scaled(&self, tokens: u64) -> u64 {
        let scale =
            |ratio: u64| u64::try_from((u128::from(tokens) * u128::from(ratio)).div_ceil(100)).unwrap_or(u64::MAX);
        self.per_hundred.map_or(tokens, scale)
    }
}

/// A payload ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedPayload {
    /// In order.
    pub messages: Vec<GateMessage>,
    /// What the answer must look like; `None` for free text.
    pub schema: Option<GateSchema>,
    /// Tools the model may call instead, where its vendor has such; empty for most tasks.
    pub tools: Vec<GateTool>,
    /// Longest answer, in tokens.
    pub max_output_tokens: u64,
    /// Messages and schema in tokens, as counted.
    pub input_tokens: u64,
    /// Tokens there are for both.
    pub input_room: u64,
    /// Name and version of the wording.
    pub prompt_version: &'static str,
    /// Tokens per layer; the call key is filled in here.
    pub layers: Vec<LayerUsage>,
    /// What was left out to make it fit; a missing phase is filled in here.
    pub warnings: Vec<Warning>,
    /// The same piece by piece.
    pub cut: Vec<PieceCut>,
}

/// What happened to one piece of evidence that was not sent whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceCut {
    /// Its number in the task; 0 for the one text of a summary.
    pub id: u32,
    /// Tokens offered.
    pub tokens_before: u64,
    /// Tokens sent; 0 where it was left out.
    pub tokens_after: u64,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateMessage {
    /// Who speaks.
    pub speaker: GateSpeaker,
    /// What is said.
    pub text: String,
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateSpeaker {
    /// The rules.
    System,
    /// The task.
    User,
}

impl GateSpeaker {
    /// The word in a chat request.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
        }
    }
}

/// A schema and the name it goes by; sent strict, so the gate counts it with both.
#[derive(Debug, Clone, PartialEq)]
pub struct GateSchema {
    /// Lower-case word.
    pub name: String,
    /// JSON Schema.
    pub schema: Value,
}

/// A tool a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct GateTool {
    /// Lower-case word.
    pub name: &'static str,
    /// A sentence for the model.
    pub description: &'static str,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// Why there is no payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    /// The smallest useful payload is too large.
    #[error("the prompt needs {needed} tokens and has {budget} ({sum}): {remedy}")]
    OverBudget {
        /// Tokens it needs.
        needed: u64,
        /// Tokens there are.
        budget: u64,
        /// How these come about: window, reserve, overhead, each with its key.
        sum: String,
        /// What to do about it.
        remedy: String,
    },
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GatePrice {
    /// Input.
    pub input: f64,
    /// Input that the provider had cached.
    pub cached_input: f64,
    /// Output.
    pub output: f64,
}

impl GatePrice {
    /// US dollars of so many tokens; `cached_input_tokens` are among `input_tokens`.
    #[must_use]
    pub fn of(&self, input_tokens: u64, cached_input_tokens: u64, output_tokens: u64) -> f64 {
        let cached = cached_input_tokens.min(input_tokens);
        let fresh = input_tokens - cached;
        (self.input * fresh as f64 + self.cached_input * cached as f64 + self.output * output_tokens as f64) / 1e6
    }
}

#[cfg(test)]
impl PreparedPayload {
    /// A payload of these messages that wants an object; for the tests of those who write it for a vendor.
    pub(super) fn sample(messages: &[(GateSpeaker, &str)], schema: Value) -> Self {
        let message =
            |(speaker, text): &(GateSpeaker, &str)| GateMessage { speaker: *speaker, text: (*text).to_owned() };
        Self {
            messages: messages.iter().map(message).collect(),
            schema: Some(GateSchema { name: "summary".into(), schema }),
            tools: Vec::new(),
            max_output_tokens: 99,
            input_tokens: 8,
            input_room: 100,
            prompt_version: "v1",
            layers: Vec::new(),
            warnings: Vec::new(),
            cut: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_input_is_charged_at_its_own_price() {
        let price = GatePrice { input: 3.0, cached_input: 0.3, output: 15.0 };
        assert!((price.of(1_000_000, 0, 0) - 3.0).abs() < 1e-9);
        assert!((price.of(1_000_000, 900_000, 100_000) - (0.3 + 0.27 + 1.5)).abs() < 1e-9);
        assert!((price.of(10, 20, 0) - 3e-6).abs() < 1e-12, "no more is cached than was sent");
    }
}
