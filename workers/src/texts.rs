//! Canonical texts from the content store, and heavy pure work off the async threads.

use precis_distill::text::CanonicalText;
use precis_proto::source::SourceText;
use precis_runtime::content::{ContentError, ContentStore};

/// Loads a canonical text; the content store has verified its hash.
///
/// # Errors
/// [`ContentError`] where it is missing, corrupt or out of reach.
pub(crate) async fn load(content: &ContentStore, text: &SourceText) -> Result<CanonicalText, ContentError> {
    let bytes = content.get(&text.content).await?;
    let pages = text.pages;
    // Bytes that hash to the name of a canonical text are that text; lossy decoding only spares an impossible branch.
    let parsed = compute(move || CanonicalText::parse_archived(&String::from_utf8_lossy(&bytes), pages)).await;
    parsed.map_err(|_| ContentError::Corrupt(text.content.clone()))
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
