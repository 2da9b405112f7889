//! `DELETE /v1/sessions/{id}`: removes a session; one that runs is cancelled first.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{HeaderValue, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use precis_proto::control::Control;
use precis_runtime::records::{ActiveSessions, AskedBy, mark_removed};
use precis_runtime::runner::{RESULTS, remove_session};

use super::control::{tell, to_end};
use super::json;
use super::show::{id_in_path, until_ended};
use crate::door::Door;
use crate::limits::REMOVE_TIME;
use crate::problem::Problem;

/// Removes a session. 204 when nothing is left of it; 202 when it is cancelled and has not ended yet: it is removed once it has.
pub(super) async fn remove(
    State(door): State<Arc<Door>>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let record = to_end(&door, &id_in_path(id), &headers).await?;
    let (content, session) = (&door.parts.content, &record.session_id);
    if door.ended_session(session).await?.is_none() {
        tell(&door, &Control::Cancel { session_id: session.clone() }).await?;
        // From here on it goes, also if this door does not see its end.
        mark_removed(content, session).await?;
        until_ended(&door, &record, REMOVE_TIME).await?;
        if door.ended_session(session).await?.is_none() {
            let mut response = json(StatusCode::ACCEPTED, &door.document(&record).await?);
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(REMOVE_TIME.as_secs()));
            return Ok(response);
        }
    }
    remove_session(content, &door.parts.store, &record).await?;
    if let AskedBy::Http { token } = &record.asked_by {
        ActiveSessions::of(token.as_deref(), RESULTS).unmark(content, session).await?;
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}
