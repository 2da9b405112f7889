//! Model tasks: one type per kind of work, and the type of its result.
//!
//! A language model gets a task as a prompt; the extractive model gets the task itself.

mod evidence;
mod gaps;
mod judge;
mod plan;
mod rate;
mod summarize;
mod supervise;
mod turn;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_words;
use crate::quote_context::ContextRange;

pub use evidence::{ShownDocument, ShownEvidence, ShownPassage};
pub use gaps::{GAP_CHARS, GAPS_READ, GapDraft, GapDrafts, GapsTask};
pub use judge::{
    JUDGED_QUOTE_CHARS, JUDGED_REASON_CHARS, JudgePartsTask, JudgePassage, JudgeStatementsTask, JudgeTask,
    JudgedStatement, Judgement, PartVerdict, PartVerdicts, REPLACEMENT_CHARS, RepairTask, Replacement, Replacements,
    StatementVerdict, Verdicts,
};
pub use plan::{
    CritiquePlanTask, DRAFT_NOTES, DRAFT_TEXT_CHARS, PlanDraft, PlanTask, SUB_QUESTION_BOUND, SubQuestionDraft,
    TaskPlan,
};
pub use rate::{RATINGS_READ, RateTask, RatedSource, Rating, Ratings};
pub use summarize::{NumberedSummary, ShortText, Summaries, SummarizeTask, SummarizeTogetherTask, Summary};
pub use supervise::{
    CoverageRow, CritiqueDirectivesTask, DIRECTIVES_READ, DelegateTask, Delegation, DirectiveDraft, EvidenceRow,
    INVENTORY_CHARS, PlanRow, THOUGHT_CHARS, ThinkTask, Thought,
};
pub use turn::{
    ADDRESS_CHARS, QUERY_CHARS, READ_ADDRESSES, SEARCH_QUERIES, TURN_CALLS, ToolCall, Turn, TurnDirective, TurnMessage,
    TurnRole, TurnTask,
};

closed_words! {
    /// The role of a model call; each role has its own chain of providers.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum Role: serde {
        /// Searching and reading (strong tier).
        Research => "research",
        /// Planning and delegating (strong tier).
        Supervision => "supervision",
        /// Summarizing a text (cheap tier).
        Summarization => "summarization",
        /// Turning evidence into findings (cheap tier).
        Compression => "compression",
        /// Turning findings into a report (strong tier).
        Synthesis => "synthesis",
        /// Judging a report (strong tier).
        Evaluation => "evaluation",
        /// Making vectors of questions and passages; answers no task.
        Embedding => "embedding",
    }
}

impl Role {
    /// The roles that answer a [`Task`]: all but [`Role::Embedding`].
    pub const OF_TASKS: [Self; 6] =
        [Self::Research, Self::Supervision, Self::Summarization, Self::Compression, Self::Synthesis, Self::Evaluation];
}

/// A typed request to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "task", rename_all = "snake_case")]
pub enum Task {
    /// Summarize one text; answered by [`Summary`].
    Summarize(SummarizeTask),
    /// Summarize several short texts; answered by [`Summaries`].
    SummarizeTogether(SummarizeTogetherTask),
    /// Turn passages into findings; answered by [`FindingDrafts`].
    Compress(CompressTask),
    /// Turn findings into a report; answered by [`ReportDraft`].
    Synthesize(SynthesizeTask),
    /// Plan the research; answered by [`PlanDraft`].
    Plan(PlanTask),
    /// Revise a plan; answered by [`PlanDraft`].
    CritiquePlan(CritiquePlanTask),
    /// Assess what is known; answered by [`Thought`].
    Think(ThinkTask),
    /// Write directives for researchers; answered by [`Delegation`].
    Delegate(DelegateTask),
    /// Revise the first directives; answered by [`Delegation`].
    CritiqueDirectives(CritiqueDirectivesTask),
    /// Name the gaps of a report; answered by [`GapDrafts`].
    Gaps(GapsTask),
    /// Continue a directive; answered by [`Turn`].
    Turn(TurnTask),
    /// Judge whether statements answer a question; answered by [`Judgement`].
    Judge(JudgeTask),
    /// Judge whether statements answer each part of a question; answered by [`PartVerdicts`].
    JudgeParts(JudgePartsTask),
    /// Judge statements by the passages they cite; answered by [`Verdicts`].
    JudgeStatements(JudgeStatementsTask),
    /// Write new sentences in place of statements that failed; answered by [`Replacements`].
    Repair(RepairTask),
    /// Rate a report as a whole; answered by [`Ratings`].
    Rate(RateTask),
}

impl Task {
    /// Returns the role of the task.
    #[must_use]
    pub fn role(&self) -> Role {
        match self {
            Self::Summarize(_) | Self::SummarizeTogether(_) => Role::Summarization,
            Self::Compress(_) => Role::Compression,
            Self::Synthesize(_) | Self::Repair(_) => Role::Synthesis,
            Self::Plan(_)
            | Self::CritiquePlan(_)
            | Self::Think(_)
            | Self::Delegate(_)
            | Self::CritiqueDirectives(_)
            | Self::Gaps(_) => Role::Supervision,
            Self::Turn(_) => Role::Research,
            Self::Judge(_) | Self::JudgeParts(_) | Self::JudgeStatements(_) | Self::Rate(_) => Role::Evaluation,
        }
    }
}

/// What is known about the question besides its words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuestionContext {
    /// Identifiers in the question that name documents of the session, such as `PEP 8`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<String>,
    /// Rarity of the terms of the question in what was searched: the larger, the rarer. Empty if the documents were given.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rarity: BTreeMap<String, f64>,
    /// Terms of the question after which folders of some sources are called, such as `tokio`; empty if the documents were given, or if
    /// the question has several parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
}

