//! Pages that were read before: which version, and what became of it. A page that its server calls unchanged is not sent, not
//! parsed and not stored again.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::job::{Extraction, ExtractionAnswer};
use precis_runtime::fetch::PageVersion;
use precis_runtime::runner::JobContext;
use serde::{Deserialize, Serialize};

/// A page as it was read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Remembered {
    /// Which version.
    pub version: PageVersion,
    /// What became of it.
    pub answer: ExtractionAnswer,
}

/// What stands under a key, for who wants to put something else there.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    bytes: Option<Bytes>,
    /// The page, where its text is still in the content store.
    pub page: Option<Remembered>,
}

/// What is remembered under `key`; nothing where the store is away.
pub(crate) async fn recall(key: &str, ctx: &JobContext<Extraction>) -> Standing {
    let Ok(Some(bytes)) = ctx.cache().get(key).await else { return Standing::default() };
    let page = match serde_json::from_slice::<Remembered>(&bytes) {
        Ok(page) if ctx.services().content.get(&page.answer.text.content).await.is_ok() => Some(page),
        _ => None,
    };
    Standing { bytes: Some(bytes), page }
}

/// Remembers `page` under `key` in place of what is `standing` there. Whoever was faster wins: both have read the page today.
pub(crate) async fn remember(
    key: &str,
    standing: &Standing,
    page: &Remembered,
    kept: Duration,
    ctx: &JobContext<Extraction>,
) {
    if let Ok(bytes) = serde_json::to_vec(page) {
        let _ = ctx.cache().compare_and_set(key, standing.bytes.as_deref(), Bytes::from(bytes), kept).await;
    }
}
