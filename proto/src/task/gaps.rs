//! Gaps: what a finished report lacks, in addition to the computed gaps.

use serde::{Deserialize, Serialize};

use super::PlanRow;
use crate::research::Severity;

/// Most gaps read from an answer. Chosen, not measured.
pub const GAPS_READ: usize = 10;
/// Most characters of the text of a gap. Chosen, not measured.
pub const GAP_CHARS: usize = 300;

/// The task to name what a report lacks. Answered by [`GapDrafts`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapsTask {
    /// The question as submitted.
    pub question: String,
    /// The day on which the session was created, as `2026-11-23`.
    pub today: String,
    /// The sub-questions, in order.
    pub plan: Vec<PlanRow>,
    /// Gaps already being worked on, most severe first.
    pub known: Vec<String>,
    /// Queries already made, so that they are not repeated.
    pub asked: Vec<String>,
    /// The report; untrusted.
    pub report: String,
    /// Maximum number of gaps.
    pub max_gaps: usize,
    /// Maximum number of queries per gap.
    pub max_queries: usize,
}

/// The result of a [`GapsTask`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GapDrafts {
    /// The gaps in the order written; empty if there are no further ones, and always empty for the built-in model, whose gaps are already
    /// computed.
    pub gaps: Vec<GapDraft>,
}

/// A gap named by a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GapDraft {
    /// Id of its sub-question: `q1` and so on.
    pub sub_question: String,
    /// Description of what is missing; at most [`GAP_CHARS`] characters, never empty.
    pub text: String,
    /// Severity of the gap.
    pub severity: Severity,
    /// Queries to search with; never empty.
    pub queries: Vec<String>,
}
