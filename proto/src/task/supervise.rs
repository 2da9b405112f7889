//! Supervision: what is known is weighed, then researchers are sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::research::{Answered, Complexity};

/// Most characters of a thought.
pub const THOUGHT_CHARS: usize = 2_000;
/// Most characters of the text of an [`EvidenceRow`].
pub const INVENTORY_CHARS: usize = 500;
/// Directives of one [`Delegation`] that are read; what is over the bound of the round is refused by name.
pub const DIRECTIVES_READ: usize = 20;

/// Weigh what is known, and what is missing. Answered by a [`Thought`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThinkTask {
    /// The question, as it was asked.
    pub question: String,
    /// The day on which the session was created, as `2026-11-23`.
    pub today: String,
    /// What is to be found out, in order.
    pub plan: Vec<PlanRow>,
    /// How far each sub-question is covered, in the order of the plan; empty before the first round.
    #[serde(default)]
    pub coverage: Vec<CoverageRow>,
    /// The round that is to be decided on, from 1.
    pub round: u32,
    /// Rounds there are.
    pub rounds: u32,
    /// Searches left in the session.
    pub searches_left: u32,
    /// Tool calls left in the session.
    pub calls_left: u32,
    /// What researchers have gathered, oldest first; untrusted.
    #[serde(default)]
    pub evidence: Vec<EvidenceRow>,
    /// What was found out, oldest first; untrusted.
    #[serde(default)]
    pub findings: Vec<String>,
    /// Thoughts of the rounds before, oldest first; made of what is untrusted.
    #[serde(default)]
    pub thoughts: Vec<String>,
    /// Directives of the round before that were refused, each with the reason.
    #[serde(default)]
    pub refused: Vec<String>,
}

/// A sub-question as a supervisor and a researcher see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRow {
    /// `q1` and so on.
    pub id: String,
    /// The sub-question.
    pub text: String,
    /// When it counts as answered.
    pub answered_when: String,
    /// From 1, the most important, to 3.
    pub priority: u8,
    /// Sub-questions whose answers it needs.
    #[serde(default)]
    pub after: Vec<String>,
}

/// How far a sub-question is covered, and what the last round changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CoverageRow {
    /// The sub-question.
    pub sub_question: String,
    /// Before the last round; absent where it was new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Answered>,
    /// Now.
    pub answered: Answered,
    /// Documents with a passage that covers a part of it.
    pub documents: u32,
    /// Of these, documents that do not repeat one another.
    pub independent: u32,
    /// What is missing, in words; empty where nothing is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub missing: String,
}

/// What one directive gathered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceRow {
    /// `r1.d1` and so on.
    pub directive: String,
    /// Its inventory in whole lines, at most [`INVENTORY_CHARS`] characters.
    pub text: String,
}

/// What a [`ThinkTask`] returns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Thought {
    /// The gaps, in words; at most [`THOUGHT_CHARS`] characters, never empty.
    pub text: String,
    /// Whether what is known is enough for a report.
    #[serde(default)]
    pub is_enough: bool,
}

/// Send researchers to close the gaps. Answered by a [`Delegation`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DelegateTask {
    /// What the thought was about.
    pub seen: ThinkTask,
    /// The thought of this round.
    pub thought: Thought,
    /// How much work the question is.
    pub complexity: Complexity,
    /// Things the question compares; 0 where it compares none.
    pub compared: usize,
    /// At most this many directives.
    pub max_directives: usize,
}

/// Look over the directives of the first round: overlap, gaps, proportion. Answered by another [`Delegation`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CritiqueDirectivesTask {
    /// The question, as it was asked.
    pub question: String,
    /// As of [`ThinkTask::today`].
    pub today: String,
    /// What is to be found out, in order.
    pub plan: Vec<PlanRow>,
    /// The directives to look over.
    pub delegation: Delegation,
    /// How much work the question is.
    pub complexity: Complexity,
    /// Things the question compares; 0 where it compares none.
    pub compared: usize,
    /// At most this many directives.
    pub max_directives: usize,
}

/// What a [`DelegateTask`] and a [`CritiqueDirectivesTask`] return: directives, or that nothing is left to do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delegation {
    /// The directives; empty only where it is complete.
    #[serde(default)]
    pub directives: Vec<DirectiveDraft>,
    /// Whether nothing is left to look for.
    #[serde(default)]
    pub is_complete: bool,
    /// Why, in words.
    #[serde(default)]
    pub reason: String,
}

/// A directive before it is granted its share of the budget.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectiveDraft {
    /// Sub-questions of the plan that it works on; at least one.
    pub sub_questions: Vec<String>,
    /// What to look for; never empty.
    pub topic: String,
    /// From which side to look at it.
    #[serde(default)]
    pub perspective: String,
    /// What kind of evidence is wanted.
    #[serde(default)]
    pub evidence_needed: String,
    /// From 1, the most important, to 3.
    pub priority: u8,
}
