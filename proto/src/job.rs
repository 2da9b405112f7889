//! Job kinds: units of work, each with a typed body and a typed answer.

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
use crate::task::{EvidenceRow, PlanRow, QuestionContext};
use crate::warning::Warning;
use crate::{JobId, LifeId, Phase, SessionId, SourceId, Timestamp};

/// A kind of job. A job may scatter only jobs of a lower rank, so that jobs never wait for each other in a circle.
pub trait JobKind: Send + Sync + 'static {
    /// The word in queue names, metrics and identities.
    const NAME: &'static str;
    /// Rank of the kind; a job may only wait for jobs of a lower rank.
    const RANK: u8;
    /// The input of the job.
    type Body: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
    /// The result of the job.
    type Answer: Serialize + DeserializeOwned + Clone + Send + Sync + 'static;
}

/// A job message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job<B> {
    /// Id of the job; also the message id.
    pub job_id: JobId,
    /// Session of the job.
    pub session_id: SessionId,
    /// Life of the session, to compare with the fence; absent if the fence does not count for the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub life: Option<LifeId>,
    /// Phase that scattered the job.
    pub phase: Phase,
    /// Revision of the session when the job was scattered; if the fence has a newer one, the session has moved on.
    pub revision: u64,
    /// Epoch of the session when the job was scattered; part of the ids of the jobs it scatters itself.
    #[serde(default)]
    pub epoch: u32,
    /// The job must not be worked on after this time, by the sender's clock. Read only if `time_left_ms` is absent, and sent for workers
    /// that do not know that field.
    pub deadline: Timestamp,
    /// How long the job may take when it is sent, in milliseconds; absent from workers before it was introduced. A span, because the
    /// clocks of sender and receiver may differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_left_ms: Option<u64>,
    /// When the job was sent, by the clock of the shared store; absent if the sender does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_at: Option<Timestamp>,
    /// When the job was sent, by the sender's own clock; absent from workers before it was introduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent_at_own: Option<Timestamp>,
    /// Conversation and background before the session: a [`Prior`](crate::prior::Prior) in the content store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior: Option<ContentRef>,
    /// Tenant and spending limits for its model calls.
    #[serde(default, skip_serializing_if = "Account::is_open")]
    pub account: Account,
    /// Input of the job.
    pub body: B,
}

/// The answer of a job, as sent and cached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobAnswer<A> {
    /// The job it answers.
    pub job_id: JobId,
    /// Result or failure of the job.
    pub outcome: JobOutcome<A>,
    /// Model calls the job made, repeats included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallRecord>,
    /// Warnings the job raised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Tokens per prompt layer of the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<LayerUsage>,
}

/// The outcome of a job: done, or failed permanently.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobOutcome<A> {
    /// The result.
    Done(A),
    /// The failure; the session continues in degraded form as its policy allows.
    Failed(JobFailure),
}

/// Why a job has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFailure {
    /// Stable code; also a metric label.
    pub code: String,
    /// Message for users: what failed, and on which input.
    pub message: String,
    /// Whether the same job might succeed later; such a failure is not cached.
    #[serde(default)]
    pub is_transient: bool,
}

impl JobFailure {
    /// Creates a failure that a retry would not fix.
    pub fn permanent(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), is_transient: false }
    }

    /// Creates a failure that a retry might fix.
    pub fn transient(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), is_transient: true }
    }
}

impl From<JobFailure> for SourceFailure {
    fn from(failure: JobFailure) -> Self {
        Self { code: failure.code, message: failure.message, of: None }
    }
}

/// The job kind that works on one directive of a round: searches and model turns.
#[derive(Debug)]
pub struct Research;

/// Body of a [`Research`] job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResearchJob {
    /// The assignment of the directive.
    pub assignment: Assignment,
    /// The question of the session.
    pub query: String,
    /// The sub-questions that the directive works on.
    #[serde(default)]
    pub sub_questions: Vec<PlanRow>,
    /// Queries already made in the session; they are not repeated.
    #[serde(default)]
    pub asked: Vec<String>,
    /// Pages that the session already has, identified as in search results; they are not fetched again. Their texts were given with the
    /// request and may be private, so they are never shown to a researcher of the web.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<String>,
    /// Numbers the job may assign to documents; absent if no model researches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumberBlock>,
    /// Documents found in earlier rounds: a list of [`SeenDocument`](crate::research::SeenDocument)s in the content store; absent if there
    /// are none, or the researcher does not get them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<ContentRef>,
    /// What directives of the same lane found in earlier rounds, oldest first; empty if the researcher does not get it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EvidenceRow>,
    /// Where to search.
    pub options: ResearchOptions,
    /// When the session was accepted: the current date for the model.
    pub created_at: Timestamp,
}

