//! The job kinds, one file each: look in the cache, gather inputs, prepare, ask the model, judge and answer. Beside them stand what
//! two of them share: a text of any length summarized part by part, and whether digests are worth trying.

mod compression;
mod digest;
pub mod digest_breaker;
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

/// The failure of a job as the failure of the one that waited for it: what would come again there comes again here.
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