impl QuestionContext {
    /// Returns whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.rarity.is_empty() && self.subjects.is_empty()
    }
}

/// Turn passages about one topic into findings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompressTask {
    /// The question.
    pub query: String,
    /// Topic of the passages; empty for a plain batch.
    pub topic: String,
    /// The evidence; untrusted.
    pub passages: Vec<TaskPassage>,
    /// Earlier notes of a model on the sources: for orientation, never to be cited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<TaskNote>,
    /// Maximum number of findings.
    pub max_findings: usize,
    /// What is known about the question; not part of a prompt.
    #[serde(default, skip_serializing_if = "QuestionContext::is_empty")]
    pub known: QuestionContext,
}

/// Cosine similarities of a passage to a question, −1 to 1; those that are not known are `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PassageSimilarity {
    /// That of the whole passage.
    pub whole: Option<f64>,
    /// That of each of its units, in order.
    pub units: Vec<Option<f64>>,
}

impl PassageSimilarity {
    /// Whether none is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.whole.is_none() && self.units.is_empty()
    }
}

/// A passage in a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskPassage {
    /// Number within the task, from 1.
    pub id: u32,
    /// Title of the source.
    pub title: String,
    /// Path of the source in the searched folder; empty if it was given, or is a page. Used by the extractive model only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Number of the source; passages of one source share it.
    pub source: u32,
    /// Text of the passage.
    pub text: String,
    /// Relevance to the query, 0 to 1.
    pub score: f64,
    /// Units that may be quoted on their own, in order; may be empty. Used by the extractive model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<crate::finding::Unit>,
    /// The headings above the passage, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Column names of the table rows among its units; empty if there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub columns: String,
    /// Ranges of the text that units need to keep their meaning, as in [`crate::finding::Passage::context`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextRange>,
    /// How near it is to the question by meaning; nothing without a model of meaning. Used by the extractive model only.
    #[serde(default, skip_serializing_if = "PassageSimilarity::is_empty")]
    pub similarity: PassageSimilarity,
}

/// A note of a model on one source, for another model: for orientation only; only passages and findings are cited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskNote {
    /// Number of the source, as in [`TaskPassage::source`] or [`TaskFinding::source`].
    pub source: u32,
    /// Title of the source.
    pub title: String,
    /// Prose.
    pub summary: String,
    /// Points, most important first.
    pub points: Vec<TaskPoint>,
}

/// A point of a [`TaskNote`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskPoint {
    /// The point.
    pub text: String,
    /// Numbers of the passages or findings of the task that support it; may be empty.
    pub stands_on: Vec<u32>,
}

/// The result of a [`CompressTask`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingDrafts {
    /// The findings, best first.
    pub findings: Vec<FindingDraft>,
}

/// A finding before its passages are turned into quotes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingDraft {
    /// The statement.
    pub statement: String,
    /// Numbers of the passages that support it; at least one.
    pub passages: Vec<u32>,
    /// The part of the first passage that is quoted, in characters of that passage; set by the extractive model only. The statement is
    /// this part and what it needs of the passage's `context`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<crate::CharRange>,
    /// The words of that part that answer, in characters of the passage; set by the extractive model only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<crate::CharRange>,
    /// Whether the answer is the whole list of the quoted item; set by the extractive model only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_list: bool,
    /// Importance, 0 to 1; optional for language models.
    #[serde(default)]
    pub score: f64,
    /// Cosine similarity of its meaning to that of the question, −1 to 1. Set by the extractive model only, where a model of meaning
    /// is in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
}

/// Most statements of a report requested as a list, after a model failed to write it in Markdown.
pub const LISTED_STATEMENTS: usize = 12;

/// Turn findings into a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SynthesizeTask {
    /// The question.
    pub query: String,
    /// The findings, best first.
    pub findings: Vec<TaskFinding>,
    /// The passages that a model writes from, numbered after the findings; without them it writes from the findings alone. Not used by the
    /// extractive model.
    #[serde(default, skip_serializing_if = "ShownEvidence::is_empty")]
    pub evidence: ShownEvidence,
    /// Earlier notes of a model on the sources: for orientation, never to be cited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<TaskNote>,
    /// Raw notes of researchers, oldest first: included as far as they fit next to the findings, never to be cited; untrusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raw_notes: Vec<String>,
    /// Whether the findings answer the question; absent if this was not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<crate::answer::AnswerStatus>,
    /// Target length of the report, in tokens.
    pub target_tokens: u64,
    /// What was written of the report before the answer was cut off; the answer to this task goes on behind it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub begun: String,
}

impl SynthesizeTask {
    /// Returns the numbers that its report may cite.
    pub fn citable(&self) -> impl Iterator<Item = u32> + '_ {
        self.findings.iter().map(|finding| finding.id).chain(self.evidence.passages.iter().map(|passage| passage.id))
    }
}

/// A finding in a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskFinding {
    /// Number that the report cites in brackets.
    pub id: u32,
    /// Topic of the finding.
    pub topic: String,
    /// The statement.
    pub statement: String,
    /// Title of the source of its first quote.
    pub title: String,
    /// Number of that source; findings of one source share it.
    pub source: u32,
    /// Importance, 0 to 1.
    pub score: f64,
    /// The headings above its first quote, outermost first. Used by the extractive model only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Path of that source in the searched folder; empty if it was given, or is a page. Used by the extractive model only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// What its first quote needs beside itself; `statement` contains it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextRange>,
    /// Cosine similarity of its meaning to that of the question, −1 to 1. Only where a model of meaning is in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
}

/// The result of a [`SynthesizeTask`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportDraft {
    /// The report as Markdown, with finding ids in brackets after each statement: `[3]`.
    pub markdown: String,
}
