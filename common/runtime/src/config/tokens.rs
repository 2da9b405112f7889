//! How many tokens of a model's window may be used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Token budgeting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TokenSettings {
    /// Counts and fits every request before it is sent. Without it only the provider's own limit stands, nothing is digested or
    /// summarized, and the report has no account of what was carried of each source.
    #[serde(rename = "token_management_enabled")]
    pub enabled: bool,
    /// Share of a model's window left unused, for counting errors.
    #[serde(rename = "token_safety_margin")]
    #[schemars(range(min = 0.0, max = 0.9))]
    pub safety_margin: f64,
    /// Tokens that a command-line tool takes of its model's window for itself, such as the system prompt of a coding tool. Model
    /// servers take none.
    #[schemars(range(max = 10_000_000))]
    pub runtime_overhead: u64,
    /// Most tokens of one model call, prompt and answer together, where that is less than the model's window. The answer has at most
    /// a quarter of it.
    #[schemars(range(min = 1_000))]
    pub auto_compact_threshold: Option<u64>,
    /// Leaves out the least relevant content when nothing else makes a request fit.
    pub allow_content_dropping: bool,
}

impl Default for TokenSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            safety_margin: 0.15,
            runtime_overhead: 60_000,
            auto_compact_threshold: None,
            allow_content_dropping: true,
        }
    }
}
