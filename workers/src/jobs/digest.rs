//! A digest job: one document, one question, evidence that can be checked.

use bytes::Bytes;
use precis_distill::digest::{self, DigestInput};
use precis_proto::digest::DigestPayload;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{
    Digest as Kind, DigestAnswer, DigestJob, JobOutcome, Summarization, SummarizationAnswer, SummarizationJob,
    content_key,
};
use precis_proto::source::{Reduction, ReductionRef};
use precis_runtime::runner::{JobContext, JobError, JobHandler};

use super::{CACHE_KEPT, content_failed};
use crate::settings::DigestSettings;
use crate::{reduction, texts};

/// Tokens asked for in a digest's summary and key points together.
const SUMMARY_TOKENS: u64 = 400;

/// Makes digests.
#[derive(Debug)]
pub struct Digest {
    /// Sizes, ranker, what else changes a digest.
    pub settings: DigestSettings,
}

impl JobHandler for Digest {
    type Kind = Kind;

    async fn run(&self, job: DigestJob, ctx: &JobContext<Kind>) -> Result<DigestAnswer, JobError> {
        let key = self.cache_key(&job);
        if let Some(payload) = cached(&key, &job, ctx).await {
            return answer(payload, &job, ctx, true).await;
        }
        let text = texts::load(&ctx.services().content, &job.text).await.map_err(|e| content_failed(&e))?;
        let summary = summarize(&job, ctx).await?;
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
        if let Ok(bytes) = serde_json::to_vec(&payload) {
            // A store that is away is a miss, now and the next time.
            let _ = ctx.cache().put_if_absent(&key, Bytes::from(bytes), CACHE_KEPT).await;
        }
        answer(payload, &job, ctx, false).await
    }
}

impl Digest {
    fn cache_key(&self, job: &DigestJob) -> String {
        let content = digest::content_hash16(&job.text.content);
        digest::cache_key(&job.source_id, content, &digest::query_hash8(&job.query), &self.settings.config_hash)
    }
}

/// The cached digest, where there is one and it is a digest of this text.
async fn cached(key: &str, job: &DigestJob, ctx: &JobContext<Kind>) -> Option<DigestPayload> {
    let bytes = ctx.cache().get(key).await.ok()??;
    let payload: DigestPayload = serde_json::from_slice(&bytes).ok()?;
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
        Some(JobOutcome::Failed(failure)) => Err(JobError::transient(failure.code, failure.message)),
        None => Err(JobError::transient("no_answer", "no summary came back")),
    }
}

/// The answer with the digest as a reduction: its snippets become passages at their absolute place.
async fn answer(
    payload: DigestPayload,
    job: &DigestJob,
    ctx: &JobContext<Kind>,
    cache_hit: bool,
) -> Result<DigestAnswer, JobError> {
    let text = texts::load(&ctx.services().content, &job.text).await.map_err(|e| content_failed(&e))?;
    let reduction = Reduction {
        summary: payload.summary.clone(),
        key_points: payload.key_points.clone(),
        passages: reduction::from_digest(&payload, &job.source_id, &text),
    };
    let tokens = reduction::tokens(&reduction);
    let content = reduction::store(&reduction, &ctx.services().content).await.map_err(|e| content_failed(&e))?;
    let reduction = ReductionRef { content, level: FidelityLevel::Digest, tokens };
    Ok(DigestAnswer { payload, reduction, cache_hit })
}
