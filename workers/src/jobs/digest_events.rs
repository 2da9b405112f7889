//! The audit events and the metrics of a digest: sizes and hashes, never text. Listeners rely on their names and fields: do not change them.

use std::time::Instant;

use precis_context::digest::query_hash8;
use precis_proto::SessionId;
use precis_proto::digest::{DigestPayload, DigestPolicy};
use precis_proto::job::{DigestAnswer, DigestJob};
use precis_runtime::runner::JobError;
use precis_runtime::telemetry::metrics;

use super::digest_breaker::BREAKER_OPEN;

/// A digest that was begun.
#[derive(Debug)]
pub(super) struct DigestEvents<'a> {
    job: &'a DigestJob,
    session_id: &'a SessionId,
    policy: &'static str,
    since: Instant,
}

impl<'a> DigestEvents<'a> {
    /// Writes that the digest has begun.
    pub(super) fn begin(job: &'a DigestJob, session_id: &'a SessionId, policy: DigestPolicy) -> Self {
        let (source_id, content_size) = (&job.source_id, job.text.chars);
        let (policy, query_hash) = (policy.as_str(), query_hash8(&job.query));
        tracing::info!(%session_id, %source_id, content_size, policy, query_hash, "digest.started");
        Self { job, session_id, policy, since: Instant::now() }
    }

    /// Writes how it ended.
    pub(super) fn record_end(&self, answered: &Result<DigestAnswer, JobError>) {
        let (session_id, source_id, took) = (self.session_id, &self.job.source_id, self.since.elapsed());
        match answered {
            Ok(DigestAnswer { payload, cache_hit, .. }) => {
                let DigestPayload { original_chars, digest_chars, compression_ratio, .. } = *payload;
                let (cache_hit, duration_ms) = (*cache_hit, u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
                tracing::info!(
                    %session_id, %source_id, original_chars, digest_chars, compression_ratio, cache_hit, duration_ms,
                    "digest.completed"
                );
                let snippets = payload.evidence_snippets.len();
                metrics().digest.record_digest(self.policy, cache_hit, took.as_secs_f64(), compression_ratio, snippets);
            }
            Err(error) if error.code() == BREAKER_OPEN => {
                tracing::info!(%session_id, %source_id, reason = BREAKER_OPEN, "digest.skipped");
            }
            Err(error) => {
                let error_type = error.code();
                tracing::info!(%session_id, %source_id, error_type, error_message = %error, "digest.error");
            }
        }
    }
}
