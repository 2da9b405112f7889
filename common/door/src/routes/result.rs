//! `GET /v1/sessions/{id}/result`: the result, the same bytes as over the broker.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use precis_proto::ids::sha256_hex;
use precis_runtime::runner::RESULTS;

use super::show::id_in_path;
use crate::door::Door;
use crate::problem::Problem;

/// Returns the result.
pub(super) async fn result(
    State(door): State<Arc<Door>>,
    id: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (_, record) = door.read_session(&headers, &id_in_path(id)).await?;
    let kept = door.parts.content.get_named(RESULTS, record.session_id.as_str()).await?.ok_or_else(not_ended)?;
    let tag = format!("\"{}\"", sha256_hex(&kept));
    // It never changes; who asks must still be somebody who may read it.
    let fields = [(ETAG, tag.clone()), (CACHE_CONTROL, "private, no-cache".to_owned())];
    if is_known(&headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, fields).into_response());
    }
    Ok((StatusCode::OK, fields, [(CONTENT_TYPE, "application/json")], kept).into_response())
}

/// A session without a result yet.
pub(super) fn not_ended() -> Problem {
    Problem::new(StatusCode::CONFLICT, "not_ended", "the session has not ended")
        .with_remedy("wait for it with GET /v1/sessions/{id} and `Prefer: wait=60`, or follow its events")
}

/// Whether the caller has the content with this tag.
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let given = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    given
        .flat_map(|value| value.split(','))
        .map(|one| one.trim().trim_start_matches("W/"))
        .any(|one| one == tag || one == "*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_alone_in_a_list_and_by_a_star() {
        for (given, is_known_here) in [
            ("\"a\"", true),
            ("W/\"a\"", true),
            ("\"b\", \"a\"", true),
            ("*", true),
            ("\"b\"", false),
            ("a", false),
            ("", false),
        ] {
            let headers = [(IF_NONE_MATCH, given.parse().expect("a value"))].into_iter().collect();
            assert_eq!(is_known(&headers, "\"a\""), is_known_here, "{given}");
        }
        assert!(!is_known(&HeaderMap::new(), "\"a\""));
    }
}
