//! Pages that were read before: which version, and what became of it. A page that its server calls unchanged is not sent, not
//! parsed and not stored again.

use precis_proto::extraction::ExtractionAnswer;
use precis_proto::job::Extraction;
use precis_runtime::cache::{CacheEntry, CacheKey};
use precis_runtime::fetch::PageVersion;
use precis_runtime::runner::JobContext;
use serde::{Deserialize, Serialize};

/// A page as it was read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CachedPage {
    /// Which version.
    pub version: PageVersion,
    /// What became of it.
    pub answer: ExtractionAnswer,
}

/// What is remembered under `key`. A page whose text is gone from the content store is none.
pub(crate) async fn recall(key: &CacheKey, ctx: &JobContext<Extraction>) -> CacheEntry<CachedPage> {
    let mut found: CacheEntry<CachedPage> = ctx.cache().entry(key).await;
    if let Some(page) = &found.value
        && ctx.services().content.get(&page.answer.text.content).await.is_err()
    {
        found.value = None;
    }
    found
}
