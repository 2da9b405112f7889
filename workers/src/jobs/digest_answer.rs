//! The answer of a digest job: the digest, and the reduction of its source, stored.

use std::sync::Arc;

use precis_context::digest::{DigestEvidence, DigestRoom, reduction_from_digest};
use precis_context::reduction::tokens;
use precis_proto::digest::DigestPayload;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::job::{DigestAnswer, DigestJob};
use precis_proto::source::ReductionRef;
use precis_runtime::content::ContentStore;
use precis_runtime::runner::JobError;
use precis_text::tokens::count;

use super::content_failed;
use crate::documents::{reductions, texts};

/// Stores the reduction that `payload` is of the job's source, and answers with both. `is_written` is true if a language model wrote the
/// prose.
///
/// # Errors
/// Transient `content_unavailable`.
pub(super) async fn answer(
    payload: DigestPayload,
    evidence: Arc<DigestEvidence>,
    is_written: bool,
    job: &DigestJob,
    content: &ContentStore,
) -> Result<DigestAnswer, JobError> {
    let room = DigestRoom { share_tokens: job.share_tokens, text_tokens: job.text.tokens, is_written };
    let (source_id, own) = (job.source_id.clone(), payload.clone());
    let (reduction, tokens) = texts::compute(move || {
        let reduction = reduction_from_digest(own, &source_id, &evidence, room, &count);
        let tokens = tokens(&reduction, &count);
        (reduction, tokens)
    })
    .await;
    let content = reductions::store(&reduction, content).await.map_err(|e| content_failed(&e))?;
    let reduction = ReductionRef { content, level: FidelityLevel::Digest, tokens };
    Ok(DigestAnswer { payload, reduction, cache_hit: false, losses: Vec::new() })
}
