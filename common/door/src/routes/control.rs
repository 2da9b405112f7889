//! `POST /v1/sessions/{id}/stop` and `/cancel`: end a session early, with a report or without.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_proto::SessionId;
use precis_proto::control::Control;
use precis_runtime::config::TokenScope;
use precis_runtime::records::{AcceptedSession, AskedBy};
use precis_runtime::runner::control;
use tokio::time::timeout;

use super::json;
use super::show::id_in_path;
use crate::callers::Caller;
use crate::door::Door;
use crate::limits::BROKER_TIME;
use crate::problem::Problem;

type Id = Result<Path<String>, PathRejection>;

/// Ends a session with a report on what is there.
pub(super) async fn stop(State(door): State<Arc<Door>>, id: Id, headers: HeaderMap) -> Result<Response, Problem> {
    end(&door, &id_in_path(id), &headers, |session_id| Control::Stop { session_id }).await
}

/// Ends a session without a report.
pub(super) async fn cancel(State(door): State<Arc<Door>>, id: Id, headers: HeaderMap) -> Result<Response, Problem> {
    end(&door, &id_in_path(id), &headers, |session_id| Control::Cancel { session_id }).await
}

/// Tells the workers. Of a session that has ended nothing changes: 200 says how it ended.
async fn end(
    door: &Door,
    id: &str,
    headers: &HeaderMap,
    control: impl FnOnce(SessionId) -> Control,
) -> Result<Response, Problem> {
    let record = to_end(door, id, headers).await?;
    if door.ended_session(&record.session_id).await?.is_some() {
        return Ok(json(StatusCode::OK, &door.document(&record).await?));
    }
    tell(door, &control(record.session_id.clone())).await?;
    Ok(json(StatusCode::ACCEPTED, &door.document(&record).await?))
}

/// The record of a session that the caller may end.
///
/// # Errors
/// 401, 403, 404, 503.
pub(super) async fn to_end(door: &Door, id: &str, headers: &HeaderMap) -> Result<AcceptedSession, Problem> {
    let caller = door.parts.callers.identify(headers)?;
    let record = match caller.may(TokenScope::Read) || caller.may(TokenScope::Operate) || caller.may(TokenScope::Submit)
    {
        true => door.session(&caller, id).await?,
        false => return Err(Problem::unknown_session()),
    };
    may_end(&caller, &record).map(|()| record)
}

/// Tells the workers.
///
/// # Errors
/// 503.
pub(super) async fn tell(door: &Door, message: &Control) -> Result<(), Problem> {
    let broker = door.link.broker()?;
    match timeout(BROKER_TIME, control::send(&broker, &door.parts.store, message)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            tracing::warn!(%error, session_id = %message.session_id(), "a control message was not sent");
            Err(Problem::broker_away("it did not take the message"))
        }
        Err(_) => Err(Problem::broker_away("no confirmation within the time limit")),
    }
}

/// A session is ended by whoever may operate, and by the token that submitted it.
fn may_end(caller: &Caller, record: &AcceptedSession) -> Result<(), Problem> {
    let is_own = matches!(&record.asked_by, AskedBy::Http { token } if *token == caller.token);
    if is_own && caller.may(TokenScope::Submit) { Ok(()) } else { caller.must(TokenScope::Operate) }
}
