//! A summarization job: one text at one level, within a number of tokens; with verbatim passages where they are wanted.

use bytes::Bytes;
use precis_distill::map_reduce::summary_tokens;
use precis_distill::reduction::{self as reduced, candidates, fit, passages, prose_level, prose_tokens};
use precis_distill::text::CanonicalText;
use precis_distill::tokens;
use precis_proto::job::{Summarization as Kind, SummarizationAnswer, SummarizationJob};
use precis_proto::source::ReductionRef;
use precis_proto::task::{SummarizeTask, Summary};
use precis_runtime::runner::{JobContext, JobError, JobHandler};

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
        let tokens = summary_tokens(&made.summary, &tokens::count);
        let mut reduction = None;
        if job.with_passages {
            reduction = Some(ReductionRef { level, ..self.reduce(&job, text, &made.summary, ctx).await? });
        }
        let Summary { summary, key_points } = made.summary;
        let answer = SummarizationAnswer { summary, key_points, level, tokens, provider: made.provider, reduction };
        Ok(self.keep(&key, answer, ctx).await)
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

    /// The kept answer, where what it refers to is still in the content store.
    async fn cached(&self, key: &str, ctx: &JobContext<Kind>) -> Option<SummarizationAnswer> {
        if !self.summaries.cache_enabled {
            return None;
        }
        let bytes = ctx.cache().get(key).await.ok()??;
        readable(&bytes, ctx).await
    }

    /// Keeps `answer` and returns the one that stands: the first writer wins, so that all readers see one text. What a stand-in
    /// wrote is not kept, or an outage would be remembered.
    async fn keep(&self, key: &str, answer: SummarizationAnswer, ctx: &JobContext<Kind>) -> SummarizationAnswer {
        if !self.summaries.cache_enabled || !self.summaries.is_asked(&answer.provider) {
            return answer;
        }
        let Ok(bytes) = serde_json::to_vec(&answer) else { return answer };
        match ctx.cache().put_if_absent(key, Bytes::from(bytes), CACHE_KEPT).await {
            Ok(standing) => readable(&standing, ctx).await.unwrap_or(answer),
            // A store that is away is a miss, now and the next time.
            Err(_) => answer,
        }
    }
}

async fn readable(bytes: &[u8], ctx: &JobContext<Kind>) -> Option<SummarizationAnswer> {
    let answer: SummarizationAnswer = serde_json::from_slice(bytes).ok()?;
    if let Some(reduction) = &answer.reduction {
        ctx.services().content.get(&reduction.content).await.ok()?;
    }
    Some(answer)
}
