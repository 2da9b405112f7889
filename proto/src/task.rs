//! What a model is asked to do, in types: one task per kind of work, and what comes back.
//!
//! A language model reads a task through a prompt; the extractive model reads it as it is.

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

pub use gaps::{GAP_CHARS, GAPS_READ, GapDraft, GapDrafts, GapsTask};
pub use judge::{JUDGED_QUOTE_CHARS, JUDGED_REASON_CHARS, JudgePassage, JudgeTask, Judgement};
pub use plan::{CritiquePlanTask, DRAFT_NOTES, DRAFT_TEXT_CHARS, PlanDraft, PlanTask, SubQuestionDraft, TaskPlan};
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

/// What a model call is for; each role has its own chain of providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Searching and reading (strong tier).
    Research,
    /// Planning and delegating (strong tier).
    Supervision,
    /// Shortening one text (cheap tier).
    Summarization,
    /// Evidence to findings (cheap tier).
    Compression,
    /// Findings to a report (strong tier).
    Synthesis,
    /// Judging a report (strong tier).
    Evaluation,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 6] =
        [Self::Research, Self::Supervision, Self::Summarization, Self::Compression, Self::Synthesis, Self::Evaluation];

    /// The word in configuration, metrics and messages.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Research => "research",
            Self::Supervision => "supervision",
            Self::Summarization => "summarization",
            Self::Compression => "compression",
            Self::Synthesis => "synthesis",
            Self::Evaluation => "evaluation",
        }
    }
}

/// A typed request to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "task", rename_all = "snake_case")]
pub enum Task {
    /// Shorten one text; answered by [`Summary`].
    Summarize(SummarizeTask),
    /// Shorten several short texts; answered by [`Summaries`].
    SummarizeTogether(SummarizeTogetherTask),
    /// Turn passages into findings; answered by [`FindingDrafts`].
    Compress(CompressTask),
    /// Turn findings into a report; answered by [`ReportDraft`].
    Synthesize(SynthesizeTask),
    /// Plan what is to be found out; answered by [`PlanDraft`].
    Plan(PlanTask),
    /// Look over a plan; answered by [`PlanDraft`].
    CritiquePlan(CritiquePlanTask),
    /// Weigh what is known; answered by [`Thought`].
    Think(ThinkTask),
    /// Send researchers; answered by [`Delegation`].
    Delegate(DelegateTask),
    /// Look over the first directives; answered by [`Delegation`].
    CritiqueDirectives(CritiqueDirectivesTask),
    /// Name what a report lacks; answered by [`GapDrafts`].
    Gaps(GapsTask),
    /// Go on with a directive; answered by [`Turn`].
    Turn(TurnTask),
    /// Judge a statement by its quotes; answered by [`Judgement`].
    Judge(JudgeTask),
    /// Rate a report as a whole; answered by [`Ratings`].
    Rate(RateTask),
}

impl Task {
    /// The role this task belongs to.
    #[must_use]
    pub fn role(&self) -> Role {
        match self {
            Self::Summarize(_) | Self::SummarizeTogether(_) => Role::Summarization,
            Self::Compress(_) => Role::Compression,
            Self::Synthesize(_) => Role::Synthesis,
            Self::Plan(_)
            | Self::CritiquePlan(_)
            | Self::Think(_)
            | Self::Delegate(_)
            | Self::CritiqueDirectives(_)
            | Self::Gaps(_) => Role::Supervision,
            Self::Turn(_) => Role::Research,
            Self::Judge(_) | Self::Rate(_) => Role::Evaluation,
        }
    }
}

/// What a session knows of its question beside its words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QuestionContext {
    /// Identifiers in the question by which documents of the session are known, such as `PEP 8`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<String>,
    /// How rare terms of the question are where its documents were searched for: the larger, the rarer. Empty where they were given.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rarity: BTreeMap<String, f64>,
}

impl QuestionContext {
    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty() && self.rarity.is_empty()
    }
}

/// Turn passages about one topic into findings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompressTask {
    /// The question.
    pub query: String,
    /// What these passages are about; empty where they are simply the next batch.
    pub topic: String,
    /// The evidence; untrusted.
    pub passages: Vec<TaskPassage>,
    /// What a model wrote of the sources before: to find one's way, never to be cited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<TaskNote>,
    /// At most this many findings.
    pub max_findings: usize,
    /// What is known of the question; a language model is not told.
    #[serde(default, skip_serializing_if = "QuestionContext::is_empty")]
    pub known: QuestionContext,
}

/// A passage as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskPassage {
    /// Number within the task, from 1.
    pub id: u32,
    /// Title of its source.
    pub title: String,
    /// Which source it is from; passages of one source share the number.
    pub source: u32,
    /// Its text.
    pub text: String,
    /// Relevance to the query, 0 to 1.
    pub score: f64,
    /// What may be quoted of it by itself, in order; empty where that is nothing. The extractive model reads it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<crate::finding::Unit>,
    /// The headings it stands below, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// What names the columns of the table rows among its units; empty where there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub columns: String,
}

/// What a model wrote of one source, as another model sees it: it orients, and only passages and findings are cited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskNote {
    /// Which source it is of; numbers as in [`TaskPassage::source`] or [`TaskFinding::source`].
    pub source: u32,
    /// Title of the source.
    pub title: String,
    /// Prose.
    pub summary: String,
    /// Points, most important first.
    pub points: Vec<TaskPoint>,
}

/// A point of a [`TaskNote`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskPoint {
    /// The point.
    pub text: String,
    /// Numbers of the passages or findings of the task that carry it; empty where none does.
    pub stands_on: Vec<u32>,
}

/// What a [`CompressTask`] returns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindingDrafts {
    /// Best first.
    pub findings: Vec<FindingDraft>,
}

/// A finding before its passages are turned into quotes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindingDraft {
    /// The statement.
    pub statement: String,
    /// Passages it stands on, by number; at least one.
    pub passages: Vec<u32>,
    /// The part of the first passage that is the statement, in characters of that passage; the extractive model sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<crate::CharRange>,
    /// Importance, 0 to 1; language models may leave it out.
    #[serde(default)]
    pub score: f64,
}

/// Most statements of a report that is asked for as a list, where a model could not write it in Markdown.
pub const LISTED_STATEMENTS: usize = 12;

/// Turn findings into a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SynthesizeTask {
    /// The question.
    pub query: String,
    /// The findings, best first.
    pub findings: Vec<TaskFinding>,
    /// What a model wrote of the sources before: to find one's way, never to be cited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<TaskNote>,
    /// Raw notes of researchers, oldest first: shown as far as there is room beside the findings, never to be cited; untrusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raw_notes: Vec<String>,
    /// Whether the findings answer the question, where that was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<crate::answer::AnswerStatus>,
    /// Aim for at most this many tokens of report.
    pub target_tokens: u64,
}

/// A finding as a model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskFinding {
    /// What the report writes in brackets.
    pub id: u32,
    /// What it is about.
    pub topic: String,
    /// The statement.
    pub statement: String,
    /// Title of the source of its first quote.
    pub title: String,
    /// Which source that is; findings of one source share the number.
    pub source: u32,
    /// Importance, 0 to 1.
    pub score: f64,
}

/// What a [`SynthesizeTask`] returns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportDraft {
    /// Markdown; finding ids in brackets behind each statement: `[3]`.
    pub markdown: String,
}
