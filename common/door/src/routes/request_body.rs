//! The request in a body: that of the wire, but without a session id, which the door gives. Pure.

use axum::http::StatusCode;
use precis_proto::SessionId;
use precis_proto::failure_code::FailureCode;
use precis_proto::fault::body_fault;
use precis_proto::request::ResearchRequest;
use precis_runtime::runner::refusal;
use serde::de::IgnoredAny;

use crate::problem::Problem;

/// Checks a request, of whatever it was put together, as a worker will.
///
/// # Errors
/// 413 if it is too large for a message, otherwise 422 with the place of the fault.
pub(super) fn check_request(request: ResearchRequest) -> Result<ResearchRequest, Problem> {
    match refusal(&request) {
        Some(refused) => Err(refused.into()),
        None => Ok(request),
    }
}

/// Reads the request of the session `id` from `body`, not checked otherwise.
///
/// # Errors
/// 400 if it is not JSON, otherwise 422 with the place of the fault.
pub(super) fn parse_request(body: &[u8], id: &SessionId) -> Result<ResearchRequest, Problem> {
    let with_id = with_id(body, id)
        .ok_or_else(|| malformed_request(StatusCode::UNPROCESSABLE_ENTITY, "the body must be a JSON object"));
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(body) {
        return Err(malformed_request(StatusCode::BAD_REQUEST, &format!("the body is not JSON: {error}")));
    }
    let with_id = with_id?;
    serde_json::from_slice::<ResearchRequest>(&with_id).map_err(|_| unfit(&with_id))
}

/// Puts the id in front of the fields of the object in `body`, so that the whole is read once, field by field, within the limits of the
/// wire. `None` if it is no object.
fn with_id(body: &[u8], id: &SessionId) -> Option<Vec<u8>> {
    let rest = body.trim_ascii_start().strip_prefix(b"{")?;
    let comma: &[u8] = if rest.trim_ascii_start().starts_with(b"}") { b"" } else { b"," };
    let field = format!("{{\"session_id\":{}", serde_json::Value::from(id.as_str()));
    Some([field.as_bytes(), comma, rest].concat())
}

fn unfit(with_id: &[u8]) -> Problem {
    let Some(fault) = body_fault::<ResearchRequest>(with_id) else {
        return malformed_request(StatusCode::UNPROCESSABLE_ENTITY, "the body is not a request");
    };
    // The id of the door comes first: one of the caller's is a second field of this name.
    if fault.message.starts_with("duplicate field `session_id`") {
        let detail = "session_id is not a field of a request over HTTP: the server gives a session its id";
        return malformed_request(StatusCode::UNPROCESSABLE_ENTITY, detail)
            .at("/session_id")
            .with_remedy("leave session_id out; send an Idempotency-Key to mean the same session again");
    }
    let problem = malformed_request(StatusCode::UNPROCESSABLE_ENTITY, &fault.message);
    problem.at(fault.pointer).with_remedy("compare the body with GET /openapi.json")
}

fn malformed_request(status: StatusCode, detail: &str) -> Problem {
    Problem::new(status, FailureCode::MalformedRequest.as_str(), detail)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(body: &[u8], id: &SessionId) -> Result<ResearchRequest, Problem> {
        parse_request(body, id).and_then(check_request)
    }

    fn id() -> SessionId {
        SessionId::new("given \"here\"").expect("an id")
    }

    fn request() -> Value {
        json!({ "schema_version": 2, "query": "q", "sources": [{ "source_id": "a", "content": "x" }] })
    }

    #[test]
    fn a_request_gets_the_id_of_the_door() {
        for body in [request().to_string(), format!(" \n{:#}\n", request())] {
            assert_eq!(read(body.as_bytes(), &id()).expect("a request").session_id, id());
        }
    }

    #[test]
    fn each_fault_has_its_status_and_its_place() {
        let with = |name: &str, value: Value| {
            let mut request = request();
            request[name] = value;
            request.to_string()
        };
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let many: Vec<Value> = (0..5_001).map(|n| json!({ "source_id": n.to_string(), "content": "x" })).collect();
        for (body, status, code, pointer) in [
            ("{".to_owned(), 400, "malformed_request", None),
            (String::new(), 400, "malformed_request", None),
            ("\u{0}".to_owned(), 400, "malformed_request", None),
            (deep.clone(), 422, "malformed_request", None),
            (format!("{{\"query\":{deep}}}"), 422, "malformed_request", Some("/query")),
            (format!("{{\"query\":{}", &deep[..100_000]), 400, "malformed_request", None),
            (format!("{} x", request()), 400, "malformed_request", None),
            ("[]".to_owned(), 422, "malformed_request", None),
            ("7".to_owned(), 422, "malformed_request", None),
            ("{}".to_owned(), 422, "malformed_request", Some("")),
            (with("colour", json!("red")), 422, "malformed_request", Some("/colour")),
            (with("session_id", json!("mine")), 422, "malformed_request", Some("/session_id")),
            (with("query", json!("  ")), 422, "empty_query", Some("/query")),
            (with("sources", json!(many)), 422, "too_many_sources", Some("/sources")),
            (with("schema_version", json!(99)), 422, "unsupported_version", Some("/schema_version")),
        ] {
            let problem = read(body.as_bytes(), &id()).expect_err("a fault");
            let shown: String = body.chars().take(40).collect();
            assert_eq!(
                (problem.status, problem.code.as_str(), problem.pointer.as_deref()),
                (status, code, pointer),
                "{shown}"
            );
        }
    }

    #[test]
    fn an_id_of_the_callers_is_refused_as_one_that_the_server_gives() {
        let rest = "\"schema_version\": 2, \"query\": \"q\", \"sources\": []";
        for id_first in ["{\"session_id\": \"mine\", REST}", "{REST, \"session\\u005fid\": 7}"] {
            let problem = read(id_first.replace("REST", rest).as_bytes(), &id()).expect_err("a fault");
            assert_eq!((problem.status, problem.pointer.as_deref()), (422, Some("/session_id")), "{id_first}");
            assert!(problem.detail.ends_with("the server gives a session its id"), "{}", problem.detail);
            assert!(problem.remedy.expect("a remedy").contains("Idempotency-Key"));
        }
    }
}
