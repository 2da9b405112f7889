//! `GET /v1/sessions/{id}`: where a session stands, at once or when it has ended.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_runtime::records::AcceptedSession;
use tokio::time::{Instant, timeout_at};

use super::{json, prefer};
use crate::door::Door;
use crate::limits::LOOK_AGAIN;
use crate::problem::Problem;

/// Shows a session.
pub(super) async fn show(
    State(door): State<Arc<Door>>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (caller, record) = door.read_session(&headers, &id_in_path(id)).await?;
    if let Some(time) = prefer::wait(&headers) {
        until_ended(&door, &record, time).await?;
        // It may have been removed meanwhile.
        door.session(&caller, record.session_id.as_str()).await?;
    }
    Ok(json(StatusCode::OK, &door.document(&record).await?))
}

/// The id in an address; one that cannot be read is looked up as the empty one, which no session has.
pub(super) fn id_in_path(id: Result<Path<String>, PathRejection>) -> String {
    id.map(|Path(id)| id).unwrap_or_default()
}

/// Waits until the session has ended, `time` is over, or the door is stopped.
pub(super) async fn until_ended(door: &Door, record: &AcceptedSession, time: Duration) -> Result<(), Problem> {
    let until = Instant::now() + time;
    // Before the first look: an end in between must wake.
    let mut wakeup = door.wakeups.wait_for(&record.session_id);
    while door.ended_session(&record.session_id).await?.is_none() {
        let now = Instant::now();
        if now >= until {
            break;
        }
        tokio::select! {
            _ = timeout_at(until.min(now + LOOK_AGAIN), wakeup.wait()) => {}
            () = door.stopping.cancelled() => break,
        }
    }
    Ok(())
}
