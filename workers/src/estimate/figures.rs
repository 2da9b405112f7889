//! Numbers of calls, and what they cost.

use serde::Serialize;

/// Numbers of calls, with their tokens and dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Questions put to the models of a role.
    pub calls: u64,
    /// Requests sent for them: a call may be repeated, shrunk, and put to the next provider.
    pub requests: u64,
    /// Tokens of all prompts.
    pub input_tokens: u64,
    /// Tokens of all answers.
    pub output_tokens: u64,
    /// US dollars; `None` if the price of a model is not known.
    pub usd: Option<f64>,
}

impl Figures {
    /// Tokens of prompts and answers together.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Both together; dollars only if both are known.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            requests: self.requests.saturating_add(other.requests),
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            usd: self.usd.zip(other.usd).map(|(a, b)| a + b),
        }
    }
}
