//! Further iterations of a research: the gaps of a report, the searches for them, and which report was kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Lane;
use crate::SourceId;
use crate::source::ContentRef;

/// A gap: something that a report lacks or does not support.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// Kind of the gap.
    pub kind: GapKind,
    /// Severity of the gap.
    pub severity: Severity,
    /// Its sub-question.
    pub sub_question: String,
    /// Description: the sub-question, the statement, or what quotes differ on.
    pub text: String,
    /// Lane in which it was searched for.
    pub lane: Lane,
    /// Queries searched with; empty if there was no new query, or no search was left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
}

/// The kind of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// A sub-question without support.
    SubQuestion,
    /// A statement that its quotes do not support, or support only in part.
    Statement,
    /// Quotes that give different values for the same thing.
    Disagreement,
    /// A gap named by the supervising model.
    Model,
}

/// The severity of a gap, from most to least severe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// An important part of the question has no answer.
    Critical,
    /// A part of the question is answered incompletely, or a statement is not supported.
    Moderate,
    /// A statement is supported in part.
    Minor,
}

/// Why no further iteration followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefinementEnd {
    /// The report has no gaps.
    NothingToDo,
    /// There is no lane to search.
    NothingToSearch,
    /// The iterations are used up.
    Iterations,
    /// The tokens are used up.
    Tokens,
    /// The money is used up.
    Money,
    /// The time is used up.
    Time,
    /// The caller requested a stop.
    Asked,
    /// The rounds that the request allows are used up.
    Rounds,
    /// The limit on documents was reached.
    Sources,
    /// The searches are used up.
    Searches,
    /// Every possible query had been made before.
    NothingNew,
}

/// Which of two reports was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeptReport {
    /// The report before the iteration, unchanged.
    Earlier,
    /// The report after the iteration.
    Later,
}

/// Why the earlier or later report was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeptReason {
    /// The iteration failed.
    Failed,
    /// The iteration added no source.
    NoSource,
    /// The later report cites nothing.
    NothingCited,
    /// A smaller share of the statements in the later report is supported.
    LessSupported,
    /// The later report answers fewer sub-questions.
    LessAnswered,
    /// A larger share of the statements in the later report is supported.
    BetterSupported,
    /// The later report answers more sub-questions.
    MoreAnswered,
    /// The later report is equally well supported and cites more sources.
    MoreSources,
}

/// One further iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Iteration {
    /// Number of the iteration, from 1.
    pub n: u32,
    /// The gaps it worked on, most severe first.
    pub gaps: Vec<Gap>,
    /// Ids of its directives; empty if the session was stopped before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directives: Vec<String>,
    /// Readable sources it added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources_added: Vec<SourceId>,
    /// Visit in which its sources were read; absent if nothing was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visit: Option<u32>,
    /// Share of supported statements before the iteration, 0 to 1; absent if the report cited nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supported_before: Option<f64>,
    /// Share of supported statements after the iteration; absent if there was no later report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supported_after: Option<f64>,
    /// Which report was kept.
    pub kept: KeptReport,
    /// Why it was kept.
    pub reason: KeptReason,
    /// Description of a failure, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// The further iterations of a research.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Refinement {
    /// The iterations in order; empty if the first report was left unchanged.
    pub iterations: Vec<Iteration>,
    /// Why no further iteration followed.
    pub ended: RefinementEnd,
}

/// An iteration in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenIteration {
    /// The gaps with their queries, most severe first.
    pub gaps: Vec<Gap>,
    /// The assignments of all lanes.
    pub assignments: Vec<super::Assignment>,
    /// Number of rounds before it.
    pub rounds_before: u32,
    /// Sources of the session before it.
    pub sources_before: Vec<SourceId>,
}

/// The log of refinement between two iterations; stored in the content store.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RefinementLog {
    /// The finished iterations.
    pub done: Vec<Iteration>,
    /// The iteration in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<OpenIteration>,
    /// The report kept so far: an [`EvaluatedReport`](crate::evaluated::EvaluatedReport).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<ContentRef>,
}

impl RefinementLog {
    /// Returns the number of iterations started so far.
    #[must_use]
    pub fn iteration_count(&self) -> u32 {
        self.done.len() as u32 + u32::from(self.open.is_some())
    }
}
