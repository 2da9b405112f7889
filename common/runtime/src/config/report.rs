//! How long a report may get.

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
}

impl Default for ReportSettings {
    fn default() -> Self {
        Self { tokens: 1_500 }
    }
}
