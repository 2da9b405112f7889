//! A summarization job: summarizes one text at one level within a token target, optionally with verbatim passages.

mod together;

use precis_context::map_reduce::summary_tokens;
use precis_context::reduction as reduced;
use precis_context::reduction::{candidates, fit, holds_prose, prose_level, prose_tokens};
use precis_evidence::passage::passages;
use precis_evidence::question::follow_up::earlier_words;
use precis_proto::SourceId;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::ids::sha256_hex;
use precis_proto::job::{Summarization as Kind, SummarizationAnswer, SummarizationJob};
use precis_proto::source::ReductionRef;
use precis_proto::task::{SummarizeTask, Summary};
use precis_proto::warning::{Warning, WarningCode};
use precis_runtime::cache::{CacheFamily, CacheKey};
use precis_runtime::config::LOCAL_MODEL;
use precis_runtime::runner::{JobContext, JobError, JobHandler};
use precis_text::{CanonicalText, tokens};
use serde::{Deserialize, Serialize};

use super::content_failed;
use crate::documents::{reductions, texts};
use crate::jobs::map_reduce::{Summarizer, SummaryResult};
use crate::options::{DigestOptions, SummarySettings};

/// Handles summarization jobs.
#[derive(Debug)]
pub struct SummarizationJobHandler {
    /// Ranker and passage size.
    pub settings: DigestOptions,
    /// The models, timeout and caching of summaries.
    pub summaries: SummarySettings,
}

impl JobHandler for SummarizationJobHandler {
    type Kind = Kind;

    async fn run(&self, job: SummarizationJob, ctx: &JobContext<Kind>) -> Result<SummarizationAnswer, JobError> {
        let prior = ctx.prior().await?;
        let earlier = earlier_words(&job.query, &prior);
        // Before the lookup: the common call may store the summary that is looked up.
        self.make_together(&job, &earlier, ctx).await;
        let key = self.key(&job, &earlier);
        if let Some(answer) = self.cached_answer(&key, ctx).await {
            return Ok(answer);
        }
        let text = texts::load(&ctx.services().content, &job.text).await.map_err(|e| content_failed(&e))?;
        if job.with_passages && !(self.summaries.has_reader && holds_prose(job.target_tokens)) {
            // Without a reader of prose make no model call and give the whole share to passages.
            let reduction = self.reduce((&job, &earlier), text, &Summary::default(), ctx).await?;
            return Ok(passages_alone(job.level, reduction, self.summaries.provider.clone()));
        }
        let task = self.task(&job, &text);
        let summarizer = Summarizer { ctx, settings: &self.summaries, source_id: &job.source_id };
        let made = Box::pin(summarizer.summarize(task)).await?;
        let (is_makeshift, losses) = (made.trace.is_makeshift, made.trace.losses.clone());
        let answer = self.answer((&job, &earlier), text, made, ctx).await?;
        if is_makeshift {
            // Do not cache the result of an outage.
            return Ok(answer);
        }
        Ok(self.keep(&key, CachedSummary { answer, losses }, ctx).await)
    }
}

impl SummarizationJobHandler {
    /// Returns the cache key of a finished summary.
    fn key(&self, job: &SummarizationJob, earlier: &str) -> CacheKey {
        let mut key = self.summaries.cache_key(job, &self.settings);
        if !earlier.is_empty() {
            // Its passages depend on the conversation.
            key.push_str(&format!(":{}", &sha256_hex(earlier.as_bytes())[..8]));
        }
        CacheKey::new(CacheFamily::Summary, key)
    }

    /// Builds the model's task for `text`.
    fn task(&self, job: &SummarizationJob, text: &CanonicalText) -> SummarizeTask {
        SummarizeTask {
            level: prose_level(job.level),
            query: job.query.clone(),
            title: job.title.clone(),
            text: text.as_str().to_owned(),
            target_tokens: prose_tokens(job.target_tokens, job.with_passages),
        }
    }

