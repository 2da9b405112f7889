//! Pages that were read before: which version, and what became of it. A page that its server calls unchanged is not sent, not
//! parsed and not stored again.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::extraction::ExtractionAnswer;
use precis_proto::job::Extraction;
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

/// What stands under a key, for who wants to put something else there.
#[derive(Debug, Default)]
pub(crate) struct CachedEntry {
    bytes: Option<Bytes>,
    /// The page, where its text is still in the content store.
    pub page: Option<CachedPage>,
}

/// What is remembered under `key`; nothing where the store is away.
pub(crate) async fn recall(key: &str, ctx: &JobContext<Extraction>) -> CachedEntry {
    let Ok(Some(bytes)) = ctx.cache().get(key).await else { return CachedEntry::default() };
    let page = match serde_json::from_slice::<CachedPage>(&bytes) {
        Ok(page) if ctx.services().content.get(&page.answer.text.content).await.is_ok() => Some(page),
        _ => None,
    };
    CachedEntry { bytes: Some(bytes), page }
}

/// Remembers `page` under `key` in place of what is `standing` there. Whoever was faster wins: both have read the page today.
pub(crate) async fn remember(
    key: &str,
    standing: &CachedEntry,
    page: &CachedPage,
    kept: Duration,
    ctx: &JobContext<Extraction>,
) {
    if let Ok(bytes) = serde_json::to_vec(page) {
        let _ = ctx.cache().compare_and_set(key, standing.bytes.as_deref(), Bytes::from(bytes), kept).await;
    }
}
