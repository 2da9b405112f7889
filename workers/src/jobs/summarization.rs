//! A summarization job: one text at one level, within a number of tokens; with verbatim passages where they are wanted.

use bytes::Bytes;
use precis_distill::map_reduce::summary_tokens;
use precis_distill::reduction::{self as reduced, candidates, fit, passages, prose_level, prose_tokens};
use precis_distill::text::CanonicalText;
use precis_distill::tokens;
use precis_proto::job::{Summarization as Kind, SummarizationAnswer, SummarizationJob};
use precis_proto::source::ReductionRef;
use precis_proto::task::{SummarizeTask, Summary};
use precis_proto::warning::Warning;
use precis_runtime::runner::{JobContext, JobError, JobHandler};
use serde::{Deserialize, Serialize};

use super::{CACHE_KEPT, content_failed};
use crate::settings::{DigestSettings, SummarySettings};
use crate::summarize::Summarizer;
use crate::{reduction, texts};

/// Summarizes.
#[derive(Debug)]
pub struct Summarization {
    /// Ranker and passage size.
    pub settings: DigestSettings,
    /// Who summarizes, how long that may take, what is kept.
    pub summaries: SummarySettings,
}

impl JobHandler for Summarization {
    type Kind = Kind;

    async fn run(&self, job: SummarizationJob, ctx: &JobContext<Kind>) -> Result<SummarizationAnswer, JobError> {
        let key = self.summaries.cache_key(&job, &self.settings);
        if let Some(answer) = self.cached(&key, ctx).await {
            return Ok(answer);
        }
        let text = texts::load(&ctx.services().content, &job.text).await.map_err(|e| content_failed(&e))?;
        let task = SummarizeTask {
            level: prose_level(job.level),
            query: job.query.clone(),
            title: job.title.clone(),
            text: text.as_str().to_owned(),
            target_tokens: prose_tokens(job.target_tokens, job.with_passages),
        };
        let summarizer = Summarizer { ctx, settings: &self.summaries, source_id: &job.source_id };
        let made = Box::pin(summarizer.summarize(task)).await?;
        let level = job.level.max(made.level);
        let story = made.story;
        let tokens = summary_tokens(&made.summary, &tokens::count);
        let mut reduction = None;
        if job.with_passages {
            reduction = Some(ReductionRef { level, ..self.reduce(&job, text, &made.summary, ctx).await? });
        }
        let Summary { summary, key_points } = made.summary;
        let answer = SummarizationAnswer {
            summary,
            key_points,
            level,
            tokens,
            provider: made.provider,
            reduction,
            parts: story.parts,
        };
        if story.is_makeshift {
            // An outage is not to be remembered.
            return Ok(answer);
        }
        Ok(self.keep(&key, Kept { answer, losses: story.losses }, ctx).await)
    }
}

impl Summarization {
    /// Prose and the best passages, together within the target; prose over its share is left out rather than a passage.
    async fn reduce(
        &self,
        job: &SummarizationJob,
        text: CanonicalText,
        summary: &Summary,
        ctx: &JobContext<Kind>,
    ) -> Result<ReductionRef, JobError> {
        let (query, settings, source_id) = (job.query.clone(), self.settings.clone(), job.source_id.clone());
        let ranked = texts::compute(move || {
            passages(&source_id, candidates(&text, &query, settings.ranker, settings.evidence_max_chars))
        })
        .await;
        let fitted = fit(summary, ranked, job.target_tokens, &tokens::count);
        let tokens = reduced::tokens(&fitted, &tokens::count);
        let content = reduction::store(&fitted, &ctx.services().content).await.map_err(|e| content_failed(&e))?;
        Ok(ReductionRef { content, level: job.level, tokens })
    }

    /// The kept answer and its losses, where what it refers to is still in the content store.
    async fn cached(&self, key: &str, ctx: &JobContext<Kind>) -> Option<SummarizationAnswer> {
        if !self.summaries.cache_enabled {
            return None;
        }
        let bytes = ctx.cache().get(key).await.ok()??;
        let kept = readable(&bytes, ctx).await?;
        Some(kept.used(ctx))
    }

    /// Keeps a summary and returns the one that stands: the first writer wins, so that all readers see one text.
    async fn keep(&self, key: &str, made: Kept, ctx: &JobContext<Kind>) -> SummarizationAnswer {
        let bytes = serde_json::to_vec(&made).ok().filter(|_| self.summaries.cache_enabled);
        let Some(bytes) = bytes.map(Bytes::from) else { return made.answer };
        match ctx.cache().put_if_absent(key, bytes.clone(), CACHE_KEPT).await {
            Ok(standing) if standing != bytes => match readable(&standing, ctx).await {
                Some(kept) => kept.used(ctx),
                None => made.answer,
            },
            // A store that is away is a miss, now and the next time.
            Ok(_) | Err(_) => made.answer,
        }
    }
}

/// A summary as it is kept: with what was lost on the way to it, which whoever uses it is told as well.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    answer: SummarizationAnswer,
    losses: Vec<Warning>,
}

impl Kept {
    fn used(self, ctx: &JobContext<Kind>) -> SummarizationAnswer {
        for loss in self.losses {
            ctx.warn(Warning { phase: Some(ctx.phase()), ..loss });
        }
        self.answer
    }
}

async fn readable(bytes: &[u8], ctx: &JobContext<Kind>) -> Option<Kept> {
    let kept: Kept = serde_json::from_slice(bytes).ok()?;
    if let Some(reduction) = &kept.answer.reduction {
        ctx.services().content.get(&reduction.content).await.ok()?;
    }
    Some(kept)
}
