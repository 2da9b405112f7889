//! When two results are the same report: everything but times and who paid.
//!
//! Left out are the times of fidelity records and the seconds of phases and rounds, which are the clock's, and the rows of spend and of token
//! usage, which are of calls: one that was made again because its first answer was lost counts twice, one found in the memo counts
//! as cached, and a digest found in the cache, because the job that made it died before it could answer, counts as none at all.

use serde_json::{Map, Value};

/// What must be the same in every result of one request.
///
/// # Errors
/// Where `body` is no JSON object.
pub fn essence(body: &[u8]) -> Result<Value, String> {
    let mut result: Value = serde_json::from_slice(body).map_err(|e| e.to_string())?;
    let top = result.as_object_mut().ok_or("not an object")?;
    // The seal is that of the times too.
    top.remove("seal");
    // It is made of the seal.
    top.remove("mark");
    if let Some(Value::Object(data)) = top.get_mut("data") {
        without_times(data);
        data.remove("spend");
        data.remove("token_usage");
    }
    Ok(result)
}

fn without_times(data: &mut Map<String, Value>) {
    let phases = data.get_mut("session").and_then(|s| s.get_mut("phases")).and_then(Value::as_array_mut);
    for phase in phases.into_iter().flatten().filter_map(Value::as_object_mut) {
        phase.remove("seconds");
    }
    if let Some(research) = data.get_mut("research") {
        remove_everywhere(research, "seconds");
        // Of two sessions with one query, the first pays for both, and faults decide which is the first. Like `spend`.
        remove_everywhere(research, "served");
        remove_everywhere(research, "usd");
    }
    if let Some(generated) = data.get_mut("generated").and_then(Value::as_object_mut) {
        generated.remove("at");
    }
    if let Some(fidelity) = data.get_mut("content_fidelity") {
        remove_everywhere(fidelity, "timestamp");
    }
}

fn remove_everywhere(value: &mut Value, key: &str) {
    match value {
        Value::Object(fields) => {
            fields.remove(key);
            fields.values_mut().for_each(|v| remove_everywhere(v, key));
        }
        Value::Array(items) => items.iter_mut().for_each(|v| remove_everywhere(v, key)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The first place where two essences differ, as a JSON pointer with both values; `None` where they are the same.
#[must_use]
pub fn difference(expected: &Value, found: &Value) -> Option<String> {
    differ("", expected, found)
}

fn differ(place: &str, expected: &Value, found: &Value) -> Option<String> {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() && a.keys().all(|k| b.contains_key(k)) => {
            a.iter().find_map(|(key, value)| differ(&format!("{place}/{key}"), value, &b[key]))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(n, (x, y))| differ(&format!("{place}/{n}"), x, y))
        }
        _ if expected == found => None,
        _ => {
            let short = |v: &Value| v.to_string().chars().take(200).collect::<String>();
            Some(format!("{place}: {} instead of {}", short(found), short(expected)))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn result(seconds: f64, calls: u64, cached: u64, report: &str) -> Vec<u8> {
        let spend = json!([{ "role": "synthesis", "provider": "p", "calls": calls, "cached_calls": cached, "cost_usd": calls }]);
        let fidelity = json!({ "a": { "phases": { "digest": { "level": "digest", "timestamp": seconds } } } });
        let session = json!({ "id": "s", "phases": [{ "name": "digest", "seconds": seconds }] });
        let usage = json!([{ "role": "synthesis", "layer": "L1", "kept": calls }]);
        let research = json!({ "rounds": [{ "number": 1, "seconds": seconds }] });
        json!({ "data": { "research": research, "report": report, "spend": spend, "token_usage": usage, "content_fidelity": fidelity, "session": session } })
            .to_string()
            .into_bytes()
    }

    #[test]
    fn times_and_who_paid_may_differ_and_nothing_else() {
        let of = |body: Vec<u8>| essence(&body).expect("JSON");
        let expected = of(result(1.0, 2, 0, "text"));
        assert_eq!(difference(&expected, &of(result(9.0, 1, 1, "text"))), None);
        let found = difference(&expected, &of(result(1.0, 2, 0, "other")));
        assert_eq!(found.as_deref(), Some("/data/report: \"other\" instead of \"text\""));
    }
}
