//! Where a session stands: what is kept of it in the content store, and for a running one what its worker last wrote to the shared store.

use precis_proto::response::{Response, Status};
use precis_proto::{SessionId, Timestamp};

use super::outbox::{RESULTS, status_of};
use super::session_view::{SessionView, is_known};
use crate::content::{ContentError, ContentStore};
use crate::records::{EndedSession, keep_ended, read_ended};
use crate::store::Store;

/// Where a session stands.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionStanding {
    /// `queued`: no worker has taken it. `running`: one has. All others: it has ended.
    pub status: Status,
    /// How it ended.
    pub ended: Option<EndedSession>,
    /// Where a running one is; `None` if that is not known.
    pub view: Option<SessionView>,
}

/// Returns how `session` ended; `None` if it has not. A record that a worker did not come to keep is dated `now`.
///
/// # Errors
/// [`ContentError`].
pub async fn session_end(
    content: &ContentStore,
    session: &SessionId,
    now: Timestamp,
) -> Result<Option<EndedSession>, ContentError> {
    if let Some(ended) = read_ended(content, session).await? {
        return Ok(Some(ended));
    }
    // The result is the truth: a worker may have died before it kept the record.
    let Some(kept) = content.get_named(RESULTS, session.as_str()).await? else { return Ok(None) };
    let Ok(response) = serde_json::from_slice::<Response>(&kept) else { return Ok(None) };
    let ended = EndedSession::of(&response, &kept, status_of(&response), now);
    keep_ended(content, session, &ended).await?;
    Ok(Some(ended))
}

/// Returns where an accepted `session` stands.
///
/// # Errors
/// [`ContentError`]. A shared store that is away only makes the phase unknown.
pub async fn session_standing(
    content: &ContentStore,
    store: &Store,
    session: &SessionId,
    now: Timestamp,
) -> Result<SessionStanding, ContentError> {
    if let Some(ended) = session_end(content, session, now).await? {
        return Ok(SessionStanding { status: ended.status, ended: Some(ended), view: None });
    }
    if !is_known(content, session).await? {
        return Ok(SessionStanding { status: Status::Queued, ended: None, view: None });
    }
    let view = SessionView::read(store, session).await;
    Ok(SessionStanding { status: Status::Running, ended: None, view })
}
