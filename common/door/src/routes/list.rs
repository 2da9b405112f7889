//! `GET /v1/sessions`: the sessions of the caller's tenant, newest first, all or some of them.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_proto::Timestamp;
use precis_runtime::config::TokenScope;
use precis_runtime::records::{IndexFilter, is_list_name};
use precis_runtime::runner::find_sessions;
use schemars::JsonSchema;
use serde::Serialize;

use super::{cursor, json, list_filter, parameters};
use crate::callers::Caller;
use crate::door::Door;
use crate::limits::{MAX_PAGE, PAGE};
use crate::problem::Problem;
use crate::standing::{SessionDocument, document};

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionPage {
    /// The sessions, newest first. A page may have fewer than asked for, or none, and still have a `next`.
    pub data: Vec<SessionDocument>,
    /// The `cursor` of the next page; `null` after the oldest session.
    pub next: Option<String>,
    /// When the oldest session that was looked at was accepted: how far a filter came. Absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub looked_to: Option<Timestamp>,
}

/// Lists sessions.
pub(super) async fn list(
    State(door): State<Arc<Door>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let caller = door.caller(&headers, TokenScope::Read)?;
    let given = parameters::read(query.as_deref(), &list_filter::PARAMETERS)?;
    let limit = limit(given.get("limit").map(String::as_str))?;
    let now = door.parts.clock.now();
    let wanted = list_filter::read(&given, now)?;
    let Some(tenant) = tenant(&caller, given.get("tenant").map(String::as_str))? else {
        return Ok(json(StatusCode::OK, &SessionPage { data: Vec::new(), next: None, looked_to: None }));
    };
    let (content, store) = (&door.parts.content, &door.parts.store);
    let key = content.fleet_key().await?;
    let place = given.get("cursor").map(|text| cursor::open(&key, tenant, text)).transpose()?;
    let index = IndexFilter { tenant: Some(tenant), since: wanted.since, until: wanted.until };
    let page = find_sessions((content, store), &index, &wanted.filter, place.as_ref(), limit, now).await?;
    let next = page.next.map(|place| cursor::seal(&key, tenant, &place)).transpose()?;
    let data =
        page.sessions.into_iter().map(|found| document(&found.record, found.standing, &door.parts.base_path)).collect();
    Ok(json(StatusCode::OK, &SessionPage { data, next, looked_to: page.looked_to }))
}

/// The tenant whose sessions are listed; `None` if the caller sees none of those of the tenant it asked for. Another tenant than its own is
/// listed for whoever may operate this machine, where there are no tokens.
fn tenant<'a>(caller: &'a Caller, asked: Option<&'a str>) -> Result<Option<Option<&'a str>>, Problem> {
    let own = caller.tenant.as_deref();
    let Some(asked) = asked else { return Ok(Some(own)) };
    caller.must(TokenScope::Operate)?;
    let is_seen = own == Some(asked) || caller.token.is_none();
    Ok(is_seen.then_some(Some(asked)))
}

/// A page of a list whose places name nothing but the caller's own.
pub(super) struct OwnPage {
    pub(super) limit: usize,
    pub(super) place: Option<String>,
}

/// Reads the parameters of such a list. Its cursor is not sealed, as that of sessions is: it names one of the caller's own, and any other
/// finds nothing of anybody else's.
///
/// # Errors
/// 400.
pub(super) fn page_of_own(query: Option<&str>) -> Result<OwnPage, Problem> {
    let mut given = parameters::read(query, &["limit", "cursor"])?;
    let limit = limit(given.get("limit").map(String::as_str))?;
    let place = given.remove("cursor");
    if place.as_deref().is_some_and(|place| !is_list_name(place)) {
        return Err(Problem::invalid("invalid_cursor", "the cursor is not one that this list returned"));
    }
    Ok(OwnPage { limit, place })
}

/// The size of a page.
///
/// # Errors
/// 400.
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
