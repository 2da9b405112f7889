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
    /// Most tokens of passages that a model sees when it writes a report, besides findings; at most its share of the window. If all texts
    /// of a session fit, the model reads them whole and no call turns them into findings first. 0: it writes from findings alone.
    #[schemars(range(max = 1_000_000))]
    pub writer_evidence_tokens: u64,
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
        Self { tokens: 1_500, writer_evidence_tokens: 32_000, judge: JudgePolicy::default() }
    }
}
