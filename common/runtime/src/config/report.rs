//! How long a report may get, and what it may cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportSettings {
    /// Tokens a report aims for at most.
    #[serde(rename = "report_tokens")]
    #[schemars(range(min = 200, max = 20_000))]
    pub tokens: u64,
    /// US dollars a session may spend on models. What is left to do then goes to the built-in model.
    #[schemars(range(min = 0.0))]
    pub max_spend_usd: Option<f64>,
}

impl Default for ReportSettings {
    fn default() -> Self {
        Self { tokens: 1_500, max_spend_usd: None }
    }
}
