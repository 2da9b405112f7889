//! `POST /v1/collections`: makes a collection, without files.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_runtime::collections::{Collection, Created, MAX_COLLECTION_NAME_CHARS, create_collection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::submission::{Submission, document_response, removed_before};
use super::{json_body, session_key};
use crate::door::Door;
use crate::limits::RECORD_BYTES;
use crate::problem::{Problem, ReachedLimit};
use crate::reading;

/// Version of the record.
const RECORD_VERSION: u32 = 1;
/// Largest body that is read, in bytes: a name.
const MAX_BODY_BYTES: usize = 16 * 1024;

/// A collection to make.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewCollection {
    /// A name for people, at most [`MAX_COLLECTION_NAME_CHARS`] characters; need not be unique.
    #[schemars(length(max = MAX_COLLECTION_NAME_CHARS))]
    pub name: String,
}

/// Makes a collection.
pub(super) async fn create(
    State(door): State<Arc<Door>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let Submission { caller, key, .. } = Submission::read(&door, &headers, query.as_deref(), &[])?;
    door.may_submit(&caller).await?;
    reading::check_json(&headers)?;
    let limits = door.parts.limits;
    reading::announced_size(&headers, MAX_BODY_BYTES)?;
    let body = reading::whole(body, MAX_BODY_BYTES, &limits).await?;
    let asked: NewCollection =
        if body.trim_ascii().is_empty() { NewCollection::default() } else { json_body::parse_body(&body)? };
    check_name(&asked.name)?;
    door.may_store(&caller, RECORD_BYTES, true).await?;
    let content = &door.parts.content;
    let wanted = Collection {
        schema_version: RECORD_VERSION,
        id: session_key::collection_id(content, &caller, key.as_deref()).await?,
        tenant: caller.tenant.clone(),
        name: asked.name,
        created_at: door.parts.clock.now(),
        token: caller.token.clone(),
    };
    let there = match create_collection(content, &wanted, limits.collections).await? {
        Created::There(there) => there,
        Created::Taken => return Err(Problem::key_reused()),
        Created::Removed => return Err(removed_before("collection")),
        Created::TooMany => return Err(too_many(limits.collections)),
    };
    let path = format!("/v1/collections/{}", there.id);
    Ok(document_response(&door, StatusCode::CREATED, &door.collection_document(there, true).await?, &path))
}

fn check_name(name: &str) -> Result<(), Problem> {
    let chars = name.chars().count();
    if chars <= MAX_COLLECTION_NAME_CHARS && !name.chars().any(char::is_control) {
        return Ok(());
    }
    let detail = format!(
        "the name of a collection must have at most {MAX_COLLECTION_NAME_CHARS} characters, none of them a control character"
    );
    let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_collection_name", detail);
    Err(problem.at("/name").with_remedy("send a shorter name on one line, or none"))
}

fn too_many(most: usize) -> Problem {
    let detail = format!("the tenant may have {most} collections");
    let reached = ReachedLimit { name: "collections", quota: most as u64, window: None };
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_collections", detail)
        .with_remedy("remove one with DELETE /v1/collections/{id}, or add files to one that is there")
        .with_limit(reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_so_many_characters_and_no_more() {
        for (chars, is_name) in [
            (0, true),
            (MAX_COLLECTION_NAME_CHARS - 1, true),
            (MAX_COLLECTION_NAME_CHARS, true),
            (MAX_COLLECTION_NAME_CHARS + 1, false),
        ] {
            assert_eq!(check_name(&"é".repeat(chars)).is_ok(), is_name, "{chars}");
        }
        assert!(check_name("a\nb").is_err());
    }
}
