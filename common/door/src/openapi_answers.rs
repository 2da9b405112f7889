//! Answers as the OpenAPI document describes them.

use serde_json::{Value, json};

/// Describes the answers of an operation that went wrong: status and words of each.
pub(crate) type Problems<'a> = &'a dyn Fn(&[(&str, &str)]) -> Vec<(String, Value)>;

pub(crate) const UNAUTHORIZED: &str = "No token, or one that this door does not know.";
pub(crate) const FORBIDDEN: &str =
    "The token does not have the scope; or the door has no tokens, and the request was not made for this machine.";
pub(crate) const AWAY: &str = "The broker or the content store cannot be used now.";

/// An answer of this kind and schema.
pub(crate) fn content(description: &str, kind: &str, schema: &Value) -> Value {
    json!({ "description": description, "content": { kind: { "schema": schema } } })
}

/// The answers of an operation.
pub(crate) fn answers<const N: usize>(good: [(&str, Value); N], problems: Vec<(String, Value)>) -> Value {
    let good = good.into_iter().map(|(code, answer)| (code.to_owned(), answer));
    Value::Object(good.chain(problems).collect())
}
