//! Loads canonical texts from the content store, and runs CPU-bound work on blocking threads.

use bytes::Bytes;
use precis_proto::Block;
use precis_proto::source::{ContentRef, SourceText};
use precis_runtime::content::{ContentError, ContentStore};
use precis_text::CanonicalText;

/// Loads a canonical text with its structure; the content store verifies both hashes.
///
/// # Errors
/// [`ContentError`] if either is missing, corrupt or unreachable.
pub(crate) async fn load(content: &ContentStore, text: &SourceText) -> Result<CanonicalText, ContentError> {
    let bytes = content.get(&text.content).await?;
    let pages = text.pages;
    // The hash proves that these bytes are the canonical text, hence UTF-8; lossy decoding avoids an unreachable error branch.
    let parsed = compute(move || CanonicalText::parse_archived(&String::from_utf8_lossy(&bytes), pages)).await;
    let parsed = parsed.map_err(|_| ContentError::Corrupt(text.content.clone()))?;
    let blocks = blocks(content, text).await?;
    parsed.with_blocks(blocks).map_err(|_| ContentError::Corrupt(text.blocks.as_ref().unwrap_or(&text.content).clone()))
}

/// Stores the structure of a text; returns `None` if it is empty.
///
/// # Errors
/// [`ContentError`] if the content store cannot be written.
pub(crate) async fn store_blocks(blocks: &[Block], content: &ContentStore) -> Result<Option<ContentRef>, ContentError> {
    if blocks.is_empty() {
        return Ok(None);
    }
    let bytes = serde_json::to_vec(blocks).expect("blocks have string keys and no floats");
    content.put(Bytes::from(bytes)).await.map(Some)
}

/// Loads the structure of a text; empty if it is unknown.
///
/// # Errors
/// [`ContentError`] if it is missing, corrupt or unreachable.
pub(crate) async fn blocks(content: &ContentStore, text: &SourceText) -> Result<Vec<Block>, ContentError> {
    let Some(reference) = &text.blocks else { return Ok(Vec::new()) };
    let bytes = content.get(reference).await?;
    serde_json::from_slice(&bytes).map_err(|_| ContentError::Corrupt(reference.clone()))
}

/// Runs `work` on the blocking pool, so that CPU-bound work does not block the async threads.
///
/// # Panics
/// If `work` panics: the runner treats it as a panic of the handler.
pub(crate) async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // Only the shutdown of the runtime cancels a blocking task: nobody is left to wait for the result.
            Err(_) => std::future::pending().await,
        },
    }
}
