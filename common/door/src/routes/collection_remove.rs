//! `DELETE /v1/collections/{id}`: removes a collection. Sessions that search it go on: what it held goes when its retention is over.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use precis_runtime::collections::remove_collection;
use precis_runtime::config::TokenScope;

use super::show::id_in_path;
use crate::door::Door;
use crate::problem::Problem;

/// Removes a collection: for whoever may operate, and for the token that made it.
pub(super) async fn remove(
    State(door): State<Arc<Door>>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let caller = door.parts.callers.identify(&headers)?;
    let collection = door.collection(&caller, &id_in_path(id)).await?;
    if !(collection.token == caller.token && caller.may(TokenScope::Submit)) {
        caller.must(TokenScope::Operate)?;
    }
    remove_collection(&door.parts.content, &collection).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
