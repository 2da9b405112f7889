//! Who shortens texts, and how long that may take.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Summaries, the high-volume and cheap calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SummarizationSettings {
    /// `NAME:MODEL` that shortens texts. The roles `summarization` and `compression` use it unless `roles` says otherwise.
    #[serde(rename = "summarization_provider")]
    pub provider: Option<String>,
    /// The ones tried after it, in order.
    #[serde(rename = "summarization_providers")]
    pub providers: Vec<String>,
    /// Seconds one summary may take.
    #[serde(rename = "summarization_timeout")]
    #[schemars(range(min = 1.0, max = 3_600.0))]
    pub timeout_seconds: f64,
    /// Keeps summaries, so that the same text is not shortened twice.
    #[serde(rename = "summarization_cache_enabled")]
    pub cache_enabled: bool,
}

impl Default for SummarizationSettings {
    fn default() -> Self {
        Self { provider: None, providers: Vec::new(), timeout_seconds: 120.0, cache_enabled: true }
    }
}
