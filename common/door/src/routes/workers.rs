//! `GET /v1/workers`: who works in the fleet.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_runtime::config::TokenScope;
use precis_runtime::runner::roll::{WorkerEntry, workers};
use schemars::JsonSchema;
use serde::Serialize;

use super::{json, parameters};
use crate::door::Door;
use crate::problem::Problem;

/// The workers of a fleet.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WorkerList {
    /// Those that told of themselves within 15 seconds, by id; `null` if that is not known: the shared store is away, or this door has none.
    pub data: Option<Vec<WorkerEntry>>,
}

/// Lists workers.
pub(super) async fn list(
    State(door): State<Arc<Door>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    door.caller(&headers, TokenScope::Operate)?;
    parameters::read(query.as_deref(), &[])?;
    let store = &door.parts.store;
    let data = match door.parts.is_store_shared {
        true => {
            // By the clock that dates what they told.
            let now = store.time().await.ok().flatten().unwrap_or_else(|| door.parts.clock.now());
            workers(store, now).await.ok()
        }
        false => None,
    };
    Ok(json(StatusCode::OK, &WorkerList { data }))
}
