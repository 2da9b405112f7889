//! What the OpenAPI document says of an answer. Every answer that a test of the routes gets is held to it.

use axum::http::response::Parts;
use serde_json::Value;

use crate::openapi;

/// The operation of the document that a request for `method` and `path` is; `None` if it has none.
fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let path = path.split('?').next().unwrap_or_default();
    let fits = |template: &str| {
        let (template, path) = (template.split('/'), path.split('/'));
        template.clone().count() == path.clone().count()
            && template.zip(path).all(|(is, got)| (is.starts_with('{') && !got.is_empty()) || is == got)
    };
    let paths = openapi::document()["paths"].as_object().expect("paths");
    let found = paths.iter().find(|(template, _)| fits(template));
    found.and_then(|(_, operations)| operations.get(method.to_lowercase()))
}

/// Checks that the document describes an answer with this status and media type for this request.
pub(super) fn check(method: &str, path: &str, answer: &Parts) {
    let Some(operation) = operation(method, path) else { return };
    let described = &operation["responses"][answer.status.as_str()];
    assert!(described.is_object(), "{method} {path} answered {}, which is not described", answer.status);
    let kind = answer.headers.get("content-type").map(|kind| kind.to_str().expect("text"));
    let kind = kind.and_then(|kind| kind.split(';').next());
    let kinds: Vec<&str> = described["content"].as_object().into_iter().flatten().map(|(kind, _)| &**kind).collect();
    let fits = kind.map_or(kinds.is_empty(), |kind| kinds.contains(&kind));
    assert!(fits, "{method} {path} answered {} with {kind:?}, described are {kinds:?}", answer.status);
}
