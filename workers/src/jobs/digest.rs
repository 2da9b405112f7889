//! A digest job: condenses one document for one question, with verifiable evidence.

use std::sync::Arc;
use std::time::{Duration, Instant};

use precis_context::digest;
use precis_context::digest::{DigestEvidence, DigestInput, DigestRoom};
use precis_context::reduction::tokens;
use precis_evidence::meaning::{Meaning, Sense};
use precis_evidence::question::follow_up::earlier_words;
use precis_proto::SessionId;
use precis_proto::digest::DigestPayload;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{
    Digest as Kind, DigestAnswer, DigestJob, JobOutcome, Summarization, SummarizationAnswer, SummarizationJob,
    content_key,
};
use precis_proto::source::{Reduction, ReductionRef};
use precis_proto::task::{SummarizeTask, Summary};
use precis_research::extractive;
use precis_runtime::cache::{CacheFamily, CacheKey};
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::runner::{JobContext, JobError, JobHandler};
use precis_runtime::telemetry::metrics;
use precis_text::CanonicalText;
use precis_text::tokens::count;

use super::{content_failed, passed_on};
use crate::documents::{reductions, texts};
use crate::jobs::digest_breaker::{BREAKER_OPEN, DigestBreaker};
use crate::meaning::{LoadedModel, passages_of, with_vectors};
use crate::options::{DigestOptions, SummarySettings};

/// Target tokens of a digest's summary and key points together.
const SUMMARY_TOKENS: u64 = 400;

/// Handles digest jobs.
#[derive(Debug)]
pub struct DigestJobHandler {
    /// Sizes, ranker and everything else that changes a digest.
    pub settings: DigestOptions,
    /// The models that write its prose.
    pub summaries: SummarySettings,
    /// Pauses digests if most of them fail.
    pub breaker: DigestBreaker,
    /// Finds what is said in other words; none for words alone.
    pub meaning: Option<Arc<LoadedModel>>,
}

/// A digest with the reduction of its source.
struct CarriedDigest {
    payload: DigestPayload,
    reduction: Reduction,
    /// Of the reduction.
    tokens: u64,
}

impl JobHandler for DigestJobHandler {
    type Kind = Kind;

    async fn run(&self, job: DigestJob, ctx: &JobContext<Kind>) -> Result<DigestAnswer, JobError> {
        let since = Instant::now();
        self.started(&job, ctx.session_id());
        let answered = self.digest(&job, ctx).await;
        self.ended(&job, ctx.session_id(), &answered, since.elapsed());
        answered
    }
}

impl DigestJobHandler {
    /// Returns the cached digest, even while the breaker is open, else makes a new one if the breaker admits it.
    async fn digest(&self, job: &DigestJob, ctx: &JobContext<Kind>) -> Result<DigestAnswer, JobError> {
        let key = self.cache_key(job);
        if let Some(payload) = cached(&key, job, ctx).await {
            let evidence = self.evidence(job, ctx).await?;
            // A cached digest was written by a configured model if a call was worth it: others are not cached.
            let is_written = self.is_worth_a_call(job, &evidence).await;
            let reduction = carried(payload, evidence, is_written, job).await;
            return answer(reduction, true, Vec::new(), ctx).await;
        }
        // Vectors are not made within the digest's time: they are limited by their number, and a slow machine that made them once must not
        // have to make them again.
        let sensed = if self.meaning.is_some() { Some(self.evidence(job, ctx).await?) } else { None };
        // Safe to cancel: a half-finished digest is not cached, and the answer of a model call already sent is stored, so that a later try
        // finds it.
        let share = self.settings.share();
        // The time limit is inside the guard, so that digests that take too long count as failures of digests.
        let made = async {
            let made = tokio::time::timeout(share, self.make(&key, sensed, job, ctx)).await;
            // An outage of the content store says nothing of digests: neither a failure nor a digest of less than there is counts.
            ctx.unless_without_content(made.unwrap_or_else(|_| Err(late(share))))
        };
        self.breaker.guard(ctx.breakers(), job.probes, made).await
    }

