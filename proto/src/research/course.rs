//! The course and outcome of a research, from the brief to the reason why it ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::brief::{Brief, SubQuestion};
use super::forked::Forked;
use super::options::CollectionRef;
use super::outcome::{BudgetUse, Coverage, HitCounts, Stop, TypedDisagreement, Unanswered};
use super::refinement::Refinement;
use super::round::Round;

/// The course and outcome of a research.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Research {
    /// The brief.
    pub brief: Brief,
    /// The sub-questions, in order; never empty.
    pub plan: Vec<SubQuestion>,
    /// The rounds in order; empty if nothing was searched.
    pub rounds: Vec<Round>,
    /// Coverage of each sub-question at the end, in the order of the plan.
    pub coverage: Vec<Coverage>,
    /// Numbers of hits by what happened to them.
    pub hits: HitCounts,
    /// Values on which documents differ.
    pub disagreements: Vec<TypedDisagreement>,
    /// Sub-questions without an answer, in the order of the plan.
    pub unanswered: Vec<Unanswered>,
    /// How much of the budget was used.
    pub budget: BudgetUse,
    /// Why the research ended.
    pub stop: Stop,
    /// Number of searches that were not made because they would have disclosed private text.
    #[serde(default)]
    pub withheld: u32,
    /// Words of the question that occur in no passage that was searched, in any form; empty if the search lanes cannot tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_words: Vec<String>,
    /// The collections that were searched, each with its version; empty if none was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<CollectionRef>,
    /// The report it was forked from and whose first rounds it kept; absent for a research of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked: Option<Forked>,
    /// The further iterations; absent if none were possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refinement: Option<Refinement>,
}
