//! The interface to the prompt code: turns a task into a payload that fits, and a model's text into a checked answer.
//!
//! The program that wires everything together implements [`Gate`]; no payload is sent that it has not counted.

use std::fmt::Debug;
use std::sync::Arc;

use precis_proto::call::LayerUsage;
use precis_proto::closed_words;
use precis_proto::prior::Prior;
use precis_proto::task::Task;
use precis_proto::warning::Warning;
use serde_json::Value;

/// Prepares payloads and reads answers. Slow methods are called on blocking threads.
pub trait Gate: Send + Sync + Debug {
    /// Writes, counts and fits the payload of `task` for `provider` (`NAME:MODEL`).
    ///
    /// # Errors
    /// [`GateError`] if nothing useful fits.
    fn prepare(&self, task: &Task, provider: &str, attempt: &GateAttempt) -> Result<PreparedPayload, GateError>;

    /// Reads a model's text as the answer to `task`.
    ///
    /// # Errors
    /// The complaint to send back to the model.
    fn read(&self, task: &Task, text: &str) -> Result<Value, String>;

    /// Reads a text that was cut off as the beginning of an answer to `task`; `None` if nothing of it can be kept.
    fn parse_beginning(&self, _task: &Task, _text: &str) -> Option<Value> {
        None
    }

    /// Returns the task to go on with an answer of which `begun` is the beginning; `None` if there is none.
    fn going_on(&self, _task: &Task, _begun: &Value) -> Option<Task> {
        None
    }

    /// Joins the beginning of an answer and what goes on behind it.
    fn join_answers(&self, begun: Value, _rest: &Value) -> Value {
        begun
    }

    /// Returns the simpler task one level down, if there is one: for a model whose answers stay malformed.
    fn step_down(&self, task: &Task) -> Option<Task>;

    /// Returns the built-in model's answer. No network; may take long.
    fn local(&self, task: &Task) -> Value;

    /// Lists the layers of `prior` that [`Gate::local`] does not read: one row per layer, with nothing kept; empty if the task is not the
    /// question itself.
    fn unread(&self, task: &Task, prior: &Prior) -> Vec<LayerUsage>;

    /// Returns the version of the built-in model; it changes whenever [`Gate::local`] may answer differently, and is part of the key of
    /// its stored answers.
    fn local_version(&self) -> &'static str;

    /// Counts the tokens of a text, for providers that do not report them.
    fn count(&self, text: &str) -> u64;

    /// Returns the price of `provider` (`NAME:MODEL`); `None` if it is unknown or free.
    fn price(&self, provider: &str) -> Option<GatePrice>;
}

/// The facts learned from earlier attempts at this payload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GateAttempt {
    /// How often the provider has reported an overflow; each one requires a smaller payload.
    pub shrink: u32,
    /// The provider's window, if it has named it.
    pub window: Option<u64>,
    /// The complaint about the previous answer.
    pub complaint: Option<String>,
    /// The session's prior context.
    pub prior: Arc<Prior>,
    /// The provider's tokens per hundred counted here, if it has counted the previous payload.
    pub per_hundred: Option<u64>,
}

impl GateAttempt {
    /// Converts `tokens` counted here to the provider's tokens, as far as the ratio is known.
    #[must_use]
    pub fn provider_tokens(&self, tokens: u64) -> u64 {
        let scale =
            |ratio: u64| u64::try_from((u128::from(tokens) * u128::from(ratio)).div_ceil(100)).unwrap_or(u64::MAX);
        self.per_hundred.map_or(tokens, scale)
    }
}

/// A payload ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedPayload {
    /// The messages, in order.
    pub messages: Vec<GateMessage>,
    /// The schema of the answer; `None` for free text.
    pub schema: Option<GateSchema>,
    /// Tools the model may call instead, if its vendor supports tools; empty for most tasks.
    pub tools: Vec<GateTool>,
    /// Longest answer, in tokens.
    pub max_output_tokens: u64,
    /// Counted tokens of messages and schema.
    pub input_tokens: u64,
    /// Tokens available for messages and schema.
    pub input_room: u64,
    /// Name and version of the prompt.
    pub prompt_version: &'static str,
    /// Tokens per layer; this module fills in the call key.
    pub layers: Vec<LayerUsage>,
    /// Warnings about content left out to make it fit; this module fills in a missing phase.
    pub warnings: Vec<Warning>,
    /// The pieces of evidence that were left out or shortened.
    pub cut: Vec<PieceCut>,
}

/// One piece of evidence that was left out or shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceCut {
    /// Its number in the task; 0 for the one text of a summary.
    pub id: u32,
    /// Tokens of the whole piece.
    pub tokens_before: u64,
    /// Tokens sent; 0 if it was left out.
    pub tokens_after: u64,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateMessage {
    /// The message's author.
    pub speaker: GateSpeaker,
    /// The message's text.
    pub text: String,
    /// Bytes at its beginning that other calls of the session send as well; a provider that keeps prefixes is told so. 0 if there are none.
    pub shared_bytes: usize,
}

closed_words! {
    /// The author of a message.
    pub enum GateSpeaker {
        /// The rules.
        System => "system",
        /// The task.
        User => "user",
    }
}

/// A JSON Schema and its name, sent in strict mode; the gate counts both as input tokens.
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

/// An error of preparing a payload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    /// The smallest useful payload is too large.
    #[error("the prompt needs {needed} tokens but only {budget} are available ({sum}): {remedy}")]
    OverBudget {
        /// Tokens the payload needs.
        needed: u64,
        /// Tokens available.
        budget: u64,
        /// How `budget` is computed: window, reserve, overhead, each with its key.
        sum: String,
        /// The setting to change.
        remedy: String,
    },
}

/// Prices of a model, in US dollars per million tokens.
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
    /// Returns the price of a call in US dollars; `input_tokens` includes `cached_input_tokens`.
    #[must_use]
    pub fn of(&self, input_tokens: u64, cached_input_tokens: u64, output_tokens: u64) -> f64 {
        let cached = cached_input_tokens.min(input_tokens);
        let fresh = input_tokens - cached;
        (self.input * fresh as f64 + self.cached_input * cached as f64 + self.output * output_tokens as f64) / 1e6
    }
}

#[cfg(test)]
impl PreparedPayload {
    /// A payload of these messages with a schema; for the tests of the vendor formats.
    pub(super) fn sample(messages: &[(GateSpeaker, &str)], schema: Value) -> Self {
        let message = |(speaker, text): &(GateSpeaker, &str)| GateMessage {
            speaker: *speaker,
            text: (*text).to_owned(),
            shared_bytes: 0,
        };
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
