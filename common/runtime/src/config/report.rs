//! The length of a report.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportSettings {
    /// Target for the longest report, in tokens.
    #[serde(rename = "report_tokens")]
    #[schemars(range(min = 200, max = 20_000))]
    pub tokens: u64,
}

impl Default for ReportSettings {
    fn default() -> Self {
        Self { tokens: 1_500 }
    }
}
