//! `PUT /v1/content/{sha256}`: stores a document, for requests that refer to it.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use precis_proto::ids::sha256_hex;
use precis_proto::source::ContentRef;
use precis_runtime::config::TokenScope;
use schemars::JsonSchema;
use serde::Serialize;

use super::json;
use super::show::id_in_path;
use crate::callers::Caller;
use crate::door::Door;
use crate::problem::Problem;
use crate::reading;

/// A stored document, as a source of a request refers to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StoredContent {
    /// For `content_ref` of a source.
    pub content_ref: ContentRef,
    /// For `content_proof` of that source: shows that this tenant stored it.
    pub content_proof: String,
    /// Its size.
    pub bytes: u64,
}

/// Stores the body, whose hash is in the address.
pub(super) async fn put(
    State(door): State<Arc<Door>>,
    hash: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let caller = door.caller(&headers, TokenScope::Submit)?;
    let hash = id_in_path(hash);
    if hash.len() != 64 || !hash.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
        let detail = "the address must end with the SHA-256 of the body, as 64 lower-case hexadecimal digits";
        return Err(Problem::invalid("invalid_hash", detail));
    }
    let limits = door.parts.limits;
    let announced = reading::announced_size(&headers, limits.request_bytes)?;
    let _memory = door.memory(announced.unwrap_or(limits.request_bytes)).await;
    let body = reading::whole(body, limits.request_bytes, &limits).await?;
    if sha256_hex(&body) != hash {
        let detail = format!("the body has another hash than the address, and {} bytes", body.len());
        let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "hash_mismatch", detail);
        return Err(problem.with_remedy("send the document as it was hashed, whole"));
    }
    let bytes = body.len() as u64;
    let (content_ref, content_proof) = door.store_document(&caller, body).await?;
    Ok(json(StatusCode::CREATED, &StoredContent { content_ref, content_proof, bytes }))
}

impl Door {
    /// Stores a document for the caller's tenant; returns its name, and the proof that this tenant stored it.
    ///
    /// # Errors
    /// 429, 503.
    pub(super) async fn store_document(
        &self,
        caller: &Caller,
        document: Bytes,
    ) -> Result<(ContentRef, String), Problem> {
        // Counted before it is stored: a crash in between counts what is not there, and never the other way round.
        self.may_store(caller, document.len() as u64, true).await?;
        let content = &self.parts.content;
        let content_ref = content.put(document).await?;
        let content_proof = content.proof(caller.tenant.as_deref().unwrap_or_default(), &content_ref).await?;
        Ok((content_ref, content_proof))
    }
}
