//! The length of a report, and who judges its statements.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReportSettings {
    /// Target for the longest report, in tokens; by default 3,000 where a model writes it and 1,500 where the built-in one does.
    #[serde(rename = "report_tokens")]
    #[schemars(range(min = 200, max = 20_000))]
    pub tokens: Option<u64>,
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

/// Targets that apply if none is set, in tokens. Chosen: a model is told to write as much as is needed, and what it was shown is worth it.
const TOKENS_OF_MODEL: u64 = 3_000;
const TOKENS_BUILT_IN: u64 = 1_500;

impl ReportSettings {
    /// The target for the longest report, in tokens; `is_model` is whether a language model writes it.
    #[must_use]
    pub fn target_tokens(&self, is_model: bool) -> u64 {
        self.tokens.unwrap_or(if is_model { TOKENS_OF_MODEL } else { TOKENS_BUILT_IN })
    }
}

impl Default for ReportSettings {
    fn default() -> Self {
        Self { tokens: None, writer_evidence_tokens: 32_000, judge: JudgePolicy::default() }
    }
}
