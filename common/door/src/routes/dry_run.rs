//! `POST /v1/sessions?dry_run`: what the session would cost. Nothing is accepted, stored or called.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::proofs::check_proofs;
use super::{form, json, request_body, session_key, webhook};
use crate::callers::Caller;
use crate::door::Door;
use crate::limits::{DRY_RUN_AGAIN, DRY_RUN_WAIT};
use crate::problem::Problem;
use crate::reading;

/// The parameter.
pub(super) const DRY_RUN: &str = "dry_run";

/// Whether the parameters ask for a dry run.
///
/// # Errors
/// 400 for a value that says neither yes nor no.
pub(super) fn is_asked(parameters: &BTreeMap<String, String>) -> Result<bool, Problem> {
    match parameters.get(DRY_RUN).map(String::as_str) {
        None | Some("false") => Ok(false),
        Some("" | "true") => Ok(true),
        Some(_) => Err(Problem::invalid("invalid_parameter", "dry_run is `true`, `false`, or has no value")),
    }
}

/// Says what the session of the request in `body` may cost.
///
/// # Errors
/// As for the request itself; 415 for a form, 503 if other dry runs take too long.
pub(super) async fn dry_run(
    door: &Arc<Door>,
    caller: &Caller,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    if form::boundary(headers)?.is_some() {
        let detail = "a dry run takes JSON: a form would store its files";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail)
            .with_remedy("store the files with PUT /v1/content/{sha256}, and name them with content_ref"));
    }
    reading::check_json(headers)?;
    let limits = door.parts.limits;
    let announced = reading::announced_size(headers, limits.request_bytes)?;
    let memory = door.memory(announced.unwrap_or(limits.request_bytes)).await;
    let body = reading::whole(body, limits.request_bytes, &limits).await?;
    let session = session_key::session_id(&door.parts.content, caller, None).await?;
    let request = request_body::check_request(request_body::parse_request(&body, &session)?)?;
    drop(body);
    check_proofs(door, caller, &request).await?;
    webhook::check(door, caller, &request)?;
    let Ok(Ok(_permit)) = tokio::time::timeout(DRY_RUN_WAIT, door.dry_runs.acquire()).await else {
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "other dry runs are under way");
        return Err(problem.again_after(DRY_RUN_AGAIN));
    };
    let found = door.parts.reports.estimate(request).await?;
    drop(memory);
    Ok(json(StatusCode::OK, &found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dry_run_is_asked_for_in_plain_words() {
        let asked = |value: Option<&str>| {
            is_asked(&value.map(|value| (DRY_RUN.to_owned(), value.to_owned())).into_iter().collect())
                .map_err(|problem| problem.code)
        };
        for (value, want) in [(None, false), (Some(""), true), (Some("true"), true), (Some("false"), false)] {
            assert_eq!(asked(value), Ok(want), "{value:?}");
        }
        assert_eq!(asked(Some("1")), Err("invalid_parameter".to_owned()));
    }
}
