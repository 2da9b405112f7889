//! `GET /v1/batches`: the batches of the caller's tenant, newest first.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_proto::Timestamp;
use precis_runtime::config::TokenScope;
use precis_runtime::records::{Batch, list_batches};
use schemars::JsonSchema;
use serde::Serialize;

use super::{json, list};
use crate::door::Door;
use crate::problem::Problem;

/// A batch in a list: how its sessions stand is told by its own address.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BatchRow {
    /// Its id.
    pub id: String,
    /// When it was accepted.
    pub accepted_at: Timestamp,
    /// What its sessions may spend together, in US dollars; absent without a bound of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_usd: Option<f64>,
    /// Number of its questions.
    pub questions: u64,
}

/// A page of batches.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BatchPage {
    /// The batches, newest first. A page may have fewer than asked for, or none, and still have a `next`.
    pub data: Vec<BatchRow>,
    /// The `cursor` of the next page; `null` after the oldest batch.
    pub next: Option<String>,
}

/// Lists batches.
pub(super) async fn list(
    State(door): State<Arc<Door>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let caller = door.caller(&headers, TokenScope::Read)?;
    let asked = list::page_of_own(query.as_deref())?;
    let page = list_batches(&door.parts.content, caller.tenant.as_deref(), asked.place.as_deref(), asked.limit).await?;
    let data = page.batches.into_iter().map(row).collect();
    Ok(json(StatusCode::OK, &BatchPage { data, next: page.next }))
}

fn row(batch: Batch) -> BatchRow {
    let Batch { id, accepted_at, max_usd, sessions, .. } = batch;
    BatchRow { id, accepted_at, max_usd, questions: sessions.len() as u64 }
}
