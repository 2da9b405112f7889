//! Native tool calls as the text that models without them write, so that one reader serves both.

use precis_proto::task::ToolCall;
use serde_json::{Value, json};

/// Whether `name` is a tool of ours, and not the forced one that an older form of Anthropic's schemas is sent as.
pub(super) fn is_tool(name: &Value) -> bool {
    name.as_str().is_some_and(|name| ToolCall::TOOLS.contains(&name))
}

/// The text of `calls`, each a name and its arguments as JSON or as the text of it; `None` where there are none.
pub(super) fn text<'a>(calls: impl Iterator<Item = (&'a Value, &'a Value)>) -> Option<String> {
    let calls: Vec<Value> = calls.map(|(name, arguments)| json!({"name": name, "arguments": arguments})).collect();
    (!calls.is_empty()).then(|| json!({"calls": calls}).to_string())
}
