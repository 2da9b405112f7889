//! A digest job: condenses one document for one question, with verifiable evidence.

use std::sync::Arc;
use std::time::Duration;

use precis_context::digest;
use precis_context::digest::{DigestEvidence, DigestInput, SnippetLimits};
use precis_evidence::meaning::Sense;
use precis_evidence::question::follow_up::earlier_words;
use precis_proto::digest::DigestPayload;
use precis_proto::job::{Digest as Kind, DigestAnswer, DigestJob, SummarizationAnswer};
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::runner::{JobContext, JobError, JobHandler};
use precis_text::tokens::count;

use super::content_failed;
use super::digest_answer::answer;
use super::digest_cache::DigestPlace;
use super::digest_events::DigestEvents;
use super::digest_prose::{SUMMARY_TOKENS, extract_prose, write_prose};
use crate::documents::texts;
use crate::jobs::digest_breaker::DigestBreaker;
use crate::meaning::{ModelOfMeaning, Sensed, passages_of, with_vectors};
use crate::options::{DigestOptions, SummarySettings};

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
    pub meaning: Option<ModelOfMeaning>,
}

impl JobHandler for DigestJobHandler {
    type Kind = Kind;

    async fn run(&self, job: DigestJob, ctx: &JobContext<Kind>) -> Result<DigestAnswer, JobError> {
        let events = DigestEvents::begin(&job, ctx.session_id(), self.settings.policy);
        let answered = self.digest(&job, ctx).await;
        events.record_end(&answered);
        answered
    }
}

impl DigestJobHandler {
    /// Returns the cached digest, even while the breaker is open, else makes a new one if the breaker admits it.
    async fn digest(&self, job: &DigestJob, ctx: &JobContext<Kind>) -> Result<DigestAnswer, JobError> {
        let meaning = (self.meaning.as_ref(), self.passages(job));
        let place = DigestPlace::new(job, &self.settings, meaning, ctx);
        if let Some(payload) = place.cached_digest().await {
            let evidence = self.evidence(job, ctx).await?.done;
            // A cached digest was written by a configured model if a call was worth it: others are not cached.
            let is_written = self.is_worth_a_call(job, &evidence).await;
            let answer = answer(payload, evidence, is_written, job, &ctx.services().content).await?;
            return Ok(DigestAnswer { cache_hit: true, ..answer });
        }
        // Vectors are not made within the digest's time: they are limited by their number, and a slow machine that made them once must not
        // have to make them again.
        let sensed = if self.meaning.is_some() { Some(self.evidence(job, ctx).await?) } else { None };
        // Safe to cancel: a half-finished digest is not cached, and the answer of a model call already sent is stored, so that a later try
        // finds it.
        let share = self.settings.share();
        // The time limit is inside the guard, so that digests that take too long count as failures of digests.
        let made = async {
            let made = tokio::time::timeout(share, self.make(&place, sensed, job, ctx)).await;
            // An outage of the content store says nothing of digests: neither a failure nor a digest of less than there is counts.
            ctx.unless_without_content(made.unwrap_or_else(|_| Err(late(share))))
        };
        self.breaker.guard(ctx.breakers(), job.probes, made).await
    }

    async fn make(
        &self,
        place: &DigestPlace<'_>,
        sensed: Option<Sensed<Arc<DigestEvidence>>>,
        job: &DigestJob,
        ctx: &JobContext<Kind>,
    ) -> Result<DigestAnswer, JobError> {
        let Sensed { done: evidence, has_failed, .. } = match sensed {
            Some(sensed) => sensed,
            None => self.evidence(job, ctx).await?,
        };
        let is_worth_a_call = self.is_worth_a_call(job, &evidence).await;
        let summary = match is_worth_a_call {
            true => write_prose(job, ctx).await?,
            false => extract_prose(job, evidence.text(), &self.summaries.provider).await,
        };
        let is_written = is_worth_a_call && summary.provider != LOCAL_MODEL;
        // Cache the digest only if its summary is from a configured model and without losses: the cache must not preserve an outage, nor a
        // loss without its record. The summary is stored with its losses, and the model calls in any case.
        let may_be_kept = self.summaries.is_asked(&summary.provider) && !summary.is_flawed && !has_failed;
        let losses = summary.losses.clone();
        let payload = payload(summary, Arc::clone(&evidence), job).await;
        let payload = if may_be_kept { place.keep(payload).await } else { payload };
        let answer = answer(payload, evidence, is_written, job, &ctx.services().content).await?;
        Ok(DigestAnswer { losses, ..answer })
    }

    /// The text of the job, ranked once: every later step takes its chunks from here.
    async fn evidence(&self, job: &DigestJob, ctx: &JobContext<Kind>) -> Result<Sensed<Arc<DigestEvidence>>, JobError> {
        let text = texts::load(&ctx.services().content, &job.text).await.map_err(|e| content_failed(&e))?;
        let earlier = earlier_words(&job.query, &*ctx.prior().await?);
        let (query, settings) = (job.query.clone(), &self.settings);
        let limits = SnippetLimits { chars: settings.evidence_max_chars, snippets: settings.max_snippets() };
        let ranker = settings.ranker;
        let rank = move |sense: Option<Sense<'_>>| {
            Arc::new(DigestEvidence::new(text, (&query, &earlier), (ranker, sense), limits))
        };
        Ok(with_vectors((self.meaning.as_ref(), self.passages(job)), &job.text.content, ctx, rank).await)
    }

    /// Whether a model call for the prose is worthwhile: not if the evidence alone is about as long as the text, which is then carried
    /// whole.
    async fn is_worth_a_call(&self, job: &DigestJob, evidence: &Arc<DigestEvidence>) -> bool {
        let evidence = Arc::clone(evidence);
        let tokens = texts::compute(move || evidence.tokens_by_words(&count));
        // Snippets are widened to whole sentences, at most about doubling them.
        self.summaries.has_reader && tokens.await * 2 + SUMMARY_TOKENS < job.text.tokens
    }

    /// Most passages of the job's text that get a vector.
    fn passages(&self, job: &DigestJob) -> usize {
        passages_of(self.settings.meaning_passages, job.place)
    }
}

async fn payload(summary: SummarizationAnswer, evidence: Arc<DigestEvidence>, job: &DigestJob) -> DigestPayload {
    let query = job.query.clone();
    texts::compute(move || {
        let (summary, key_points, text) = (&summary.summary, &summary.key_points, evidence.text());
        digest::build(&DigestInput { text, query: &query, summary, key_points, snippets: evidence.snippets() })
    })
    .await
}

fn late(share: Duration) -> JobError {
    JobError::transient("timed_out", format!("no digest within {} s", share.as_secs_f64()))
}
