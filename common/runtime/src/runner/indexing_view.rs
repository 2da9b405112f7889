//! How far workers are with a collection, for whoever looks at it: display only, no decision reads it.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::{CollectionId, Timestamp};
use serde::{Deserialize, Serialize};

use super::session_wait::SessionWait;
use crate::store::{Store, StoreError};

/// How long a view is kept after its last change.
const KEPT: Duration = Duration::from_secs(24 * 3_600);

/// What a worker that indexes a collection, or did last, recorded about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexingView {
    /// The version that is indexed, or waits to be.
    pub version: u64,
    /// When the worker began with it, or let it go.
    pub since: Timestamp,
    /// What it waits for; absent while the worker indexes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<SessionWait>,
}

impl IndexingView {
    /// Reads the view of `collection`; `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn read(store: &Store, collection: &CollectionId) -> Result<Option<Self>, StoreError> {
        let kept = store.values().get(&key(collection)).await?;
        Ok(kept.and_then(|kept| serde_json::from_slice(&kept).ok()))
    }

    /// Writes the view; best effort.
    pub(super) async fn write(&self, store: &Store, collection: &CollectionId) {
        if let Ok(bytes) = serde_json::to_vec(self) {
            let _ = store.values().put(&key(collection), Bytes::from(bytes), KEPT).await;
        }
    }
}

/// Records what the version that a worker lets go at `now` waits for; best effort. Nothing is recorded of one that it had not begun with.
pub(super) async fn let_go(store: &Store, collection: &CollectionId, waiting: SessionWait, now: Timestamp) {
    if let Ok(Some(view)) = IndexingView::read(store, collection).await {
        IndexingView { since: now, waiting: Some(waiting), ..view }.write(store, collection).await;
    }
}

/// Removes the view of `collection`; best effort.
pub(super) async fn forget(store: &Store, collection: &CollectionId) {
    let _ = store.values().delete(&key(collection)).await;
}

fn key(collection: &CollectionId) -> String {
    format!("indexing-view:{collection}")
}
