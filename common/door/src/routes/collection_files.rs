//! `POST /v1/collections/{id}/files` and `DELETE /v1/collections/{id}/files/{name}`: change the files of a collection. What a body adds, it
//! adds as one version, or not at all.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use precis_runtime::collections::{
    ChangeError, Collection, CollectionVersion, FileChange, change_files, index_of, latest_version,
};
use precis_runtime::config::TokenScope;

use super::show::id_in_path;
use super::{collection_form, form, json, parameters};
use crate::callers::Caller;
use crate::door::Door;
use crate::limits::RECORD_BYTES;
use crate::problem::Problem;
use crate::reading;

/// Adds files.
pub(super) async fn add(
    State(door): State<Arc<Door>>,
    id: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let caller = door.caller(&headers, TokenScope::Submit)?;
    parameters::read(query.as_deref(), &[])?;
    let collection = door.collection(&caller, &id_in_path(id)).await?;
    door.may_submit(&caller).await?;
    let boundary = form::boundary(&headers)?;
    if boundary.is_none() {
        reading::check_json(&headers)?;
    }
    let limits = door.parts.limits;
    let announced = reading::announced_size(&headers, limits.request_bytes)?;
    let mut memory = door.memory(announced.unwrap_or(limits.request_bytes)).await;
    let added = match boundary {
        Some(boundary) => collection_form::read(&door, &caller, body, boundary).await?,
        None => {
            let body = reading::whole(body, limits.request_bytes, &limits).await?;
            // Each document is read once more, whatever the size of this body.
            drop(memory.take());
            memory = door.memory(limits.request_bytes).await;
            collection_form::read_named_files(&door, &caller, &body).await?
        }
    };
    drop(memory);
    change(&door, &caller, &collection, &FileChange::Add(added)).await?;
    Ok(json(StatusCode::OK, &door.collection_document(collection, true).await?))
}

/// Removes a file.
pub(super) async fn remove(
    State(door): State<Arc<Door>>,
    at: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let caller = door.caller(&headers, TokenScope::Submit)?;
    let (id, name) = at.map(|Path(at)| at).unwrap_or_default();
    let collection = door.collection(&caller, &id).await?;
    let latest = latest_version(&door.parts.content, &collection.id).await?;
    if !latest.is_some_and(|latest| latest.files.iter().any(|file| file.name == name)) {
        let detail = "the collection has no file with this name";
        return Err(Problem::new(StatusCode::NOT_FOUND, "unknown_file", detail)
            .with_remedy("GET /v1/collections/{id} lists its files"));
    }
    change(&door, &caller, &collection, &FileChange::Remove(name)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Makes a version with `change`, and tells workers of it. The same change once more makes none, and tells them again if it is not indexed.
async fn change(door: &Door, caller: &Caller, collection: &Collection, change: &FileChange) -> Result<(), Problem> {
    let (content, limits) = (&door.parts.content, &door.parts.limits);
    let there = latest_version(content, &collection.id).await?.map_or(0, |latest| latest.files.len());
    let added = if let FileChange::Add(added) = change { added.len() } else { 0 };
    // A version lists all its files: without this, a small change of a large collection would cost nothing.
    let bytes = RECORD_BYTES.saturating_mul(there.saturating_add(added).saturating_add(1) as u64);
    door.may_store(caller, bytes, true).await?;
    let changed = change_files(content, &collection.id, change, limits.collection_files, &door.parts.clock).await;
    let Some((version, _)) = changed.map_err(change_problem)? else { return Ok(()) };
    // Removed meanwhile: what was added goes with it.
    door.collection(caller, collection.id.as_str()).await?;
    if is_to_be_indexed(door, collection, &version).await? { door.wake_indexing(&collection.id).await } else { Ok(()) }
}

async fn is_to_be_indexed(door: &Door, collection: &Collection, version: &CollectionVersion) -> Result<bool, Problem> {
    Ok(index_of(&door.parts.content, &collection.id, version.version).await?.is_none())
}

fn change_problem(error: ChangeError) -> Problem {
    match error {
        ChangeError::Content(error) => error.into(),
        ChangeError::TooMany(many) => {
            let detail = format!("a collection must have at most {} files, and would have {}", many.most, many.found);
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "too_many_files", detail)
                .with_remedy("make another collection: a request may search several")
        }
    }
}
