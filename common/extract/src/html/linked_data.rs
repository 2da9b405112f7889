//! JSON-LD of a page: what it says about itself to search engines.

use dom_query::Document;
use serde_json::{Map, Value};

/// Most bytes of JSON-LD that are read of a page.
pub(super) const MAX_DATA_BYTES: usize = 1 << 20;
/// Deepest nesting that is searched for an object: a list, a graph, the main entity of a page.
pub(super) const MAX_DEPTH: usize = 6;

/// The data of `document`, in its order.
pub(super) fn of(document: &Document) -> Vec<Value> {
    let (mut found, mut left) = (Vec::new(), MAX_DATA_BYTES);
    for node in document.select("script[type='application/ld+json']").nodes() {
        let text = node.text();
        let Some(rest) = left.checked_sub(text.len()) else { break };
        left = rest;
        found.extend(serde_json::from_str::<Value>(text.trim()).ok());
    }
    found
}

/// Passes each object in `data` to `take`, outer ones first.
pub(super) fn each_object<'v>(data: &'v Value, take: &mut dyn FnMut(&'v Map<String, Value>)) {
    within(data, 0, take);
}

fn within<'v>(data: &'v Value, depth: usize, take: &mut dyn FnMut(&'v Map<String, Value>)) {
    if depth > MAX_DEPTH {
        return;
    }
    match data {
        Value::Array(parts) => parts.iter().for_each(|part| within(part, depth + 1, take)),
        Value::Object(fields) => {
            take(fields);
            fields.values().for_each(|value| within(value, depth + 1, take));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
