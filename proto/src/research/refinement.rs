//! Further iterations of research: what was thin in a report, what was looked for then, and which report was kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Lane;
use crate::SourceId;
use crate::source::ContentRef;

/// Something that a report does not support.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// What kind of thing.
    pub kind: GapKind,
    /// How much it matters.
    pub severity: Severity,
    /// The sub-question that it belongs to.
    pub sub_question: String,
    /// It, in words: the sub-question, the statement, or what quotes differ on.
    pub text: String,
    /// Where it was looked for.
    pub lane: Lane,
    /// What was searched for; empty where nothing new could be asked, or nothing more may be searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
}

/// Kinds of gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// A sub-question without support.
    SubQuestion,
    /// A statement that its quotes do not carry, or carry in part.
    Statement,
    /// Quotes give different values for the same.
    Disagreement,
    /// A model that supervises says that it is missing.
    Model,
}

/// How much a gap matters, from most to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// An important part of the question has no answer.
    Critical,
    /// A part has one that is not whole, or a statement is not supported.
    Moderate,
    /// A statement is supported in part.
    Minor,
}

/// Why no further iteration followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefinementEnd {
    /// Nothing was thin.
    NothingToDo,
    /// There is nothing that could be searched.
    NothingToSearch,
    /// The iterations are used up.
    Iterations,
    /// The tokens are used up.
    Tokens,
    /// The money is used up.
    Money,
    /// The time is over.
    Time,
    /// Somebody asked to stop.
    Asked,
    /// As many documents were read as may be.
    Sources,
    /// The searches are used up.
    Searches,
    /// Everything that could be asked was asked before.
    NothingNew,
}

/// Which of two reports was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeptReport {
    /// The one before the iteration, as it was.
    Earlier,
    /// The one after it.
    Later,
}

/// Why a report was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeptReason {
    /// The iteration failed.
    Failed,
    /// It added no source.
    NoSource,
    /// Its report cites nothing.
    NothingCited,
    /// A smaller share of its statements is supported.
    LessSupported,
    /// It answers fewer sub-questions.
    LessAnswered,
    /// A larger share of its statements is supported.
    BetterSupported,
    /// It answers more sub-questions.
    MoreAnswered,
    /// It is as well supported, and stands on more sources.
    MoreSources,
}

/// One further iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Iteration {
    /// From 1.
    pub n: u32,
    /// The gaps that it was about, the gravest first.
    pub gaps: Vec<Gap>,
    /// The directives that looked for them; none where the session was stopped before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directives: Vec<String>,
    /// Readable sources that it added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources_added: Vec<SourceId>,
    /// Passes of the session before the one in which its sources were read; absent where nothing was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visit: Option<u32>,
    /// Share of the statements that was supported before, 0 to 1; absent where the report cited nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supported_before: Option<f64>,
    /// The same after it; absent where there was no report after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supported_after: Option<f64>,
    /// Which report was kept.
    pub kept: KeptReport,
    /// Why.
    pub reason: KeptReason,
    /// What failed, where something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// The further iterations of a research.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Refinement {
    /// In order; empty where the first report was left as it was.
    pub iterations: Vec<Iteration>,
    /// Why no other one followed.
    pub ended: RefinementEnd,
}

/// An iteration that has begun: what is looked for, before it is known what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenIteration {
    /// The gaps with their queries, the gravest first.
    pub gaps: Vec<Gap>,
    /// What each lane looks for.
    pub assignments: Vec<super::Assignment>,
    /// Rounds that were made before it.
    pub rounds_before: u32,
    /// The sources of the session before it.
    pub sources_before: Vec<SourceId>,
}

/// What refinement knows of a session between two of its iterations; in the content store.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefinementLog {
    /// The iterations that have ended.
    pub done: Vec<Iteration>,
    /// The one that is under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenIteration>,
    /// The report that is kept: an [`EvaluatedReport`](crate::evaluated::EvaluatedReport).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<ContentRef>,
}

impl RefinementLog {
    /// Iterations that have begun.
    #[must_use]
    pub fn begun(&self) -> u32 {
        self.done.len() as u32 + u32::from(self.open.is_some())
    }
}
