//! Job kinds: one unit of work each, with a typed body and a typed answer.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::account::Account;
use crate::call::{CallRecord, LayerUsage};
use crate::digest::DigestPayload;
use crate::extraction::ExtractionAnswer;
use crate::fidelity::FidelityLevel;
use crate::finding::Quote;
use crate::label::Label;
use crate::research::{Assignment, NumberBlock, ResearchOptions};
use crate::source::{ContentRef, Origin, ReductionRef, SourceFailure, SourceText};
use crate::task::{PlanRow, QuestionContext};
use crate::warning::Warning;
use crate::{JobId, Phase, SessionId, SourceId, Timestamp};

/// A kind of job. A job may scatter only to kinds of a lower rank, so that waiting never forms a circle.
pub trait JobKind: Send + Sync + 'static {
    /// The word in queue names, metrics and identities.
    const NAME: &'static str;
    /// Who may wait for whom: always for a lower rank.
    const RANK: u8;
    /// What the job works on.
    type Body: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
    /// What comes back.
    type Answer: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
}

/// A job as it travels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Job<B> {
    /// Identity; also the message id.
    pub job_id: JobId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// The phase that scattered it.
    pub phase: Phase,
    /// Revision of the session then; an older one than the fence's means that the session has moved on.
    pub revision: u64,
    /// Epoch of the session then; part of the identity of the jobs this one scatters.
    #[serde(default)]
    pub epoch: u32,
    /// Not to be worked on after this.
    pub deadline: Timestamp,
    /// What was before the session: a [`Prior`](crate::prior::Prior) in the content store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<ContentRef>,
    /// Who pays for its model calls, and how much at most.
    #[serde(default, skip_serializing_if = "Account::is_open")]
    pub account: Account,
    /// What to do.
    pub body: B,
}

/// An answer as it travels and as it is cached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobAnswer<A> {
    /// The job it answers.
    pub job_id: JobId,
    /// What came of it.
    pub outcome: JobOutcome<A>,
    /// Model calls it made, repeats included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallRecord>,
    /// What went less well than asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Tokens per prompt layer of the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<LayerUsage>,
}

/// Done, or failed for good.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobOutcome<A> {
    /// The answer proper.
    Done(A),
    /// Why there is none; the session degrades by policy.
    Failed(JobFailure),
}

/// Why a job has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobFailure {
    /// Stable code; also a metric label.
    pub code: String,
    /// For people: what was tried on what.
    pub message: String,
    /// Whether the same job might succeed later; such a failure is not remembered.
    #[serde(default)]
    pub is_transient: bool,
}

impl JobFailure {
    /// A failure that would come again.
    pub fn permanent(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), is_transient: false }
    }

    /// A failure that might pass.
    pub fn transient(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), is_transient: true }
    }
}

impl From<JobFailure> for SourceFailure {
    fn from(failure: JobFailure) -> Self {
        Self { code: failure.code, message: failure.message, of: None }
    }
}

/// One directive of a round: searches, and turns of a model.
#[derive(Debug)]
pub struct Research;

/// Body of a [`Research`] job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResearchJob {
    /// What to look for.
    pub assignment: Assignment,
    /// The question of the session.
    pub query: String,
    /// The sub-questions that the directive works on.
    #[serde(default)]
    pub sub_questions: Vec<PlanRow>,
    /// Queries made in the session before: not made again.
    #[serde(default)]
    pub asked: Vec<String>,
    /// Pages that the session holds already, in the form that searches name them by; they are not fetched again. Their texts were given
    /// to the session and may be anybody's, so that no researcher of the web is shown them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<String>,
    /// The numbers that it may give to documents; absent where no model researches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumberBlock>,
    /// What was found in earlier rounds: a list of [`SeenDocument`](crate::research::SeenDocument)s in the content store; absent where
    /// that is nothing, or nobody is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<ContentRef>,
    /// Where to look.
    pub options: ResearchOptions,
    /// When the session was accepted: the date that a model is told.
    pub created_at: Timestamp,
}

impl ResearchJob {
    /// The label of all that the job is made of, and so of all that is made in it.
    #[must_use]
    pub fn label(&self) -> Label {
        self.options.label_of(self.assignment.lane)
    }
}

/// Answer of a [`Research`] job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResearchAnswer {
    /// An [`AssignmentResult`](crate::research::AssignmentResult) in the content store.
    pub gathered: ContentRef,
}

impl JobKind for Research {
    const NAME: &'static str = "research";
    const RANK: u8 = 2;
    type Body = ResearchJob;
    type Answer = ResearchAnswer;
}

/// Bytes to canonical text.
#[derive(Debug)]
pub struct Extraction;

/// Body of an [`Extraction`] job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExtractionJob {
    /// The source.
    pub source_id: SourceId,
    /// Where the bytes are.
    pub origin: Origin,
    /// MIME type as somebody claimed it.
    #[serde(default)]
    pub content_type: Option<String>,
    /// Title as given; tells a Markdown file from a plain one by its ending.
    #[serde(default)]
    pub title: String,
}

impl JobKind for Extraction {
    const NAME: &'static str = "extraction";
    const RANK: u8 = 0;
    type Body = ExtractionJob;
    type Answer = ExtractionAnswer;
}

/// One text at one level.
#[derive(Debug)]
pub struct Summarization;

