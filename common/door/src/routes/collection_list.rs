//! `GET /v1/collections` and `GET /v1/collections/{id}`: the collections of the caller's tenant.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_runtime::collections::{is_place, list_collections};
use precis_runtime::config::TokenScope;
use schemars::JsonSchema;
use serde::Serialize;

use super::show::id_in_path;
use super::{json, list, parameters};
use crate::door::Door;
use crate::indexing::CollectionDocument;
use crate::problem::Problem;

/// A page of collections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CollectionPage {
    /// The collections, newest first. A page may have fewer than asked for and still have a `next`.
    pub data: Vec<CollectionDocument>,
    /// The `cursor` of the next page; `null` after the oldest collection.
    pub next: Option<String>,
}

/// Lists collections.
pub(super) async fn list(
    State(door): State<Arc<Door>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let caller = door.caller(&headers, TokenScope::Read)?;
    let given = parameters::read(query.as_deref(), &["limit", "cursor"])?;
    let limit = list::limit(given.get("limit").map(String::as_str))?;
    // Not sealed, as that of sessions is: it names one of the caller's own, and any other finds nothing of anybody else's.
    let place = given.get("cursor").map(String::as_str);
    if place.is_some_and(|place| !is_place(place)) {
        return Err(Problem::invalid("invalid_cursor", "the cursor is not one that this list returned"));
    }
    let page = list_collections(&door.parts.content, caller.tenant.as_deref(), place, limit).await?;
    let mut data = Vec::new();
    for collection in page.collections {
        data.push(door.collection_document(collection, false).await?);
    }
    Ok(json(StatusCode::OK, &CollectionPage { data, next: page.next }))
}

/// Shows a collection with its files.
pub(super) async fn show(
    State(door): State<Arc<Door>>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let caller = door.caller(&headers, TokenScope::Read)?;
    let collection = door.collection(&caller, &id_in_path(id)).await?;
    Ok(json(StatusCode::OK, &door.collection_document(collection, true).await?))
}