impl ResearchJob {
    /// Returns the label of everything the job contains, and so of everything it produces.
    #[must_use]
    pub fn label(&self) -> Label {
        self.options.label_of(self.assignment.lane)
    }
}

/// Answer of a [`Research`] job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// The job kind that extracts the canonical text of a document.
#[derive(Debug)]
pub struct Extraction;

/// Body of an [`Extraction`] job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractionJob {
    /// The source.
    pub source_id: SourceId,
    /// Where the bytes come from.
    pub origin: Origin,
    /// MIME type as declared by the caller or the server.
    #[serde(default)]
    pub content_type: Option<String>,
    /// Title as given; its extension distinguishes Markdown from plain text.
    #[serde(default)]
    pub title: String,
}

impl JobKind for Extraction {
    const NAME: &'static str = "extraction";
    const RANK: u8 = 0;
    type Body = ExtractionJob;
    type Answer = ExtractionAnswer;
}

/// The job kind that summarizes one text to one fidelity level.
#[derive(Debug)]
pub struct Summarization;

/// Body of a [`Summarization`] job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummarizationJob {
    /// The source.
    pub source_id: SourceId,
    /// Title of the source.
    pub title: String,
    /// Canonical text of the source.
    pub text: SourceText,
    /// The question.
    pub query: String,
    /// Requested level.
    pub level: FidelityLevel,
    /// Target length of summary and passages together, in tokens.
    pub target_tokens: u64,
    /// Whether to return verbatim passages in addition to prose.
    pub with_passages: bool,
    /// Other short texts, with jobs of their own, that may be summarized in the same call; the results are cached for those jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<SummarizationJob>,
}

/// Answer of a [`Summarization`] job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummarizationAnswer {
    /// Prose.
    pub summary: String,
    /// Points, most important first.
    pub key_points: Vec<String>,
    /// Level reached; lower than requested if the output was malformed or too long.
    pub level: FidelityLevel,
    /// Tokens of summary and key points.
    pub tokens: u64,
    /// `NAME:MODEL` that wrote it.
    pub provider: String,
    /// The reduction with passages, when the job was asked for one.
    pub reduction: Option<ReductionRef>,
    /// Parts of a long text that could not be summarized, so that less of them is kept than of the others; in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartFidelity>,
    /// Descriptions of what was cut before summarizing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
    /// Whether something was lost, or a fallback model wrote part of it: results based on it are not cached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_flawed: bool,
}

/// How much of one part of a text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartFidelity {
    /// Number of the part, from 1: the `N` of `#fragment-N`.
    pub n: u32,
    /// Level of the part.
    pub level: FidelityLevel,
}

impl JobKind for Summarization {
    const NAME: &'static str = "summarization";
    const RANK: u8 = 0;
    type Body = SummarizationJob;
    type Answer = SummarizationAnswer;
}

/// The job kind that digests one document for the question.
#[derive(Debug)]
pub struct Digest;

/// Body of a [`Digest`] job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestJob {
    /// The source.
    pub source_id: SourceId,
    /// Its title.
    pub title: String,
    /// Its canonical text.
    pub text: SourceText,
    /// The question.
    pub query: String,
    /// Token budget of the digest together with further passages; 0 for the digest alone.
    #[serde(default)]
    pub share_tokens: u64,
    /// Whether the job runs even while the breaker pauses digests, as the first digest of a further iteration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub probes: bool,
    /// Its place among the texts that share a session's comparisons by meaning; absent in jobs of older workers, and then it shares with
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceAmong>,
}

/// A place among several, the most promising first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceAmong {
    /// The place, from 0 on.
    pub n: u32,
    /// How many there are.
    pub of: u32,
}

