//! `GET /v1/collections` and `GET /v1/collections/{id}`: the collections of the caller's tenant.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_runtime::collections::list_collections;
use precis_runtime::config::TokenScope;
use schemars::JsonSchema;
use serde::Serialize;

use super::show::id_in_path;
use super::{json, list};
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
    let asked = list::page_of_own(query.as_deref())?;
    let (content, tenant) = (&door.parts.content, caller.tenant.as_deref());
    let page = list_collections(content, tenant, asked.place.as_deref(), asked.limit).await?;
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
