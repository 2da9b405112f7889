//! A summarization job: one text at one level, within a number of tokens; with verbatim passages where they are wanted.

use precis_distill::reduction::{self as reduced, candidates, fit, passages, prose_level, prose_tokens};
use precis_distill::text::CanonicalText;
use precis_distill::tokens;
use precis_proto::job::{Summarization as Kind, SummarizationAnswer, SummarizationJob};
use precis_proto::source::ReductionRef;
use precis_proto::task::{SummarizeTask, Summary, Task};
use precis_runtime::runner::{JobContext, JobError, JobHandler};

use super::content_failed;
use crate::settings::DigestSettings;
use crate::{reduction, texts};

/// Summarizes.
#[derive(Debug)]
pub struct Summarization {
    /// Ranker and passage size.
    pub settings: DigestSettings,
}

impl JobHandler for Summarization {
    type Kind = Kind;

    async fn run(&self, job: SummarizationJob, ctx: &JobContext<Kind>) -> Result<SummarizationAnswer, JobError> {
        let text = texts::load(&ctx.services().content, &job.text).await.map_err(|e| content_failed(&e))?;
        let task = Task::Summarize(SummarizeTask {
            level: prose_level(job.level),
            query: job.query.clone(),
            title: job.title.clone(),
            text: text.as_str().to_owned(),
            target_tokens: prose_tokens(job.target_tokens, job.with_passages),
        });
        let called = ctx.model(&task).await.map_err(|e| JobError::transient(e.code.as_str(), e.to_string()))?;
        let summary: Summary = serde_json::from_value(called.value)
            .map_err(|_| JobError::transient("malformed_output", format!("{} returned no summary", called.provider)))?;
        let tokens = tokens::count(&summary.summary) + summary.key_points.iter().map(|p| tokens::count(p)).sum::<u64>();
        let reduction = if job.with_passages { Some(self.reduce(&job, text, &summary, ctx).await?) } else { None };
        Ok(SummarizationAnswer {
            summary: summary.summary,
            key_points: summary.key_points,
            level: job.level,
            tokens,
            provider: called.provider,
            reduction,
        })
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
}
