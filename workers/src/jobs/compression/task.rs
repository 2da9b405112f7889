//! What a batch tells a model: its sources by title and path, and the task of the built-in model.

use precis_context::{compress, source_notes};
use precis_proto::SourceId;
use precis_proto::finding::Passage;
use precis_proto::job::CompressionJob;
use precis_proto::task::CompressTask;

/// The task of the built-in model.
pub(super) fn built_in_task(job: &CompressionJob, passages: &[Passage]) -> CompressTask {
    CompressTask {
        query: job.query.clone(),
        topic: job.topic.clone(),
        passages: compress::task_passages(passages, |id| (title_of(job, id), path_of(job, id))),
        notes: Vec::new(),
        max_findings: job.max_findings,
        known: job.known.clone(),
    }
}

/// The title of a source.
pub(super) fn title_of(job: &CompressionJob, id: &SourceId) -> String {
    job.sources.iter().find(|s| &s.source_id == id).map_or_else(String::new, |s| s.title.clone())
}

/// The path of a source in its folder; empty if it has none.
pub(super) fn path_of(job: &CompressionJob, id: &SourceId) -> String {
    job.sources.iter().find(|s| &s.source_id == id).map_or_else(String::new, |s| s.path.clone())
}

/// Returns the title of a source with the number under which researchers knew it.
pub(super) fn numbered_title(job: &CompressionJob, id: &SourceId) -> String {
    let number = job.sources.iter().find(|source| &source.source_id == id).and_then(|source| source.number);
    source_notes::numbered_title(&title_of(job, id), number)
}
