//! Watches the content store of a worker: it takes work only while the store is there and has room.

use std::time::Duration;

use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::telemetry::{Health, metrics};
use tokio_util::sync::CancellationToken;

/// How often a store in use is looked at; an operation that fails makes the worker look at once.
const LOOK: Duration = Duration::from_secs(15);
/// How often a store that is away or full is looked at.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// Longest wait for an answer: a hanging mount answers nothing.
const PATIENCE: Duration = Duration::from_secs(10);

/// Looks at the store once, and records what was found.
async fn look(content: &ContentStore) -> Result<(), ContentError> {
    let looked = tokio::time::timeout(PATIENCE, content.check_usable()).await;
    let usable =
        looked.unwrap_or_else(|_| Err(ContentError::Unavailable(format!("no answer within {} s", PATIENCE.as_secs()))));
    let (is_reachable, is_full) = match &usable {
        Ok(()) => (true, false),
        Err(ContentError::Full(_)) => (true, true),
        Err(
            ContentError::Unavailable(_)
            | ContentError::Missing(_)
            | ContentError::Corrupt(_)
            | ContentError::TooLarge { .. },
        ) => (false, false),
    };
    // Not asked of a mount that hangs: the question would hang too.
    let free = if is_reachable { content.free_bytes() } else { None };
    metrics().content.looked_at(is_reachable, is_full, free);
    usable
}

/// Waits until the store can be used, and returns whether it can, or until `stop` fires; meanwhile the worker is not ready, with the reason.
pub(crate) async fn until_usable(content: &ContentStore, health: &Health, stop: &CancellationToken) -> bool {
    if stop.is_cancelled() {
        return false;
    }
    let mut told: Option<ContentError> = None;
    while let Err(error) = look(content).await {
        // Once for each reason, not every two seconds.
        if told.as_ref() != Some(&error) {
            tracing::warn!(%error, "this worker takes no work until the content store can be used");
        }
        health.set_without_content(Some(error.to_string()));
        told = Some(error);
        tokio::select! {
            () = stop.cancelled() => return false,
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
    }
    if told.is_some() {
        tracing::info!("the content store can be used again");
    }
    health.set_without_content(None);
    true
}

/// Returns once the store cannot be used.
pub(crate) async fn unusable(content: &ContentStore) -> ContentError {
    loop {
        tokio::select! {
            () = content.outage_noticed() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
        if let Err(error) = look(content).await {
            return error;
        }
    }
}