/// Body of a [`Summarization`] job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummarizationJob {
    /// The source.
    pub source_id: SourceId,
    /// Its title.
    pub title: String,
    /// Its canonical text.
    pub text: SourceText,
    /// The question.
    pub query: String,
    /// Level wanted.
    pub level: FidelityLevel,
    /// At most this many tokens, summary and passages together.
    pub target_tokens: u64,
    /// Whether verbatim passages are wanted beside the prose.
    pub with_passages: bool,
    /// Other short texts, with jobs of their own, that the same call may shorten: what comes of it is kept for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<SummarizationJob>,
}

/// Answer of a [`Summarization`] job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummarizationAnswer {
    /// Prose.
    pub summary: String,
    /// Points, most important first.
    pub key_points: Vec<String>,
    /// Level reached; further down than asked where the output was malformed or too long.
    pub level: FidelityLevel,
    /// Tokens of summary and key points.
    pub tokens: u64,
    /// `NAME:MODEL` that wrote it.
    pub provider: String,
    /// The reduction with passages, when the job was asked for one.
    pub reduction: Option<ReductionRef>,
    /// Parts of a text of many calls that nobody summarized, so that less of them is left than of the others; in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartFidelity>,
    /// What was cut on the way to it, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
    /// Whether something was lost on the way to it, or somebody who was not asked wrote some of it: what is made of it is not kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_flawed: bool,
}

/// How much of one part of a text survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PartFidelity {
    /// Which part, from 1: the `N` of `#fragment-N`.
    pub n: u32,
    /// What is left of it.
    pub level: FidelityLevel,
}

impl JobKind for Summarization {
    const NAME: &'static str = "summarization";
    const RANK: u8 = 0;
    type Body = SummarizationJob;
    type Answer = SummarizationAnswer;
}

/// One document's query-conditioned digest.
#[derive(Debug)]
pub struct Digest;

/// Body of a [`Digest`] job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DigestJob {
    /// The source.
    pub source_id: SourceId,
    /// Its title.
    pub title: String,
    /// Its canonical text.
    pub text: SourceText,
    /// The question.
    pub query: String,
    /// Tokens that the digest and further passages beside it may take together; 0 for the digest alone.
    #[serde(default)]
    pub share_tokens: u64,
    /// Whether it need not wait where digests are stopped for a while: it is the first of a further iteration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub probes: bool,
}

/// Answer of a [`Digest`] job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DigestAnswer {
    /// The digest.
    pub payload: DigestPayload,
    /// The same as a reduction in the content store, with further passages where the job allowed them.
    pub reduction: ReductionRef,
    /// Whether it came from the cache.
    pub cache_hit: bool,
    /// What was cut on the way to it, in words; what comes from the cache has lost nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
}

impl JobKind for Digest {
    const NAME: &'static str = "digest";
    const RANK: u8 = 1;
    type Body = DigestJob;
    type Answer = DigestAnswer;
}

/// A topic's evidence to cited findings.
#[derive(Debug)]
pub struct Compression;

/// Body of a [`Compression`] job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompressionJob {
    /// What it is about; empty where it is simply the next batch of sources.
    pub topic: String,
    /// The question.
    pub query: String,
    /// The evidence.
    pub sources: Vec<CompressionSource>,
    /// Passages together at most this many tokens.
    pub budget_tokens: u64,
    /// At most this many findings.
    pub max_findings: usize,
    /// Whether sources of which nothing speaks to the question are read by their openings: where no other source does.
    #[serde(default)]
    pub openings: bool,
    /// Whether the built-in model quotes them and nobody else is asked: protected sources that no finding quotes, and all sources
    /// where no finding could be made.
    #[serde(default)]
    pub quote_only: bool,
    /// What is known of the question.
    #[serde(default, skip_serializing_if = "QuestionContext::is_empty")]
    pub known: QuestionContext,
}

/// A source as a compression job reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CompressionSource {
    /// The source.
    pub source_id: SourceId,
    /// Its title.
    pub title: String,
    /// Its canonical text.
    pub text: SourceText,
    /// What it was reduced to; absent where the whole text is carried.
    pub reduction: Option<ReductionRef>,
    /// The number that its researchers knew it by; absent where no model researched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
}

/// Answer of a [`Compression`] job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompressionAnswer {
    /// Best first.
    pub findings: Vec<TopicFinding>,
    /// Sources none of whose passages shares a word with the question.
    pub unmatched: Vec<SourceId>,
    /// `NAME:MODEL` that wrote them.
    pub provider: String,
    /// What of each source was put into the call; missing where an older worker answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<SourceRead>,
}

/// How much of a source a call was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceRead {
    /// The source.
    pub source_id: SourceId,
    /// Passages given.
    pub passages: u64,
    /// Tokens of them.
    pub tokens: u64,
    /// Passages there were to give.
    pub passages_held: u64,
    /// Of those given, the ones of which the call held a part.
    #[serde(default)]
    pub passages_cut: u64,
}

/// A finding before the session numbers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TopicFinding {
    /// The statement.
    pub statement: String,
    /// What it stands on; at least one.
    pub quotes: Vec<Quote>,
    /// Importance, 0 to 1.
    pub score: f64,
    /// Tokens of the statement.
    pub tokens: u64,
}

impl JobKind for Compression {
    const NAME: &'static str = "compression";
    const RANK: u8 = 1;
    type Body = CompressionJob;
    type Answer = CompressionAnswer;
}

/// The content key of a text at a level: what makes two jobs of a session the same work.
#[must_use]
pub fn content_key(source: &SourceId, text: &ContentRef, detail: &str) -> String {
    format!("{source}\u{1f}{text}\u{1f}{detail}")
}