    async fn make(
        &self,
        key: &CacheKey,
        sensed: Option<Arc<DigestEvidence>>,
        job: &DigestJob,
        ctx: &JobContext<Kind>,
    ) -> Result<DigestAnswer, JobError> {
        let evidence = match sensed {
            Some(evidence) => evidence,
            None => self.evidence(job, ctx).await?,
        };
        let is_worth_a_call = self.is_worth_a_call(job, &evidence).await;
        let summary = match is_worth_a_call {
            true => summarize(job, ctx).await?,
            false => self.extracted_summary(job, evidence.text()).await,
        };
        let is_written = is_worth_a_call && summary.provider != LOCAL_MODEL;
        // Cache the digest only if its summary is from a configured model and without losses: the cache must not preserve an outage, nor a
        // loss without its record. The summary is stored with its losses, and the model calls in any case.
        let may_be_kept = self.summaries.is_asked(&summary.provider) && !summary.is_flawed;
        let losses = summary.losses.clone();
        let payload = self.payload(summary, Arc::clone(&evidence), job).await;
        let payload = if may_be_kept { keep(key, payload, job, ctx).await } else { payload };
        let reduction = carried(payload, evidence, is_written, job).await;
        answer(reduction, false, losses, ctx).await
    }

    /// The text of the job, ranked once: every later step takes its chunks from here.
    async fn evidence(&self, job: &DigestJob, ctx: &JobContext<Kind>) -> Result<Arc<DigestEvidence>, JobError> {
        let text = texts::load(&ctx.services().content, &job.text).await.map_err(|e| content_failed(&e))?;
        let earlier = earlier_words(&job.query, &*ctx.prior().await?);
        let (query, ranker, chars) = (job.query.clone(), self.settings.ranker, self.settings.evidence_max_chars);
        let rank = move |sense: Option<Sense<'_>>| {
            Arc::new(DigestEvidence::new(text, (&query, &earlier), (ranker, sense), chars))
        };
        Ok(with_vectors((self.meaning.as_ref(), self.passages(job)), &job.text.content, ctx, rank).await.done)
    }

    /// Whether a model call for the prose is worthwhile: not if the evidence alone is about as long as the text, which is then carried
    /// whole.
    async fn is_worth_a_call(&self, job: &DigestJob, evidence: &Arc<DigestEvidence>) -> bool {
        let (evidence, most) = (Arc::clone(evidence), self.settings.max_snippets());
        let tokens = texts::compute(move || evidence.tokens_by_words(most, &count));
        // Snippets are widened to whole sentences, at most about doubling them.
        self.summaries.has_reader && tokens.await * 2 + SUMMARY_TOKENS < job.text.tokens
    }

    async fn payload(
        &self,
        summary: SummarizationAnswer,
        evidence: Arc<DigestEvidence>,
        job: &DigestJob,
    ) -> DigestPayload {
        let (query, most) = (job.query.clone(), self.settings.max_snippets());
        texts::compute(move || {
            let (summary, key_points, text) = (&summary.summary, &summary.key_points, evidence.text());
            digest::build(&DigestInput { text, query: &query, summary, key_points, snippets: evidence.snippets(most) })
        })
        .await
    }

    /// Builds the prose of a digest from sentences of the text, without a model call.
    async fn extracted_summary(&self, job: &DigestJob, text: &CanonicalText) -> SummarizationAnswer {
        let task = SummarizeTask {
            level: FidelityLevel::KeyPoints,
            query: job.query.clone(),
            title: job.title.clone(),
            text: text.as_str().to_owned(),
            target_tokens: SUMMARY_TOKENS,
        };
        let Summary { summary, key_points } = texts::compute(move || extractive::summarize(&task, &count)).await;
        SummarizationAnswer {
            summary,
            key_points,
            level: FidelityLevel::KeyPoints,
            tokens: 0,
            provider: self.summaries.provider.clone(),
            reduction: None,
            parts: Vec::new(),
            losses: Vec::new(),
            is_flawed: false,
        }
    }

    /// Writes the audit event of a started digest: sizes and hashes, never text. Listeners rely on its name and fields: do not change them.
    fn started(&self, job: &DigestJob, session_id: &SessionId) {
        let (source_id, content_size) = (&job.source_id, job.text.chars);
        let (policy, query_hash) = (self.settings.policy.as_str(), digest::query_hash8(&job.query));
        tracing::info!(%session_id, %source_id, content_size, policy, query_hash, "digest.started");
    }

    fn ended(
        &self,
        job: &DigestJob,
        session_id: &SessionId,
        answered: &Result<DigestAnswer, JobError>,
        took: Duration,
    ) {
        let source_id = &job.source_id;
        match answered {
            Ok(DigestAnswer { payload, cache_hit, .. }) => {
                let DigestPayload { original_chars, digest_chars, compression_ratio, .. } = *payload;
                let (cache_hit, duration_ms) = (*cache_hit, u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
                tracing::info!(
                    %session_id, %source_id, original_chars, digest_chars, compression_ratio, cache_hit, duration_ms,
                    "digest.completed"
                );
                let (policy, snippets) = (self.settings.policy.as_str(), payload.evidence_snippets.len());
                metrics().digest.made(policy, cache_hit, took.as_secs_f64(), compression_ratio, snippets);
            }
            Err(error) if error.code() == BREAKER_OPEN => {
                tracing::info!(%session_id, %source_id, reason = BREAKER_OPEN, "digest.skipped");
            }
            Err(error) => {
                let error_type = error.code();
                tracing::info!(%session_id, %source_id, error_type, error_message = %error, "digest.error");
            }
        }
    }

    /// Most passages of the job's text that get a vector.
    fn passages(&self, job: &DigestJob) -> usize {
        passages_of(self.settings.meaning_passages, job.place)
    }

    fn cache_key(&self, job: &DigestJob) -> CacheKey {
        let content = digest::content_hash16(&job.text.content);
        // Equal texts with a different structure are cut in different places.
        let blocks = job.text.blocks.as_ref().map_or("", |blocks| blocks.hex());
        let mut parts = vec![("settings", self.settings.config_hash.as_str()), ("blocks", blocks)];
        let passages = self.passages(job).to_string();
        if let Some(model) = &self.meaning {
            parts.extend([("meaning", model.key()), ("meaning_passages", passages.as_str())]);
        }
        let config = digest::config_hash8(&parts);
        let key = digest::cache_key(&job.source_id, content, &digest::query_hash8(&job.query), &config);
        CacheKey::new(CacheFamily::Digest, key)
    }
}

