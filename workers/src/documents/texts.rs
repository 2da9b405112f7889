//! Canonical texts from the content store, and heavy pure work off the async threads.

use bytes::Bytes;
use precis_distill::text::CanonicalText;
use precis_proto::Block;
use precis_proto::source::{ContentRef, SourceText};
use precis_runtime::content::{ContentError, ContentStore};

/// Loads a canonical text with its structure; the content store has verified both hashes.
///
/// # Errors
/// [`ContentError`] where either is missing, corrupt or out of reach.
pub(crate) async fn load(content: &ContentStore, text: &SourceText) -> Result<CanonicalText, ContentError> {
    let bytes = content.get(&text.content).await?;
    let pages = text.pages;
    // Bytes that hash to the name of a canonical text are that text; lossy decoding only spares an impossible branch.
    let parsed = compute(move || CanonicalText::parse_archived(&String::from_utf8_lossy(&bytes), pages)).await;
    let parsed = parsed.map_err(|_| ContentError::Corrupt(text.content.clone()))?;
    let blocks = blocks(content, text).await?;
    parsed.with_blocks(blocks).map_err(|_| ContentError::Corrupt(text.blocks.as_ref().unwrap_or(&text.content).clone()))
}

/// Keeps the structure of a text; nothing where it is not known.
///
/// # Errors
/// [`ContentError`] where the content store does not take it.
pub(crate) async fn store_blocks(blocks: &[Block], content: &ContentStore) -> Result<Option<ContentRef>, ContentError> {
    if blocks.is_empty() {
        return Ok(None);
    }
    let bytes = serde_json::to_vec(blocks).expect("blocks have string keys and no floats");
    content.put(Bytes::from(bytes)).await.map(Some)
}

/// The structure of a text; empty where it is not known.
///
/// # Errors
/// [`ContentError`] where it is missing, corrupt or out of reach.
pub(crate) async fn blocks(content: &ContentStore, text: &SourceText) -> Result<Vec<Block>, ContentError> {
    let Some(reference) = &text.blocks else { return Ok(Vec::new()) };
    let bytes = content.get(reference).await?;
    serde_json::from_slice(&bytes).map_err(|_| ContentError::Corrupt(reference.clone()))
}

/// Runs `work` on the blocking pool, so that long pure work does not hold up the async threads.
///
/// # Panics
/// Where `work` panics: the runner catches it as the handler's own.
pub(crate) async fn compute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => std::future::pending().await,
        },
    }
}
