//! The length of a report, and who judges its statements.

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
    /// Which statements of a model's report a model judges by their passages: all that are not verbatim; those in which figures, names or
    /// negations differ; or none. Asked is the role `evaluation`; if no model is named for it, the writer of the report.
    pub judge: JudgePolicy,
}

/// Which statements of a report a model judges.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JudgePolicy {
    /// All that are not verbatim.
    #[default]
    All,
    /// Those with words that their passages lack.
    Doubts,
    /// None.
    Off,
}

impl Default for ReportSettings {
    fn default() -> Self {
        Self { tokens: 1_500, judge: JudgePolicy::default() }
    }
}
