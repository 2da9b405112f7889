//! The handlers of the job kinds, one file each: look in the cache, gather inputs, call the model, check and answer. Shared by several:
//! `map_reduce` summarizes a text of any length, `digest_breaker` pauses failing digests;
//! `digest_cache`, `digest_prose`, `digest_answer` and `digest_events` are steps of a digest.

mod compression;
mod digest;
mod digest_answer;
pub mod digest_breaker;
mod digest_cache;
mod digest_events;
mod digest_prose;
mod extraction;
mod map_reduce;
mod research;
mod summarization;

pub use compression::CompressionJobHandler;
pub use digest::DigestJobHandler;
pub use extraction::ExtractionJobHandler;
pub(crate) use extraction::IMPLEMENTATION as EXTRACTION;
pub use research::ResearchJobHandler;
pub use summarization::SummarizationJobHandler;

use precis_proto::job::JobFailure;
use precis_runtime::content::ContentError;
use precis_runtime::runner::JobError;

fn content_failed(error: &ContentError) -> JobError {
    JobError::transient("content_unavailable", error.to_string())
}

/// Converts the failure of a child job to that of the waiting job, transient if the child's was.
fn passed_on(failure: JobFailure) -> JobError {
    let JobFailure { code, message, is_transient } = failure;
    if is_transient { JobError::transient(code, message) } else { JobError::permanent(code, message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_would_come_again_is_passed_on_as_one() {
        let permanent = passed_on(JobFailure::permanent("unreadable", "m"));
        assert_eq!(permanent, JobError::permanent("unreadable", "m"));
        assert_eq!(passed_on(JobFailure::transient("timeout", "m")), JobError::transient("timeout", "m"));
    }
}
