//! What all requests that make something have in common: who asks and with which key, and where the thing is that was made.

use std::collections::BTreeMap;

use axum::http::header::{HeaderValue, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use precis_runtime::config::TokenScope;
use serde::Serialize;

use super::{json, parameters, session_key};
use crate::callers::Caller;
use crate::door::Door;
use crate::problem::Problem;

/// Who asks for a thing to be made, and the `Idempotency-Key` that makes it the same one when it is asked for again.
pub(super) struct Submission {
    pub(super) caller: Caller,
    pub(super) key: Option<String>,
    /// The parameters of the address.
    pub(super) parameters: BTreeMap<String, String>,
}

impl Submission {
    /// Reads what comes before the body; its parameters must be among `known`.
    ///
    /// # Errors
    /// 400, 401, 403.
    pub(super) fn read(door: &Door, headers: &HeaderMap, query: Option<&str>, known: &[&str]) -> Result<Self, Problem> {
        let caller = door.caller(headers, TokenScope::Submit)?;
        let parameters = parameters::read(query, known)?;
        Ok(Self { caller, key: session_key::read_key(headers)?, parameters })
    }
}

/// Answers with `document` and the address of what it shows: `path` below the base path of the door, escaped.
pub(super) fn document_response(door: &Door, status: StatusCode, document: &impl Serialize, path: &str) -> Response {
    let mut response = json(status, document);
    let location = format!("{}{path}", door.parts.base_path.as_str());
    response.headers_mut().insert(LOCATION, HeaderValue::from_str(&location).expect("escaped"));
    response
}

/// The key was used for a thing that was removed: `session` or `collection`.
pub(super) fn removed_before(thing: &str) -> Problem {
    let detail = format!("the {thing} of this Idempotency-Key was removed");
    Problem::new(StatusCode::CONFLICT, format!("{thing}_removed"), detail)
        .with_remedy(format!("use a new key for a new {thing}"))
}
