//! The course and the outcome of research, from the brief to why it ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::brief::{Brief, SubQuestion};
use super::forked::Forked;
use super::outcome::{BudgetUse, Coverage, HitCounts, Stop, TypedDisagreement, Unanswered};
use super::refinement::Refinement;
use super::round::Round;

/// The course and the outcome of research.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Research {
    /// The question as understood.
    pub brief: Brief,
    /// What was to be found out, in order; never empty.
    pub plan: Vec<SubQuestion>,
    /// The rounds in order; empty where nothing was searched.
    pub rounds: Vec<Round>,
    /// How far each sub-question of the plan is covered at the end, in the order of the plan.
    pub coverage: Vec<Coverage>,
    /// What became of the hits.
    pub hits: HitCounts,
    /// Values on which documents differ.
    pub disagreements: Vec<TypedDisagreement>,
    /// Sub-questions without an answer, in the order of the plan.
    pub unanswered: Vec<Unanswered>,
    /// What was used of what was allowed.
    pub budget: BudgetUse,
    /// Why the research ended.
    pub stop: Stop,
    /// Searches that were not made because they would have carried private text.
    #[serde(default)]
    pub withheld: u32,
    /// Words of the question that stand in no passage of what was searched, in no form; empty where a searcher cannot tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_words: Vec<String>,
    /// What it was forked from: its first rounds are those of that report; absent where all of them are its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked: Option<Forked>,
    /// The further iterations; absent where there could be none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refinement: Option<Refinement>,
}