/// Answer of a [`Digest`] job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DigestAnswer {
    /// The digest.
    pub payload: DigestPayload,
    /// The digest as a reduction in the content store, with further passages if the job has a budget for them.
    pub reduction: ReductionRef,
    /// Whether the digest came from the cache.
    pub cache_hit: bool,
    /// Descriptions of what was cut before digesting; empty for a digest from the cache.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<String>,
}

impl JobKind for Digest {
    const NAME: &'static str = "digest";
    const RANK: u8 = 1;
    type Body = DigestJob;
    type Answer = DigestAnswer;
}

/// The job kind that turns the evidence on a topic into cited findings.
#[derive(Debug)]
pub struct Compression;

/// Body of a [`Compression`] job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompressionJob {
    /// The topic; empty for a plain batch of sources.
    pub topic: String,
    /// The question.
    pub query: String,
    /// The evidence.
    pub sources: Vec<CompressionSource>,
    /// Token budget of all passages together.
    pub budget_tokens: u64,
    /// Maximum number of findings.
    pub max_findings: usize,
    /// Whether sources without any matching passage are represented by their opening text; set if no source has a match.
    #[serde(default)]
    pub openings: bool,
    /// Whether only the built-in model is used, to quote the sources: for protected sources that no finding quotes, and for all sources if
    /// no finding could be made.
    #[serde(default)]
    pub quote_only: bool,
    /// Number of texts that the session reads in this phase; 0 in jobs of older workers.
    #[serde(default)]
    pub texts: usize,
    /// What is known about the question.
    #[serde(default, skip_serializing_if = "QuestionContext::is_empty")]
    pub known: QuestionContext,
}

/// A source of a compression job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompressionSource {
    /// The source.
    pub source_id: SourceId,
    /// Its title.
    pub title: String,
    /// Its path in the searched folder; empty if it was given, or is a page. Only the built-in model reads it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Its canonical text.
    pub text: SourceText,
    /// The reduction of the source; absent if its whole text is used.
    pub reduction: Option<ReductionRef>,
    /// The number that researchers used for it; absent if no model researched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// The topics under which it is read, the one of the job among them; empty if that is the only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topics: Vec<String>,
    /// The part that the job reads of a source longer than a call; absent if it reads all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<SourcePart>,
    /// Its place among the texts that share a session's comparisons by meaning; absent in jobs of older workers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceAmong>,
}

/// One of several parts of a source, about equal in tokens and divided between passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourcePart {
    /// Number of the part, from 0 on.
    pub n: u32,
    /// Number of parts.
    pub of: u32,
}

/// Answer of a [`Compression`] job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompressionAnswer {
    /// The findings, best first.
    pub findings: Vec<TopicFinding>,
    /// Sources of which no passage shares a word with the question.
    pub unmatched: Vec<SourceId>,
    /// `NAME:MODEL` that wrote the findings.
    pub provider: String,
    /// How much of each source was sent to the model; absent in answers of older workers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<SourceRead>,
    /// SHA-256 of the model of meaning that had a part in the choice of passages; absent where words alone chose For a model of a
    /// server, see [`crate::meaning::MeaningServer::key`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
}

/// How much of a source was sent in a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRead {
    /// The source.
    pub source_id: SourceId,
    /// Number of passages sent.
    pub passages: u64,
    /// Tokens of these passages.
    pub tokens: u64,
    /// Number of passages available.
    pub passages_held: u64,
    /// Number of passages sent only in part.
    #[serde(default)]
    pub passages_cut: u64,
    /// How often a call with them was sent again with fewer, because the provider refused it as too long.
    #[serde(default)]
    pub overflows: u32,
}

/// A finding before the session numbers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopicFinding {
    /// The statement.
    pub statement: String,
    /// The quotes that support it; at least one.
    pub quotes: Vec<Quote>,
    /// Importance, 0 to 1.
    pub score: f64,
    /// Tokens of the statement.
    pub tokens: u64,
    /// Cosine similarity of its meaning to that of the question, −1 to 1. Only where a model of meaning is in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
}

impl JobKind for Compression {
    const NAME: &'static str = "compression";
    const RANK: u8 = 1;
    type Body = CompressionJob;
    type Answer = CompressionAnswer;
}

/// Returns the content key of a text and a detail such as a level; jobs of a session with the same key are the same work.
#[must_use]
pub fn content_key(source: &SourceId, text: &ContentRef, detail: &str) -> String {
    format!("{source}\u{1f}{text}\u{1f}{detail}")
}
