//! The models that shorten texts, and their time limit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Summaries: many cheap calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SummarizationSettings {
    /// Model (`NAME:MODEL`) that shortens texts. The roles `summarization` and `compression` use it unless they have an entry in
    /// `roles`.
    #[serde(rename = "summarization_provider")]
    pub provider: Option<String>,
    /// Models (`NAME:MODEL`) tried after `summarization_provider`, in order.
    #[serde(rename = "summarization_providers")]
    pub providers: Vec<String>,
    /// Seconds one summary may take.
    #[serde(rename = "summarization_timeout")]
    #[schemars(range(min = 1.0, max = 3_600.0))]
    pub timeout_seconds: f64,
    /// Keeps summaries so that the same text is not shortened twice.
    #[serde(rename = "summarization_cache_enabled")]
    pub cache_enabled: bool,
}

impl Default for SummarizationSettings {
    fn default() -> Self {
        Self { provider: None, providers: Vec::new(), timeout_seconds: 120.0, cache_enabled: true }
    }
}
