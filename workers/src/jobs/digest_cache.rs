//! Digests that are kept: where one is found again, and which of several is used.

use precis_context::digest;
use precis_proto::digest::DigestPayload;
use precis_proto::job::{Digest as Kind, DigestJob};
use precis_runtime::cache::{CacheFamily, CacheKey};
use precis_runtime::runner::JobContext;

use crate::meaning::ModelOfMeaning;
use crate::options::DigestOptions;

/// The place of one job's digest in the cache.
#[derive(Debug)]
pub(super) struct DigestPlace<'a> {
    key: CacheKey,
    job: &'a DigestJob,
    ctx: &'a JobContext<Kind>,
}

impl<'a> DigestPlace<'a> {
    /// The place of the digest that `job` asks for, made by `settings` and with at most so many passages compared by the model of meaning.
    pub(super) fn new(
        job: &'a DigestJob,
        settings: &DigestOptions,
        (meaning, passages): (Option<&ModelOfMeaning>, usize),
        ctx: &'a JobContext<Kind>,
    ) -> Self {
        let content = digest::content_hash16(&job.text.content);
        // Equal texts with a different structure are cut in different places.
        let blocks = job.text.blocks.as_ref().map_or("", |blocks| blocks.hex());
        let mut parts = vec![("settings", settings.config_hash.as_str()), ("blocks", blocks)];
        let passages = passages.to_string();
        if let Some(model) = meaning {
            parts.extend([("meaning", model.key()), ("meaning_passages", passages.as_str())]);
        }
        let config = digest::config_hash8(&parts);
        let key = digest::cache_key(&job.source_id, content, &digest::query_hash8(&job.query), &config);
        Self { key: CacheKey::new(CacheFamily::Digest, key), job, ctx }
    }

    /// Returns the cached digest if it is one of this text.
    pub(super) async fn cached_digest(&self) -> Option<DigestPayload> {
        self.ctx.cache().get(&self.key).await.filter(|payload| self.is_digest(payload))
    }

    /// Caches `payload` and returns the cached one: the first writer wins, so that all readers see one text. If the store is unavailable,
    /// returns `payload`.
    pub(super) async fn keep(&self, payload: DigestPayload) -> DigestPayload {
        let standing = self.ctx.cache().keep(&self.key, &payload).await;
        standing.filter(|standing| self.is_digest(standing)).unwrap_or(payload)
    }

    fn is_digest(&self, payload: &DigestPayload) -> bool {
        digest::validate(payload).is_ok() && payload.source_text_hash == self.job.text.content.to_string()
    }
}
