//! `GET /v1/batches/{id}`: how far the sessions of a batch are, and what they spent.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_proto::Timestamp;
use precis_proto::response::Status;
use precis_runtime::config::TokenScope;
use precis_runtime::records::{Batch, read_accepted, read_batch};
use schemars::JsonSchema;
use serde::Serialize;

use super::json;
use super::show::id_in_path;
use crate::door::Door;
use crate::problem::Problem;
use crate::standing::SessionDocument;

/// Word for sessions that are not there: not accepted yet, because the batch was cut off, or removed since.
const ABSENT: &str = "absent";

/// A batch.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BatchDocument {
    /// Its id.
    pub id: String,
    /// When it was accepted.
    pub accepted_at: Timestamp,
    /// What its sessions may spend together, in US dollars; absent without a bound of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_usd: Option<f64>,
    /// US dollars spent by the sessions that have ended.
    pub cost_usd: f64,
    /// Number of sessions by status, and `absent`: those that were not accepted because the batch was cut off, or were removed since.
    pub counts: BTreeMap<String, u64>,
    /// The ids of its sessions, in the order of the questions.
    pub session_ids: Vec<String>,
    /// The sessions that are there, in the same order.
    pub sessions: Vec<SessionDocument>,
}

/// Shows a batch.
pub(super) async fn show(
    State(door): State<Arc<Door>>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let caller = door.caller(&headers, TokenScope::Read)?;
    let found = read_batch(&door.parts.content, caller.tenant.as_deref(), &id_in_path(id)).await?;
    let batch = found.ok_or_else(Problem::unknown_batch)?;
    Ok(json(StatusCode::OK, &document(&door, &batch).await?))
}

/// Describes a batch.
///
/// # Errors
/// 503.
pub(super) async fn document(door: &Door, batch: &Batch) -> Result<BatchDocument, Problem> {
    let words = Status::ALL.iter().map(|status| status.as_str()).chain([ABSENT]);
    let mut counts: BTreeMap<String, u64> = words.map(|word| (word.to_owned(), 0)).collect();
    let (mut sessions, mut cost_usd) = (Vec::new(), 0.0);
    for id in &batch.sessions {
        let record = read_accepted(&door.parts.content, id.as_str()).await?;
        let word = match record.filter(|record| record.tenant == batch.tenant) {
            Some(record) => {
                let session = door.document(&record).await?;
                cost_usd += session.ended.as_ref().map_or(0.0, |ended| ended.cost_usd);
                let word = session.status.as_str().to_owned();
                sessions.push(session);
                word
            }
            None => ABSENT.to_owned(),
        };
        *counts.entry(word).or_default() += 1;
    }
    Ok(BatchDocument {
        id: batch.id.clone(),
        accepted_at: batch.accepted_at,
        max_usd: batch.max_usd,
        cost_usd,
        counts,
        session_ids: batch.sessions.iter().map(ToString::to_string).collect(),
        sessions,
    })
}
