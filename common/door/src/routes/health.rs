//! `/healthz`, `/readyz` and `/openapi.json`: for probes and for clients; without a token.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use super::json;
use crate::door::Door;
use crate::limits::BROKER_TIME;
use crate::openapi;
use crate::problem::Problem;

/// The process responds.
pub(super) async fn alive() -> Response {
    text("ok\n")
}

/// Requests are accepted: the broker takes messages, and the content store is there and has room.
pub(super) async fn ready(State(door): State<Arc<Door>>) -> Result<Response, Problem> {
    door.link.check().map_err(|reason| Problem::broker_away(&reason))?;
    match timeout(BROKER_TIME, door.parts.content.check_usable()).await {
        Ok(usable) => usable?,
        Err(_) => return Err(Problem::content_away()),
    }
    Ok(text("ready\n"))
}

/// The description of this API, with the path that it is below.
pub(super) async fn openapi(State(door): State<Arc<Door>>) -> Response {
    json(StatusCode::OK, &openapi::document_at(&door.parts.base_path))
}

fn text(words: &'static str) -> Response {
    ([(CONTENT_TYPE, "text/plain; charset=utf-8"), (CACHE_CONTROL, "no-store")], words).into_response()
}
