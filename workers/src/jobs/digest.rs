//! A digest job: one document, one question, evidence that can be checked.

use std::time::{Duration, Instant};

use precis_distill::digest::{self, DigestInput};
use precis_distill::evidence::{rank, rank_following};
use precis_distill::extractive;
use precis_distill::follow_up::earlier_words;
use precis_distill::passage::passages;
use precis_distill::reduction::{from_digest, most_passages, tokens};
use precis_distill::source_notes;
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
use precis_proto::task::{SummarizeTask, Summary};
use precis_runtime::cache::{CacheFamily, CacheKey};
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::runner::{JobContext, JobError, JobHandler};
use precis_runtime::telemetry::metrics;

use super::{content_failed, passed_on};
use crate::documents::reductions;
use crate::documents::texts;
use crate::jobs::digest_breaker::{BREAKER_OPEN, DigestBreaker};
use crate::wiring::settings::{DigestOptions, SummarySettings};

/// Tokens asked for in a digest's summary and key points together.
const SUMMARY_TOKENS: u64 = 400;

/// Tokens of passages that a digest has for what a follow-up question was about before (chosen: some three passages).
const FOLLOWING_TOKENS: u64 = 300;

/// Makes digests.
#[derive(Debug)]
pub struct DigestJobHandler {
    /// Sizes, ranker, what else changes a digest.
    pub settings: DigestOptions,
    /// Who writes its prose.
    pub summaries: SummarySettings,
    /// Stops digests for a while where most of them fail.
    pub breaker: DigestBreaker,
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
    /// The kept digest, also while the breaker is open; else a new one, where the breaker allows one.
    async fn digest(&self, job: &DigestJob, ctx: &JobContext<Kind>) -> Result<DigestAnswer, JobError> {
        let key = self.cache_key(job);
        if let Some(payload) = cached(&key, job, ctx).await {
            let text = texts::load(&ctx.services().content, &job.text).await.map_err(|e| content_failed(&e))?;
            // What is kept was written by whom it was asked of, where it was worth a call.
            let is_written = self.is_worth_a_call(job, &text).await;
            return self.answer((payload, text), job, ctx, (true, is_written)).await;
        }
        // What is half done is dropped with the future: nothing of it is cached. A model call that was sent is kept when it is
        // answered, and a later try finds it.
        let share = self.settings.share();
        let made =
            async { tokio::time::timeout(share, self.make(&key, job, ctx)).await.unwrap_or_else(|_| Err(late(share))) };
        self.breaker.guard(ctx.breakers(), job.probes, made).await
    }

    async fn make(&self, key: &CacheKey, job: &DigestJob, ctx: &JobContext<Kind>) -> Result<DigestAnswer, JobError> {
        let text = texts::load(&ctx.services().content, &job.text).await.map_err(|e| content_failed(&e))?;
        let is_worth_a_call = self.is_worth_a_call(job, &text).await;
        let summary = match is_worth_a_call {
            true => summarize(job, ctx).await?,
            false => self.by_itself(job, &text).await,
        };
        let is_written = is_worth_a_call && summary.provider != LOCAL_MODEL;
        // An outage is not to be remembered, nor a loss without its record: a digest is kept where its summary is as it was asked for.
        // The summary itself is kept with its losses, and the model calls are kept in any case.
        let losses = summary.losses.clone();
        let may_be_kept = self.summaries.is_asked(&summary.provider) && !summary.is_flawed;
        let (query, settings, whole) = (job.query.clone(), self.settings.clone(), text.clone());
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
        let payload = if may_be_kept { keep(key, payload, job, ctx).await } else { payload };
        let answer = self.answer((payload, whole), job, ctx, (false, is_written)).await?;
        Ok(DigestAnswer { losses, ..answer })
    }

    /// Whether somebody reads the prose of this digest: not where its evidence alone is about as long as the text, which is carried
    /// whole then.
    async fn is_worth_a_call(&self, job: &DigestJob, text: &CanonicalText) -> bool {
        let (text, query, settings) = (text.clone(), job.query.clone(), self.settings.clone());
        let evidence = texts::compute(move || {
            let (ranker, chars) = (settings.ranker, settings.evidence_max_chars);
            let snippets = rank(&text, &query, ranker, chars, settings.max_snippets());
            snippets.iter().map(|snippet| count(&snippet.text)).sum::<u64>()
        });
        // Snippets are widened to whole sentences, by at most about as much again.
        self.summaries.has_reader && evidence.await * 2 + SUMMARY_TOKENS < job.text.tokens
    }

