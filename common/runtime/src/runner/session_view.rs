//! The position of a session, for operators: display only, no decision reads it.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::{Phase, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use super::session_record::REQUESTS;
use super::session_wait::SessionWait;
use crate::content::{ContentError, ContentStore};
use crate::store::Store;

/// How long a view is kept after its last change.
const KEPT: Duration = Duration::from_secs(24 * 3_600);

/// What the worker that holds a session last recorded about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionView {
    /// The phase the session is in.
    pub phase: Phase,
    /// Its revision.
    pub revision: u64,
    /// The attempt of the phase.
    pub attempt: u32,
    /// The worker that holds it, or held it last.
    pub worker: String,
    /// When this worker claimed it, or let it go.
    pub since: Timestamp,
    /// What it waits for; absent while the worker holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<SessionWait>,
}

impl SessionView {
    /// Reads the view of `session`; `None` if the store is unavailable or the view has expired.
    pub async fn read(store: &Store, session: &SessionId) -> Option<Self> {
        serde_json::from_slice(&store.values().get(&key(session)).await.ok()??).ok()
    }

    /// Writes the view; best effort.
    pub(super) async fn write(&self, store: &Store, session: &SessionId) {
        if let Ok(bytes) = serde_json::to_vec(self) {
            let _ = store.values().put(&key(session), Bytes::from(bytes), KEPT).await;
        }
    }
}

/// Removes the view of `session`; best effort.
pub(super) async fn forget(store: &Store, session: &SessionId) {
    let _ = store.values().delete(&key(session)).await;
}

fn key(session: &SessionId) -> String {
    format!("session:{session}")
}

/// Whether a request of this id was accepted.
///
/// # Errors
/// [`ContentError::Unavailable`].
pub async fn is_known(content: &ContentStore, session: &SessionId) -> Result<bool, ContentError> {
    content.get_named(REQUESTS, session.as_str()).await.map(|request| request.is_some())
}
