//! A compression job: a batch of sources to cited findings.

use precis_distill::{compress, tokens};
use precis_proto::SourceId;
use precis_proto::finding::Passage;
use precis_proto::job::{Compression as Kind, CompressionAnswer, CompressionJob, CompressionSource};
use precis_proto::task::{CompressTask, FindingDrafts, Task};
use precis_proto::warning::{Warning, WarningCode};
use precis_runtime::runner::{JobContext, JobError, JobHandler};

use super::content_failed;
use crate::settings::DigestSettings;
use crate::{reduction, texts};

/// Compresses.
#[derive(Debug)]
pub struct Compression {
    /// Ranker and passage size.
    pub settings: DigestSettings,
}

impl JobHandler for Compression {
    type Kind = Kind;

    async fn run(&self, job: CompressionJob, ctx: &JobContext<Kind>) -> Result<CompressionAnswer, JobError> {
        let mut passages = Vec::new();
        let mut unmatched = Vec::new();
        for source in &job.sources {
            let found = self.passages(source, &job.query, ctx).await?;
            if found.is_empty() {
                unmatched.push(source.source_id.clone());
            }
            passages.push(found);
        }
        if passages.iter().all(Vec::is_empty) {
            passages = self.openings(&job, ctx).await?;
            let message =
                "no passage shares a word with the question; the report stands on the openings of the sources";
            ctx.warn(Warning::new(WarningCode::NoMatchingEvidence, ctx.phase(), message));
        }
        let passages = compress::select(passages, job.budget_tokens, &tokens::count);
        let task = Task::Compress(CompressTask {
            query: job.query.clone(),
            topic: job.topic.clone(),
            passages: compress::task_passages(&passages, |id| title_of(&job, id)),
            max_findings: job.max_findings,
        });
        let called = ctx.model(&task).await.map_err(|e| JobError::transient(e.code.as_str(), e.to_string()))?;
        let drafts: FindingDrafts = serde_json::from_value(called.value).map_err(|_| {
            JobError::transient("malformed_output", format!("{} returned no findings", called.provider))
        })?;
        let findings = compress::findings(&drafts, &passages, &tokens::count);
        Ok(CompressionAnswer { findings, unmatched, provider: called.provider })
    }
}

fn title_of(job: &CompressionJob, id: &SourceId) -> String {
    job.sources.iter().find(|s| &s.source_id == id).map_or_else(String::new, |s| s.title.clone())
}

impl Compression {
    /// The passages of a source: those of its reduction, or the best of its whole text.
    async fn passages(
        &self,
        source: &CompressionSource,
        query: &str,
        ctx: &JobContext<Kind>,
    ) -> Result<Vec<Passage>, JobError> {
        let content = &ctx.services().content;
        if let Some(reference) = &source.reduction {
            let reduction = reduction::load(&reference.content, content).await.map_err(|e| content_failed(&e))?;
            return Ok(compress::of_reduction(reduction));
        }
        let text = texts::load(content, &source.text).await.map_err(|e| content_failed(&e))?;
        let (query, settings, source_id) = (query.to_owned(), self.settings.clone(), source.source_id.clone());
        Ok(texts::compute(move || {
            compress::of_text(&source_id, &text, &query, settings.ranker, settings.evidence_max_chars)
        })
        .await)
    }

    /// The first passages of each source, for a question that no source answers in its own words.
    async fn openings(&self, job: &CompressionJob, ctx: &JobContext<Kind>) -> Result<Vec<Vec<Passage>>, JobError> {
        let mut all = Vec::new();
        for source in &job.sources {
            let text = texts::load(&ctx.services().content, &source.text).await.map_err(|e| content_failed(&e))?;
            let (source_id, chars) = (source.source_id.clone(), self.settings.evidence_max_chars);
            all.push(texts::compute(move || compress::opening(&source_id, &text, chars)).await);
        }
        Ok(all)
    }
}
