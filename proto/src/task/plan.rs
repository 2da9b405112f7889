//! Planning: turns a question into a brief and sub-questions.

use serde::{Deserialize, Serialize};

use crate::research::{Brief, QuestionKind, SubQuestion};

/// Most characters of each text in a draft: a sub-question, a condition, a constraint, a topic. Chosen, not measured.
pub const DRAFT_TEXT_CHARS: usize = 300;
/// Most sub-questions of any plan.
pub const SUB_QUESTION_BOUND: usize = 20;
/// Most constraints and most assumptions of a plan.
pub const DRAFT_NOTES: usize = 10;

/// The task to plan a research. Answered by a [`PlanDraft`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanTask {
    /// The question as submitted.
    pub question: String,
    /// The day on which the session was created, as `2026-11-23`.
    pub today: String,
    /// BCP 47 tag of the language of the question; `und` if unknown.
    pub language: String,
    /// Titles of the documents submitted with the question; untrusted.
    #[serde(default)]
    pub given: Vec<String>,
    /// The plan made without a model.
    pub built_in: TaskPlan,
    /// Maximum number of sub-questions.
    pub max_sub_questions: usize,
}

/// A plan in a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskPlan {
    /// The brief.
    pub brief: Brief,
    /// The sub-questions, in order.
    pub sub_questions: Vec<SubQuestion>,
}

/// The task to revise a plan: merge, add or change sub-questions. Answered by another [`PlanDraft`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CritiquePlanTask {
    /// The question as submitted.
    pub question: String,
    /// As [`PlanTask::today`].
    pub today: String,
    /// As [`PlanTask::language`].
    pub language: String,
    /// Titles of the documents submitted with the question; untrusted.
    #[serde(default)]
    pub given: Vec<String>,
    /// The plan to revise.
    pub draft: PlanDraft,
    /// Maximum number of sub-questions.
    pub max_sub_questions: usize,
}

/// A plan by a model, before it is merged with the one made without a model. The result of a [`PlanTask`] and of a [`CritiquePlanTask`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanDraft {
    /// The question in plain words; never empty.
    pub restated: String,
    /// Kind of the question.
    pub kind: QuestionKind,
    /// Constraints that the question puts on the answer; at most [`DRAFT_NOTES`].
    #[serde(default)]
    pub constraints: Vec<String>,
    /// Assumptions made; at most [`DRAFT_NOTES`].
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// The sub-questions, in order; at least one.
    pub sub_questions: Vec<SubQuestionDraft>,
}

/// A sub-question of a [`PlanDraft`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubQuestionDraft {
    /// The sub-question; at most [`DRAFT_TEXT_CHARS`] characters.
    pub text: String,
    /// Condition under which it counts as answered; at most [`DRAFT_TEXT_CHARS`] characters.
    #[serde(default)]
    pub answered_when: String,
    /// Priority from 1, the most important, to 3.
    pub priority: u8,
    /// Positions, from 1, of the sub-questions whose answers it needs.
    #[serde(default)]
    pub after: Vec<u32>,
}
