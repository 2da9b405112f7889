//! Finds JSON in a model's text: plain, in a code fence, or after prose.

use serde_json::Value;

use super::lenient;

/// Most positions at which an object is tried; bounds the time for hostile text.
const MAX_STARTS: usize = 256;
/// Marks around a model's thoughts.
const OPENS: &str = "<think>";
const CLOSES: &str = "</think>";
/// Bytes that the lenient parser is tried on; no plan is longer.
const MAX_LENIENT_BYTES: usize = 64 * 1_024;

/// The first JSON object in `text` that has one of `keys`, or the first array of objects if `bare_list` allows one.
pub(super) fn find(text: &str, keys: &[&str], bare_list: bool) -> Option<Value> {
    let starts = text.char_indices().filter(|(_, c)| *c == '{' || (bare_list && *c == '['));
    starts.take(MAX_STARTS).find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        let value = values.next()?.ok()?;
        let fits = match &value {
            Value::Object(map) => keys.iter().any(|k| map.contains_key(*k)),
            Value::Array(items) => items.first().is_some_and(Value::is_object),
            _ => false,
        };
        fits.then_some(value)
    })
}

/// As [`find`], with the lenient parser for what is no strict JSON.
pub(super) fn find_list(text: &str, key: &str) -> Option<Value> {
    find(text, &[key], true).or_else(|| find_object(text, &[key]))
}

/// The JSON value at the beginning of `text`, and its length in bytes.
pub(super) fn first(text: &str) -> Option<(Value, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

/// The first object in `text` that has one of `keys`: as strict JSON, else by the lenient parser.
pub(super) fn find_object(text: &str, keys: &[&str]) -> Option<Value> {
    find(text, keys, false).or_else(|| {
        let text = &text[..text.floor_char_boundary(MAX_LENIENT_BYTES)];
        let starts = text.char_indices().filter(|(_, c)| *c == '{').take(MAX_STARTS);
        let mut values = starts.filter_map(|(at, _)| lenient::parse(&text[at..]));
        values.find_map(|(value, _)| keys.iter().any(|key| value.get(*key).is_some()).then_some(value))
    })
}

/// `text` without its thoughts, whether the mark that opens them was sent or not; empty if they are not closed.
pub(super) fn without_thoughts(text: &str) -> &str {
    let text = text.trim();
    let (opened, rest) = match text.strip_prefix(OPENS) {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    match rest.split_once(CLOSES) {
        Some((thoughts, answer)) if !thoughts.contains(OPENS) => answer.trim(),
        _ if opened => "",
        _ => text,
    }
}

/// The content of `text` if it is one fenced code block, else `text`.
pub(super) fn strip_fence(text: &str) -> &str {
    let inside = text.trim().strip_prefix("```").and_then(|t| t.strip_suffix("```"));
    match inside.and_then(|t| t.split_once('\n')) {
        Some((_, body)) if !body.contains("```") => body.trim(),
        _ => text.trim(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_is_found_plain_fenced_and_behind_prose() {
        for text in [
            r#"{"a": 1}"#,
            "```json\n{\"a\": 1}\n```",
            "Here is {what} you asked for:\n\n{\"a\": 1}\nAnything else?",
            r#"{"note": 2} {"a": 1}"#,
        ] {
            assert_eq!(find(text, &["a"], false), Some(json!({"a": 1})), "{text}");
        }
        for text in ["", "a", "{", r#"{"b": 1}"#, r#"{"a": 1"#, "[1]"] {
            assert_eq!(find(text, &["a"], true), None, "{text}");
        }
        assert_eq!(find(r#"[{"x": 1}]"#, &["a"], true), Some(json!([{"x": 1}])));
    }

    #[test]
    fn a_flood_of_braces_is_given_up_on() {
        for flood in ["{".repeat(1 << 20), r#"{"a":["#.repeat(200_000), "[".repeat(1 << 20)] {
            assert_eq!(find(&flood, &["a"], true), None);
        }
    }

    #[test]
    fn thoughts_and_fences_come_off() {
        assert_eq!(without_thoughts("<think>{\"a\": 0}</think>\n{\"a\": 1}"), "{\"a\": 1}");
        assert_eq!(without_thoughts("<think>never ends"), "");
        assert_eq!(without_thoughts("hm, so\n</think>\nIt fell."), "It fell.");
        assert_eq!(without_thoughts("It fell."), "It fell.");
        assert_eq!(strip_fence("```markdown\n# A\n```"), "# A");
        assert_eq!(strip_fence("```\na\n```\nb\n```\nc\n```"), "```\na\n```\nb\n```\nc\n```");
    }
}
