//! Parses tool calls from a model's text, in any common notation: one parser for all vendors and models.
//!
//! All bounds are enforced here: calls of a turn, queries of a search, addresses of a read, characters of each.

use precis_proto::task::{
    ADDRESS_CHARS, QUERY_CHARS, READ_ADDRESSES, SEARCH_QUERIES, THOUGHT_CHARS, TURN_CALLS, ToolCall, Turn,
};
use serde_json::{Map, Value};

use super::tidy::{cut, tidy, tidy_line};
use super::{json, lenient};

/// Bytes of a text that are searched for calls; ten full searches are shorter.
const MAX_TEXT_BYTES: usize = 64 * 1_024;
/// Most positions at which a call is tried.
const MAX_STARTS: usize = 256;
/// How deep calls may be nested: `{"answer": {"calls": [{"function": {…}}]}}`.
const MAX_WRAPPING: usize = 6;

/// The calls in `text` (thoughts already removed), in order; a repeated call counts once.
///
/// # Errors
/// What is wrong with the answer, as a complaint for the model.
pub(super) fn turn(text: &str) -> Result<Turn, String> {
    let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
    let mut found = ParsedCalls::default();
    let mut from = 0;
    for _ in 0..MAX_STARTS {
        let Some(at) = text[from..].find(['{', '[']).map(|at| from + at) else { break };
        let value = json::first(&text[at..]).or_else(|| lenient::parse(&text[at..]));
        from = match value {
            Some((value, length)) => {
                found.collect(&value, 0);
                at + length.max(1)
            }
            None => at + 1,
        };
        if found.calls.len() == TURN_CALLS {
            break;
        }
    }
    match (found.calls.is_empty(), found.unknown) {
        (false, _) => Ok(Turn { calls: found.calls }),
        (true, true) => Err("the answer calls none of search, read, think and complete with what it needs".to_owned()),
        (true, false) => Err("the answer holds no tool call that can be read".to_owned()),
    }
}

#[derive(Default)]
struct ParsedCalls {
    calls: Vec<ToolCall>,
    /// Whether an unknown tool, or one without its arguments, was called.
    unknown: bool,
}

impl ParsedCalls {
    fn collect(&mut self, value: &Value, depth: usize) {
        if depth > MAX_WRAPPING || self.calls.len() == TURN_CALLS {
            return;
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.collect(item, depth + 1)),
            Value::Object(map) => self.object(map, depth),
            _ => {}
        }
    }

    fn object(&mut self, map: &Map<String, Value>, depth: usize) {
        if let Some(name) = ["tool", "name", "function", "tool_name"].iter().find_map(|key| map.get(*key)?.as_str()) {
            match call(name, &arguments(map)) {
                Some(call) if !self.calls.contains(&call) => self.calls.push(call),
                Some(_) => {}
                None => self.unknown = true,
            }
            return;
        }
        // Tool name as the key: `{"search": {"queries": […]}}`.
        if let [(name, Value::Object(arguments))] = map.iter().collect::<Vec<_>>()[..]
            && let Some(call) = call(name, arguments)
        {
            if !self.calls.contains(&call) {
                self.calls.push(call);
            }
            return;
        }
        map.values().for_each(|inner| self.collect(inner, depth + 1));
    }
}

/// The arguments of a call: in an object of their own, in such an object serialized as a string, or next to its name.
fn arguments(map: &Map<String, Value>) -> Map<String, Value> {
    for key in ["arguments", "args", "input", "parameters"] {
        let inner = match map.get(key) {
            Some(Value::Object(inner)) => Some(inner.clone()),
            Some(Value::String(text)) => {
                let value = json::first(text.trim()).or_else(|| lenient::parse(text.trim())).map(|(value, _)| value);
                value.and_then(|value| match value {
                    Value::Object(inner) => Some(inner),
                    _ => None,
                })
            }
            _ => None,
        };
        if let Some(inner) = inner {
            return inner;
        }
    }
    map.clone()
}

/// The call of `name` with `arguments`, cut to the bounds; `None` if there is no such tool or its arguments are missing.
fn call(name: &str, arguments: &Map<String, Value>) -> Option<ToolCall> {
    let texts = |keys: &[&str]| keys.iter().find_map(|key| arguments.get(*key)).map(strings).unwrap_or_default();
    let list = |keys: &[&str], chars: usize, most: usize| {
        let mut kept: Vec<String> = Vec::new();
        for text in texts(keys) {
            let text = cut(&tidy_line(&text), chars);
            if !text.is_empty() && !kept.contains(&text) && kept.len() < most {
                kept.push(text);
            }
        }
        kept
    };
    let text = |keys: &[&str]| cut(&tidy(&texts(keys).join("\n")), THOUGHT_CHARS);
    match name.trim().to_lowercase().as_str() {
        "search" => {
            let queries = list(&["queries", "query", "q"], QUERY_CHARS, SEARCH_QUERIES);
            (!queries.is_empty()).then_some(ToolCall::Search { queries })
        }
        "read" => {
            let keys = ["addresses", "address", "urls", "url", "numbers", "number"];
            let addresses = list(&keys, ADDRESS_CHARS, READ_ADDRESSES);
            (!addresses.is_empty()).then_some(ToolCall::Read { addresses })
        }
        "think" => Some(text(&["text", "thought", "reflection"]))
            .filter(|t| !t.is_empty())
            .map(|text| ToolCall::Think { text }),
        "complete" => Some(ToolCall::Complete { summary: text(&["summary", "text"]) }),
        _ => None,
    }
}

/// The strings and numbers of a value or list, as strings.
fn strings(value: &Value) -> Vec<String> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    match value {
        Value::Array(items) => items.iter().filter_map(one).collect(),
        other => one(other).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests;
