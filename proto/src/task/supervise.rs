//! Supervision: assesses what is known, then writes directives for researchers.

use serde::{Deserialize, Serialize};

use crate::research::{Answered, Complexity};

/// Most characters of a thought.
pub const THOUGHT_CHARS: usize = 2_000;
/// Most characters of the text of an [`EvidenceRow`].
pub const INVENTORY_CHARS: usize = 500;
/// Most directives read from one [`Delegation`]; those above the limit of the round are refused by name.
pub const DIRECTIVES_READ: usize = 20;

/// The task to assess what is known and what is missing. Answered by a [`Thought`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThinkTask {
    /// The question as submitted.
    pub question: String,
    /// The day on which the session was created, as `2026-11-23`.
    pub today: String,
    /// The sub-questions, in order.
    pub plan: Vec<PlanRow>,
    /// Coverage of each sub-question, in the order of the plan; empty before the first round.
    #[serde(default)]
    pub coverage: Vec<CoverageRow>,
    /// The round to decide on, from 1.
    pub round: u32,
    /// Maximum number of rounds.
    pub rounds: u32,
    /// Searches left in the session.
    pub searches_left: u32,
    /// Tool calls left in the session.
    pub calls_left: u32,
    /// Evidence gathered by researchers, oldest first; untrusted.
    #[serde(default)]
    pub evidence: Vec<EvidenceRow>,
    /// Findings of researchers, oldest first; untrusted.
    #[serde(default)]
    pub findings: Vec<String>,
    /// Thoughts of earlier rounds, oldest first; based on untrusted text.
    #[serde(default)]
    pub thoughts: Vec<String>,
    /// Directives of the previous round that were refused, each with the reason.
    #[serde(default)]
    pub refused: Vec<String>,
}

/// A sub-question in a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRow {
    /// Id: `q1` and so on.
    pub id: String,
    /// The sub-question.
    pub text: String,
    /// Condition under which it counts as answered.
    pub answered_when: String,
    /// Priority from 1, the most important, to 3.
    pub priority: u8,
    /// Ids of the sub-questions whose answers it needs.
    #[serde(default)]
    pub after: Vec<String>,
}

/// The coverage of a sub-question, and its change in the last round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageRow {
    /// The sub-question.
    pub sub_question: String,
    /// Coverage before the last round; absent if the sub-question was new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Answered>,
    /// Coverage now.
    pub answered: Answered,
    /// Number of documents with a passage that covers a part of it.
    pub documents: u32,
    /// Number of these documents that do not repeat one another.
    pub independent: u32,
    /// Description of what is missing; empty if nothing is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub missing: String,
}

/// The evidence gathered by one directive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceRow {
    /// Id of the directive: `r1.d1` and so on.
    pub directive: String,
    /// Its inventory, cut at whole lines to at most [`INVENTORY_CHARS`] characters.
    pub text: String,
}

/// The result of a [`ThinkTask`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thought {
    /// Description of the gaps; at most [`THOUGHT_CHARS`] characters, never empty.
    pub text: String,
    /// Whether what is known is enough for a report.
    #[serde(default)]
    pub is_enough: bool,
}

/// The task to write directives that close the gaps. Answered by a [`Delegation`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelegateTask {
    /// The task that the thought answered.
    pub seen: ThinkTask,
    /// The thought of this round.
    pub thought: Thought,
    /// Complexity of the question.
    pub complexity: Complexity,
    /// Number of things the question compares; 0 if it is not a comparison.
    pub compared: usize,
    /// Maximum number of directives.
    pub max_directives: usize,
}

/// The task to revise the directives of the first round: overlap, gaps, proportion. Answered by another [`Delegation`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CritiqueDirectivesTask {
    /// The question as submitted.
    pub question: String,
    /// As [`ThinkTask::today`].
    pub today: String,
    /// The sub-questions, in order.
    pub plan: Vec<PlanRow>,
    /// The directives to revise.
    pub delegation: Delegation,
    /// Complexity of the question.
    pub complexity: Complexity,
    /// Number of things the question compares; 0 if it is not a comparison.
    pub compared: usize,
    /// Maximum number of directives.
    pub max_directives: usize,
}

/// The result of a [`DelegateTask`] and of a [`CritiqueDirectivesTask`]: directives, or that the research is complete.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Delegation {
    /// The directives; empty only if the research is complete.
    #[serde(default)]
    pub directives: Vec<DirectiveDraft>,
    /// Whether the research is complete.
    #[serde(default)]
    pub is_complete: bool,
    /// The reason, in words.
    #[serde(default)]
    pub reason: String,
}

/// A directive before it gets its share of the budget.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DirectiveDraft {
    /// Ids of the sub-questions it works on; at least one.
    pub sub_questions: Vec<String>,
    /// What to look for; never empty.
    pub topic: String,
    /// Perspective to take.
    #[serde(default)]
    pub perspective: String,
    /// Kind of evidence needed.
    #[serde(default)]
    pub evidence_needed: String,
    /// Priority from 1, the most important, to 3.
    pub priority: u8,
}
