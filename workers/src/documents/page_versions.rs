//! Cached versions of pages with their extracted texts. A page that its server reports as unchanged is not transferred, parsed or stored
//! again.

use precis_proto::extraction::ExtractionAnswer;
use precis_proto::job::Extraction;
use precis_runtime::cache::{CacheEntry, CacheKey};
use precis_runtime::fetch::PageVersion;
use precis_runtime::runner::JobContext;
use serde::{Deserialize, Serialize};

/// A cached page.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CachedPage {
    /// The version that was read.
    pub version: PageVersion,
    /// The result of its extraction.
    pub answer: ExtractionAnswer,
}

/// Reads the cached page of `key`. A page whose text is no longer in the content store counts as not cached.
pub(crate) async fn recall(key: &CacheKey, ctx: &JobContext<Extraction>) -> CacheEntry<CachedPage> {
    let mut found: CacheEntry<CachedPage> = ctx.cache().entry(key).await;
    if let Some(page) = &found.value
        && ctx.services().content.get(&page.answer.text.content).await.is_err()
    {
        found.value = None;
    }
    found
}
