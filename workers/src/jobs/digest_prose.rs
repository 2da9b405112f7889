//! The prose of a digest: written by a model, or from sentences of the text.

use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{
    Digest as Kind, DigestJob, JobOutcome, Summarization, SummarizationAnswer, SummarizationJob, content_key,
};
use precis_proto::task::{SummarizeTask, Summary};
use precis_research::extractive;
use precis_runtime::runner::{JobContext, JobError};
use precis_text::CanonicalText;
use precis_text::tokens::count;

use super::passed_on;
use crate::documents::texts;

/// Target tokens of a digest's summary and key points together.
pub(super) const SUMMARY_TOKENS: u64 = 400;

/// Builds the prose from sentences of the text, without a model call; `provider` is named as its author.
pub(super) async fn extract_prose(job: &DigestJob, text: &CanonicalText, provider: &str) -> SummarizationAnswer {
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
        provider: provider.to_owned(),
        reduction: None,
        parts: Vec::new(),
        losses: Vec::new(),
        is_flawed: false,
    }
}

/// Prose by the models of summaries, in a job of its own.
///
/// # Errors
/// As the job.
pub(super) async fn write_prose(job: &DigestJob, ctx: &JobContext<Kind>) -> Result<SummarizationAnswer, JobError> {
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
