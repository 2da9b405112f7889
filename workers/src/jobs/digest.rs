//! A digest job: one document, one question, evidence that can be checked.

use std::time::{Duration, Instant};

use bytes::Bytes;
use precis_distill::digest::{self, DigestInput};
use precis_distill::evidence::{RankedChunk, rank_widely};
use precis_distill::reduction::{MAX_PASSAGES, from_digest, passages, tokens};
use precis_distill::text::CanonicalText;
use precis_distill::tokens::count;
use precis_proto::SessionId;
use precis_proto::digest::DigestPayload;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::finding::Passage;
use precis_proto::job::{
    Digest as Kind, DigestAnswer, DigestJob, JobOutcome, Summarization, SummarizationAnswer, SummarizationJob,
    content_key,
};
use precis_proto::source::{Reduction, ReductionRef};
use precis_runtime::runner::{JobContext, JobError, JobHandler};
use precis_runtime::telemetry::metrics;

use super::{CACHE_KEPT, content_failed, passed_on};
use crate::digest_breaker::{BREAKER_OPEN, DigestBreaker};
use crate::settings::{DigestSettings, SummarySettings};
use crate::{reduction, texts};

/// Tokens asked for in a digest's summary and key points together.
const SUMMARY_TOKENS: u64 = 400;

/// Makes digests.
#[derive(Debug)]
pub struct Digest {
    /// Sizes, ranker, what else changes a digest.
    pub settings: DigestSettings,
    /// Who writes its prose.
    pub summaries: SummarySettings,
    /// Stops digests for a while where most of them fail.
    pub breaker: DigestBreaker,
}

impl JobHandler for Digest {
    type Kind = Kind;

    async fn run(&self, job: DigestJob, ctx: &JobContext<Kind>) -> Result<DigestAnswer, JobError> {
        let since = Instant::now();
        self.started(&job, ctx.session_id());
        let answered = self.digest(&job, ctx).await;
        self.ended(&job, ctx.session_id(), &answered, since.elapsed());
        answered
    }
}

impl Digest {
    /// The kept digest, also while the breaker is open; else a new one, where the breaker allows one.
    async fn digest(&self, job: &DigestJob, ctx: &JobContext<Kind>) -> Result<DigestAnswer, JobError> {
        let key = self.cache_key(job);
        if let Some(payload) = cached(&key, job, ctx).await {
            return self.answer(payload, job, ctx, true).await;
        }
        // What is half done is dropped with the future: nothing of it is cached. A model call that was sent is kept when it is
        // answered, and a later try finds it.
        let share = self.settings.share();
        let made =
            async { tokio::time::timeout(share, self.make(&key, job, ctx)).await.unwrap_or_else(|_| Err(late(share))) };
        self.breaker.guard(ctx.cache(), made).await
    }

    async fn make(&self, key: &str, job: &DigestJob, ctx: &JobContext<Kind>) -> Result<DigestAnswer, JobError> {
        let text = texts::load(&ctx.services().content, &job.text).await.map_err(|e| content_failed(&e))?;
        let summary = summarize(job, ctx).await?;
        // An outage is not to be remembered: what a stand-in wrote is written anew when its provider is back.
        let is_asked = self.summaries.is_asked(&summary.provider);
        let (query, settings) = (job.query.clone(), self.settings.clone());
        let payload = texts::compute(move || {
            let (summary, key_points) = (&summary.summary, &summary.key_points);
            digest::build(&DigestInput {
                text: &text,
                query: &query,
                summary,
                key_points,
                ranker: settings.ranker,
                max_snippets: settings.max_snippets(),
                evidence_max_chars: settings.evidence_max_chars,
            })
        })
        .await;
        let payload = if is_asked { keep(key, payload, job, ctx).await } else { payload };
        self.answer(payload, job, ctx, false).await
    }

    /// Audit: sizes and hashes, never a text. Events and fields are those of seed 001, observability, and the session.
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

    fn cache_key(&self, job: &DigestJob) -> String {
        let content = digest::content_hash16(&job.text.content);
        digest::cache_key(&job.source_id, content, &digest::query_hash8(&job.query), &self.settings.config_hash)
    }

    /// The answer with the digest as a reduction: its snippets become passages at their absolute place, and further passages
    /// follow them where the session has room. The payload stays what it is.
    async fn answer(
        &self,
        payload: DigestPayload,
        job: &DigestJob,
        ctx: &JobContext<Kind>,
        cache_hit: bool,
    ) -> Result<DigestAnswer, JobError> {
        let text = texts::load(&ctx.services().content, &job.text).await.map_err(|e| content_failed(&e))?;
        let mut held = from_digest(&payload, &job.source_id, &text);
        if job.further_tokens > 0 {
            let further = self.further(text, job, &held).await;
            held.extend(passages(&job.source_id, further));
        }
        let (summary, key_points) = (payload.summary.clone(), payload.key_points.clone());
        let reduction = Reduction { summary, key_points, passages: held };
        let tokens = tokens(&reduction, &count);
        let content = reduction::store(&reduction, &ctx.services().content).await.map_err(|e| content_failed(&e))?;
        let reduction = ReductionRef { content, level: FidelityLevel::Digest, tokens };
        Ok(DigestAnswer { payload, reduction, cache_hit })
    }

    /// Passages of the text beyond those in `held`, within the tokens the job allows.
    async fn further(&self, text: CanonicalText, job: &DigestJob, held: &[Passage]) -> Vec<RankedChunk> {
        let (query, settings, allowed) = (job.query.clone(), self.settings.clone(), job.further_tokens);
        let held: Vec<_> = held.iter().map(|passage| passage.range).collect();
        texts::compute(move || {
            let ranked = rank_widely(&text, &query, settings.ranker, settings.evidence_max_chars, MAX_PASSAGES);
            digest::further_passages(ranked, &held, allowed, &count)
        })
        .await
    }
}

fn late(share: Duration) -> JobError {
    JobError::transient("timed_out", format!("no digest within {} s", share.as_secs_f64()))
}

/// The cached digest, where there is one and it is a digest of this text.
async fn cached(key: &str, job: &DigestJob, ctx: &JobContext<Kind>) -> Option<DigestPayload> {
    readable(&ctx.cache().get(key).await.ok()??, job)
}

/// Keeps `payload` and returns the one that stands: the first writer wins, so that all readers see one text. A store that is
/// away is a miss, now and the next time.
async fn keep(key: &str, payload: DigestPayload, job: &DigestJob, ctx: &JobContext<Kind>) -> DigestPayload {
    let Ok(bytes) = serde_json::to_vec(&payload) else { return payload };
    let standing = ctx.cache().put_if_absent(key, Bytes::from(bytes), CACHE_KEPT).await;
    standing.ok().and_then(|bytes| readable(&bytes, job)).unwrap_or(payload)
}

fn readable(bytes: &[u8], job: &DigestJob) -> Option<DigestPayload> {
    let payload: DigestPayload = serde_json::from_slice(bytes).ok()?;
    (digest::validate(&payload).is_ok() && payload.source_text_hash == job.text.content.to_string()).then_some(payload)
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
    };
    let key = content_key(&job.source_id, &job.text.content, "digest summary");
    match ctx.scatter::<Summarization>(vec![(key, body)]).await?.pop() {
        Some(JobOutcome::Done(answer)) => Ok(answer),
        Some(JobOutcome::Failed(failure)) => Err(passed_on(failure)),
        None => Err(JobError::transient("no_answer", "no summary came back")),
    }
}
