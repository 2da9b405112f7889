//! Converts native tool calls to the text that models without native calls write, so that one reader handles both.

use precis_proto::task::ToolCall;
use serde_json::{Value, json};

/// Whether `name` is one of our tools, as opposed to the forced tool that carries the answer schema ([`SchemaForm::Older`] at Anthropic).
///
/// [`SchemaForm::Older`]: super::dialect::SchemaForm::Older
pub(super) fn is_tool(name: &Value) -> bool {
    name.as_str().is_some_and(|name| ToolCall::TOOLS.contains(&name))
}

/// Returns `calls` as text, each a name with its arguments as JSON or as JSON text; `None` if there are no calls.
pub(super) fn text<'a>(calls: impl Iterator<Item = (&'a Value, &'a Value)>) -> Option<String> {
    let calls: Vec<Value> = calls.map(|(name, arguments)| json!({"name": name, "arguments": arguments})).collect();
    (!calls.is_empty()).then(|| json!({"calls": calls}).to_string())
}
