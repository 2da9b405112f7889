//! Planning: a question becomes a brief and sub-questions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::research::{Brief, QuestionKind, SubQuestion};

/// Most characters of any one text of a draft: a sub-question, a condition, a constraint, a topic. Chosen, not measured.
pub const DRAFT_TEXT_CHARS: usize = 300;
/// Most constraints, and most assumptions, of a plan.
pub const DRAFT_NOTES: usize = 10;

/// Plan what is to be found out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanTask {
    /// The question, as it was asked.
    pub question: String,
    /// The day on which the session was created, as `2026-11-23`.
    pub today: String,
    /// BCP 47 tag of the question's language; `und` where it could not be told.
    pub language: String,
    /// Titles of the documents that came with the question; untrusted.
    #[serde(default)]
    pub given: Vec<String>,
    /// The plan made without a model.
    pub built_in: TaskPlan,
    /// At most this many sub-questions.
    pub max_sub_questions: usize,
}

/// A plan as a model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskPlan {
    /// The question as understood.
    pub brief: Brief,
    /// What to find out, in order.
    pub sub_questions: Vec<SubQuestion>,
}

/// Look over a plan: merge, add or change sub-questions. Answered by another [`PlanDraft`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CritiquePlanTask {
    /// The question, as it was asked.
    pub question: String,
    /// As of [`PlanTask::today`].
    pub today: String,
    /// As of [`PlanTask::language`].
    pub language: String,
    /// Titles of the documents that came with the question; untrusted.
    #[serde(default)]
    pub given: Vec<String>,
    /// The plan to look over.
    pub draft: PlanDraft,
    /// At most this many sub-questions.
    pub max_sub_questions: usize,
}

/// A plan before it is joined with the one made without a model. What a [`PlanTask`] and a [`CritiquePlanTask`] return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanDraft {
    /// The question in plain words; never empty.
    pub restated: String,
    /// What kind of question it is.
    pub kind: QuestionKind,
    /// What the question limits its answer to; at most [`DRAFT_NOTES`].
    #[serde(default)]
    pub constraints: Vec<String>,
    /// What was taken for granted; at most [`DRAFT_NOTES`].
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// What to find out, in order; at least one.
    pub sub_questions: Vec<SubQuestionDraft>,
}

/// A sub-question of a [`PlanDraft`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubQuestionDraft {
    /// The sub-question; at most [`DRAFT_TEXT_CHARS`] characters.
    pub text: String,
    /// When it counts as answered; as long at most.
    #[serde(default)]
    pub answered_when: String,
    /// From 1, the most important, to 3.
    pub priority: u8,
    /// Places of the sub-questions whose answers it needs, from 1.
    #[serde(default)]
    pub after: Vec<u32>,
}