/// The reduction that the digest of the job's source is.
async fn carried(
    payload: DigestPayload,
    evidence: Arc<DigestEvidence>,
    is_written: bool,
    job: &DigestJob,
) -> CarriedDigest {
    let room = DigestRoom { share_tokens: job.share_tokens, text_tokens: job.text.tokens, is_written };
    let source_id = job.source_id.clone();
    texts::compute(move || {
        let reduction = digest::carried(payload.clone(), &source_id, &evidence, room, &count);
        CarriedDigest { payload, tokens: tokens(&reduction, &count), reduction }
    })
    .await
}

/// Stores the reduction and names it.
async fn answer(
    CarriedDigest { payload, reduction, tokens }: CarriedDigest,
    cache_hit: bool,
    losses: Vec<String>,
    ctx: &JobContext<Kind>,
) -> Result<DigestAnswer, JobError> {
    let content = reductions::store(&reduction, &ctx.services().content).await.map_err(|e| content_failed(&e))?;
    let reduction = ReductionRef { content, level: FidelityLevel::Digest, tokens };
    Ok(DigestAnswer { payload, reduction, cache_hit, losses })
}

fn late(share: Duration) -> JobError {
    JobError::transient("timed_out", format!("no digest within {} s", share.as_secs_f64()))
}

/// Returns the cached digest if it is one of this text.
async fn cached(key: &CacheKey, job: &DigestJob, ctx: &JobContext<Kind>) -> Option<DigestPayload> {
    ctx.cache().get(key).await.filter(|payload| is_digest_of(payload, job))
}

/// Caches `payload` and returns the cached one: the first writer wins, so that all readers see one text. If the store is unavailable,
/// returns `payload`.
async fn keep(key: &CacheKey, payload: DigestPayload, job: &DigestJob, ctx: &JobContext<Kind>) -> DigestPayload {
    let standing = ctx.cache().keep(key, &payload).await;
    standing.filter(|standing| is_digest_of(standing, job)).unwrap_or(payload)
}

fn is_digest_of(payload: &DigestPayload, job: &DigestJob) -> bool {
    digest::validate(payload).is_ok() && payload.source_text_hash == job.text.content.to_string()
}

async fn summarize(job: &DigestJob, ctx: &JobContext<Kind>) -> Result<SummarizationAnswer, JobError> {
    let body = SummarizationJob {
        source_id: job.source_id.clone(),
        title: job.title.clone(),
        text: job.text.clone(),
        query: job.query.clone(),
        level: FidelityLevel::KeyPoints,
        target_tokens: SUMMARY_TOKENS,
        with_passages: false,
        beside: Vec::new(),
    };
    let key = content_key(&job.source_id, &job.text.content, "digest summary");
    match ctx.scatter::<Summarization>(vec![(key, body)]).await?.pop() {
        Some(JobOutcome::Done(answer)) => Ok(answer),
        Some(JobOutcome::Failed(failure)) => Err(passed_on(failure)),
        None => Err(JobError::transient("no_answer", "the summarization job returned no answer")),
    }
}
