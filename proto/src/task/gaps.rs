//! Gaps: what a finished report lacks beside what was computed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PlanRow;
use crate::research::Severity;

/// Most gaps of an answer that are read. Chosen, not measured.
pub const GAPS_READ: usize = 10;
/// Most characters of what a gap says. Chosen, not measured.
pub const GAP_CHARS: usize = 300;

/// Name what a report lacks. Answered by [`GapDrafts`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GapsTask {
    /// The question, as it was asked.
    pub question: String,
    /// The day on which the session was created, as `2026-11-23`.
    pub today: String,
    /// What was to be found out, in order.
    pub plan: Vec<PlanRow>,
    /// Gaps that are looked for already, the gravest first.
    pub known: Vec<String>,
    /// What was searched for, so that it is not searched for again.
    pub asked: Vec<String>,
    /// The report; untrusted.
    pub report: String,
    /// At most this many gaps.
    pub max_gaps: usize,
    /// At most this many queries for each.
    pub max_queries: usize,
}

/// What a [`GapsTask`] returns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GapDrafts {
    /// In the order in which they were written; empty where the report lacks nothing more, and for the built-in model, which has computed
    /// what it knows.
    pub gaps: Vec<GapDraft>,
}

/// A gap that a model names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GapDraft {
    /// The sub-question that it belongs to: `q1` and so on.
    pub sub_question: String,
    /// What is missing, in words; at most [`GAP_CHARS`] characters, never empty.
    pub text: String,
    /// How much it matters.
    pub severity: Severity,
    /// What to search for; never empty.
    pub queries: Vec<String>,
}