    /// Builds the job's answer from the summary that was `made`.
    async fn answer(
        &self,
        (job, earlier): (&SummarizationJob, &str),
        text: CanonicalText,
        made: SummaryResult,
        ctx: &JobContext<Kind>,
    ) -> Result<SummarizationAnswer, JobError> {
        let level = job.level.max(made.level);
        let trace = made.trace;
        let tokens = summary_tokens(&made.summary, &tokens::count);
        let mut reduction = None;
        if job.with_passages {
            // Carry prose only if a language model wrote it: the built-in model's sentences are passages already.
            let is_written = made.provider != LOCAL_MODEL;
            let prose = if is_written { made.summary.clone() } else { Summary::default() };
            reduction = Some(ReductionRef { level, ..self.reduce((job, earlier), text, &prose, ctx).await? });
        }
        let Summary { summary, key_points } = made.summary;
        Ok(SummarizationAnswer {
            summary,
            key_points,
            level,
            tokens,
            provider: made.provider,
            reduction,
            losses: cuts(&trace.losses, &job.source_id),
            is_flawed: trace.is_makeshift || !trace.losses.is_empty(),
            parts: trace.parts,
        })
    }

    /// Combines prose and the best passages within the target; prose over its share is dropped rather than a passage.
    async fn reduce(
        &self,
        (job, earlier): (&SummarizationJob, &str),
        text: CanonicalText,
        summary: &Summary,
        ctx: &JobContext<Kind>,
    ) -> Result<ReductionRef, JobError> {
        let (query, settings, source_id) = (job.query.clone(), self.settings.clone(), job.source_id.clone());
        let earlier = earlier.to_owned();
        let target = job.target_tokens;
        let ranked = texts::compute(move || {
            let asked = (query.as_str(), earlier.as_str());
            let ranked = candidates(&text, asked, settings.ranker, settings.evidence_max_chars, target);
            passages(&source_id, &text, &ranked)
        })
        .await;
        let fitted = fit(summary, ranked, job.target_tokens, &tokens::count);
        let tokens = reduced::tokens(&fitted, &tokens::count);
        let content = reductions::store(&fitted, &ctx.services().content).await.map_err(|e| content_failed(&e))?;
        Ok(ReductionRef { content, level: job.level, tokens })
    }

    /// Returns the cached answer, raising its losses again, if the content it refers to is still stored.
    async fn cached_answer(&self, key: &CacheKey, ctx: &JobContext<Kind>) -> Option<SummarizationAnswer> {
        Some(self.read_cached(key, ctx).await?.into_answer(ctx))
    }

    async fn read_cached(&self, key: &CacheKey, ctx: &JobContext<Kind>) -> Option<CachedSummary> {
        if !self.summaries.cache_enabled {
            return None;
        }
        usable(ctx.cache().get(key).await?, ctx).await
    }

    /// Caches a summary and returns the cached one: the first writer wins, so that all readers see one text.
    async fn keep(&self, key: &CacheKey, made: CachedSummary, ctx: &JobContext<Kind>) -> SummarizationAnswer {
        if !self.summaries.cache_enabled {
            return made.answer;
        }
        let standing = match ctx.cache().keep(key, &made).await {
            Some(standing) => usable(standing, ctx).await,
            None => None,
        };
        match standing {
            Some(kept) => kept.into_answer(ctx),
            None => made.answer,
        }
    }
}

/// Returns the messages about cuts of `source`'s text as a whole; losses of its parts are listed separately.
fn cuts(losses: &[Warning], source: &SourceId) -> Vec<String> {
    let is_cut = |code| matches!(code, WarningCode::ContentTruncated | WarningCode::ContentDropped);
    let of_whole = losses.iter().filter(|loss| is_cut(loss.code) && loss.item_id.as_ref() == Some(source));
    of_whole.map(|loss| loss.message.clone()).collect()
}

fn passages_alone(level: FidelityLevel, reduction: ReductionRef, provider: String) -> SummarizationAnswer {
    SummarizationAnswer {
        summary: String::new(),
        key_points: Vec::new(),
        level,
        tokens: 0,
        provider,
        reduction: Some(reduction),
        parts: Vec::new(),
        losses: Vec::new(),
        is_flawed: false,
    }
}

/// A cached summary with its losses, which are raised again each time it is used.
#[derive(Debug, Serialize, Deserialize)]
struct CachedSummary {
    answer: SummarizationAnswer,
    losses: Vec<Warning>,
}

impl CachedSummary {
    fn into_answer(self, ctx: &JobContext<Kind>) -> SummarizationAnswer {
        for loss in self.losses {
            ctx.warn(Warning { phase: Some(ctx.phase()), ..loss });
        }
        self.answer
    }
}

/// Returns `kept` if the content it refers to is still stored.
async fn usable(kept: CachedSummary, ctx: &JobContext<Kind>) -> Option<CachedSummary> {
    if let Some(reduction) = &kept.answer.reduction {
        ctx.services().content.get(&reduction.content).await.ok()?;
    }
    Some(kept)
}
