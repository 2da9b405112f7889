//! A body of JSON that is no request of the wire. Pure.

use axum::http::StatusCode;
use precis_proto::failure_code::FailureCode;
use precis_proto::fault::body_fault;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::problem::Problem;

/// Reads a body.
///
/// # Errors
/// 400 if it is not JSON, 422 if it is something else than expected.
pub(super) fn parse_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let fault = |status, detail: String| Problem::new(status, FailureCode::MalformedRequest.as_str(), detail);
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(body) {
        return Err(fault(StatusCode::BAD_REQUEST, format!("the body is not JSON: {error}")));
    }
    serde_json::from_slice(body).map_err(|_| {
        let (message, pointer) = match body_fault::<T>(body) {
            Some(found) => (found.message, found.pointer),
            None => ("the body is not as expected".to_owned(), String::new()),
        };
        fault(StatusCode::UNPROCESSABLE_ENTITY, message)
            .at(pointer)
            .with_remedy("compare the body with GET /openapi.json")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routes::NewCollection;

    #[test]
    fn a_body_of_any_depth_is_refused_and_not_followed() {
        for (open, close) in [("[", "]"), ("{\"name\":", "}")] {
            // At its first level it is something else than expected.
            for depth in [2, 127, 128, 129, 100_000] {
                let body = format!("{}0{}", open.repeat(depth), close.repeat(depth));
                let problem = parse_body::<NewCollection>(body.as_bytes()).expect_err("no collection");
                assert_eq!((problem.status, problem.code.as_str()), (422, "malformed_request"), "{depth}");
            }
        }
    }

    #[test]
    fn a_body_is_read_or_its_fault_has_a_place() {
        assert_eq!(parse_body::<NewCollection>(b"{}"), Ok(NewCollection::default()));
        for (body, status, pointer) in
            [("{", 400, None), ("{\"name\": 5}", 422, Some("/name")), ("{\"colour\": 5}", 422, Some("/colour"))]
        {
            let problem = parse_body::<NewCollection>(body.as_bytes()).expect_err("a fault");
            assert_eq!((problem.status, problem.pointer.as_deref()), (status, pointer), "{body}");
        }
    }
}