    /// The prose of a digest that no model reads: sentences of the text, which cost no call.
    async fn by_itself(&self, job: &DigestJob, text: &CanonicalText) -> SummarizationAnswer {
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

    /// Audit: sizes and hashes, never a text. Names and fields are part of what listeners rely on: they stay
    /// as they are.
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

    fn cache_key(&self, job: &DigestJob) -> CacheKey {
        let content = digest::content_hash16(&job.text.content);
        // Equal texts of another structure are cut in other places.
        let blocks = job.text.blocks.as_ref().map_or("", |blocks| blocks.hex());
        let config = digest::config_hash8(&[("settings", &self.settings.config_hash), ("blocks", blocks)]);
        let key = digest::cache_key(&job.source_id, content, &digest::query_hash8(&job.query), &config);
        CacheKey::new(CacheFamily::Digest, key)
    }

    /// The answer with the digest as a reduction: its snippets become passages at their absolute place, and further passages
    /// follow them where the session has room. The payload stays what it is.
    async fn answer(
        &self,
        (payload, text): (DigestPayload, CanonicalText),
        job: &DigestJob,
        ctx: &JobContext<Kind>,
        (cache_hit, is_written): (bool, bool),
    ) -> Result<DigestAnswer, JobError> {
        let mut held = from_digest(&payload, &job.source_id, &text);
        // Sentences that the built-in model chose are passages, not prose: only what a language model wrote is carried beside them.
        let (summary, key_points) = match is_written {
            true => (payload.summary.clone(), payload.key_points.clone()),
            false => (String::new(), Vec::new()),
        };
        let taken = tokens(
            &Reduction {
                summary: summary.clone(),
                key_points: key_points.clone(),
                passages: held.clone(),
                ..Reduction::default()
            },
            &count,
        );
        // A digest that is no shorter than its source would be thrown away for it.
        let allowed = job.share_tokens.min(job.text.tokens.saturating_sub(1)).saturating_sub(taken);
        let prior = ctx.prior().await?;
        let earlier = earlier_words(&job.query, &prior);
        // The snippets are those of the question alone; what it follows on is worth some passages in any case.
        let allowed = if earlier.is_empty() { allowed } else { allowed.max(FOLLOWING_TOKENS) };
        if allowed > 0 {
            let further = self.further(text, (job, earlier, allowed), &payload).await;
            held.extend(further);
        }
        let point_passages = source_notes::link(&key_points, &held);
        let reduction =
            Reduction { summary, key_points, passages: held, point_passages, digest: Some(payload.clone()) };
        let tokens = tokens(&reduction, &count);
        let content = reductions::store(&reduction, &ctx.services().content).await.map_err(|e| content_failed(&e))?;
        let reduction = ReductionRef { content, level: FidelityLevel::Digest, tokens };
        Ok(DigestAnswer { payload, reduction, cache_hit, losses: Vec::new() })
    }

    /// Passages of the text beyond the snippets of its digest, within the tokens the job allows.
    async fn further(
        &self,
        text: CanonicalText,
        (job, earlier, allowed): (&DigestJob, String, u64),
        payload: &DigestPayload,
    ) -> Vec<Passage> {
        let (query, settings) = (job.query.clone(), self.settings.clone());
        let held: Vec<_> = payload.evidence_snippets.iter().filter_map(|s| text.resolve(&s.locator)).collect();
        let source_id = job.source_id.clone();
        texts::compute(move || {
            let ranked = rank_following(
                &text,
                (&query, &earlier),
                settings.ranker,
                settings.evidence_max_chars,
                most_passages(allowed),
            );
            passages(&source_id, &text, &digest::further_passages(ranked, &held, allowed, &count))
        })
        .await
    }
}

fn late(share: Duration) -> JobError {
    JobError::transient("timed_out", format!("no digest within {} s", share.as_secs_f64()))
}

/// The cached digest, where there is one and it is a digest of this text.
async fn cached(key: &CacheKey, job: &DigestJob, ctx: &JobContext<Kind>) -> Option<DigestPayload> {
    ctx.cache().get(key).await.filter(|payload| is_digest_of(payload, job))
}

/// Keeps `payload` and returns the one that stands: the first writer wins, so that all readers see one text. A store that is
/// away is a miss, now and the next time.
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
        None => Err(JobError::transient("no_answer", "no summary came back")),
    }
}
