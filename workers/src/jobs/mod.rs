//! The job kinds, one file each: look in the cache, gather inputs, prepare, ask the model, judge and answer.

mod compression;
mod digest;
mod extraction;
mod summarization;

pub use compression::Compression;
pub use digest::Digest;
pub use extraction::Extraction;
pub use summarization::Summarization;

use precis_runtime::content::ContentError;
use precis_runtime::runner::JobError;

/// How long digests and extractions are kept.
const CACHE_KEPT: std::time::Duration = std::time::Duration::from_secs(30 * 24 * 3_600);

fn content_failed(error: &ContentError) -> JobError {
    JobError::transient("content_unavailable", error.to_string())
}
