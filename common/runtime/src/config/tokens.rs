//! Token budgeting: how much of a model's window may be used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Token budgeting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TokenSettings {
    /// Counts the tokens of every request and fits it to the window before it is sent. If off, only the provider's own limit applies,
    /// nothing is digested or summarized, and the report does not list how much of each source was used.
    #[serde(rename = "token_management_enabled")]
    pub enabled: bool,
    /// Share of a model's window left unused, to absorb counting errors.
    #[serde(rename = "token_safety_margin")]
    #[schemars(range(min = 0.0, max = 0.9))]
    pub safety_margin: f64,
    /// Tokens of its model's window that a command-line tool uses for itself, such as the system prompt of a coding tool. Model
    /// servers use none.
    #[schemars(range(max = 10_000_000))]
    pub runtime_overhead: u64,
    /// Most tokens of one model call, prompt and answer together, if that is less than the model's window. The answer gets at most
    /// a quarter of it.
    #[schemars(range(min = 1_000))]
    pub auto_compact_threshold: Option<u64>,
    /// Most calls of a model that turn the texts of a session into findings. Together they carry as many windows; what lies beyond is
    /// shortened or left out, the least important first.
    #[schemars(range(min = 1, max = 1_000))]
    pub compression_calls: u32,
    /// Drops the least relevant content if a request fits in no other way.
    pub allow_content_dropping: bool,
}

impl Default for TokenSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            safety_margin: 0.15,
            runtime_overhead: 60_000,
            auto_compact_threshold: None,
            compression_calls: 16,
            allow_content_dropping: true,
        }
    }
}
