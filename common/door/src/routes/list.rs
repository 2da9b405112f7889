//! `GET /v1/sessions`: the sessions of the caller's tenant, newest first.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use futures_util::future::try_join_all;
use precis_runtime::config::TokenScope;
use precis_runtime::records::{list_sessions, read_accepted};
use schemars::JsonSchema;
use serde::Serialize;

use super::{cursor, json, parameters};
use crate::callers::Caller;
use crate::door::Door;
use crate::limits::{MAX_PAGE, PAGE};
use crate::problem::Problem;
use crate::standing::SessionDocument;

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionPage {
    /// The sessions, newest first. A page may have fewer than asked for, or none, and still have a `next`.
    pub data: Vec<SessionDocument>,
    /// The `cursor` of the next page; `null` after the oldest session.
    pub next: Option<String>,
}

/// Lists sessions.
pub(super) async fn list(
    State(door): State<Arc<Door>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let caller = door.caller(&headers, TokenScope::Read)?;
    let given = parameters::read(query.as_deref(), &["limit", "cursor"])?;
    let limit = limit(given.get("limit").map(String::as_str))?;
    let (content, tenant) = (&door.parts.content, caller.tenant.as_deref());
    let key = content.fleet_key().await?;
    let place = given.get("cursor").map(|text| cursor::opened(&key, tenant, text)).transpose()?;
    let page = list_sessions(content, Some(tenant), place.as_ref(), limit).await?;
    let rows = try_join_all(page.ids().into_iter().map(|id| row(&door, &caller, id.as_str()))).await?;
    let next = page.next.map(|place| cursor::sealed(&key, tenant, &place)).transpose()?;
    Ok(json(StatusCode::OK, &SessionPage { data: rows.into_iter().flatten().collect(), next }))
}

/// A row of the list; `None` if its record is gone, or of another tenant with the same mark.
async fn row(door: &Door, caller: &Caller, id: &str) -> Result<Option<SessionDocument>, Problem> {
    match read_accepted(&door.parts.content, id).await? {
        Some(record) if record.tenant == caller.tenant => door.document(&record).await.map(Some),
        Some(_) | None => Ok(None),
    }
}

fn limit(given: Option<&str>) -> Result<usize, Problem> {
    let Some(text) = given else { return Ok(PAGE) };
    let limit = text.parse().ok().filter(|limit| (1..=MAX_PAGE).contains(limit));
    limit.ok_or_else(|| Problem::invalid("invalid_limit", format!("limit must be a whole number from 1 to {MAX_PAGE}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_1_to_100_sessions() {
        let of = |text: &str| limit(Some(text)).ok();
        assert_eq!(limit(None), Ok(PAGE));
        for (text, expected) in [
            ("0", None),
            ("1", Some(1)),
            ("99", Some(99)),
            ("100", Some(100)),
            ("101", None),
            ("-1", None),
            ("ten", None),
            ("", None),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }
}
