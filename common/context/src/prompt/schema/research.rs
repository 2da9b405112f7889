//! Schemas of plans, thoughts, delegations, gaps and turns, and a turn as tools.

use precis_proto::research::QuestionKind;
use precis_proto::task::{DRAFT_NOTES, READ_ADDRESSES, SEARCH_QUERIES, TURN_CALLS, Task, ToolCall, TurnRole};
use serde_json::{Value, json};

use super::strict::{OutputSchema, list, object, spaced_json};
use crate::truncate::Count;

/// Tokens that a vendor's own tool instructions add to a request.
/// Source: the table in Anthropic's tool use documentation, whose largest number is 530; other vendors add less.
const TOOLS_OVERHEAD_TOKENS: u64 = 530;

/// A tool as a request describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Lower-case word.
    pub name: &'static str,
    /// A sentence for the model.
    pub description: &'static str,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

fn text() -> Value {
    json!({"type": "string"})
}

fn at_most(items: Value, most: usize) -> Value {
    let mut bounded = list(items);
    bounded["maxItems"] = most.into();
    bounded
}

pub(super) fn gaps(most: usize, queries: usize) -> OutputSchema {
    let severity = json!({"type": "string", "enum": ["critical", "moderate", "minor"]});
    let gap = object(json!({
        "sub_question": text(),
        "text": text(),
        "severity": severity,
        "queries": at_most(text(), queries),
    }));
    OutputSchema { name: "gaps", schema: object(json!({"gaps": at_most(gap, most)})) }
}

pub(super) fn plan(most: usize) -> OutputSchema {
    use QuestionKind::{Comparison, Enumeration, Explanation, Fact, HowTo, MultiHop, Timeline, YesNo};
    let kinds = [Fact, Comparison, Enumeration, HowTo, Explanation, YesNo, Timeline, MultiHop];
    let kinds: Vec<Value> = kinds.iter().map(|kind| json!(kind)).collect();
    let sub_question = json!({
        "text": text(),
        "answered_when": text(),
        "priority": {"type": "integer", "enum": [1, 2, 3]},
        "after": list(json!({"type": "integer"})),
    });
    let properties = json!({
        "restated": text(),
        "kind": {"type": "string", "enum": kinds},
        "constraints": at_most(text(), DRAFT_NOTES),
        "assumptions": at_most(text(), DRAFT_NOTES),
        "sub_questions": at_most(object(sub_question), most),
    });
    OutputSchema { name: "plan", schema: object(properties) }
}

pub(super) fn thought() -> OutputSchema {
    OutputSchema { name: "thought", schema: object(json!({"text": text(), "is_enough": {"type": "boolean"}})) }
}

pub(super) fn delegation(most: usize) -> OutputSchema {
    let directive = json!({
        "sub_questions": list(text()),
        "topic": text(),
        "perspective": text(),
        "evidence_needed": text(),
        "priority": {"type": "integer", "enum": [1, 2, 3]},
    });
    let properties = json!({
        "directives": at_most(object(directive), most),
        "is_complete": {"type": "boolean"},
        "reason": text(),
    });
    OutputSchema { name: "delegation", schema: object(properties) }
}

/// One shape for all tools, because strict modes require every property; a tool leaves unused properties empty.
pub(super) fn turn() -> OutputSchema {
    let call = json!({
        "tool": {"type": "string", "enum": ToolCall::TOOLS},
        "queries": at_most(text(), SEARCH_QUERIES),
        "addresses": at_most(text(), READ_ADDRESSES),
        "text": text(),
        "summary": text(),
    });
    OutputSchema { name: "turn", schema: object(json!({"calls": at_most(object(call), TURN_CALLS)})) }
}

/// The tools of `task`; empty for every task but a turn.
pub(in crate::prompt) fn tools(task: &Task) -> Vec<Tool> {
    let Task::Turn(turn) = task else { return Vec::new() };
    let tool = |name, description, parameters| Tool { name, description, parameters: object(parameters) };
    let mut all = vec![
        tool(
            "search",
            "Searches with one or more queries, each charged.",
            json!({"queries": at_most(text(), SEARCH_QUERIES)}),
        ),
        tool(
            "read",
            "Reads up to 2 results by number or address, each charged: the page that speaks most to the directive; \"3 next\" and \"3 previous\" turn the pages of result 3.",
            json!({"addresses": at_most(text(), READ_ADDRESSES)}),
        ),
        tool("think", "Weighs what was found and what is missing. Free.", json!({"text": text()})),
        tool("complete", "Ends the directive with a summary. Free.", json!({"summary": text()})),
    ];
    // Before anything was searched there is nothing to read and nothing to think about.
    if !turn.messages.iter().any(|message| message.role == TurnRole::Result) {
        all.retain(|tool| !matches!(tool.name, "read" | "think"));
    }
    all
}

/// Tokens of `tools` in a request, the larger of compact and spaced JSON, plus [`TOOLS_OVERHEAD_TOKENS`]; 0 if there are none.
pub(in crate::prompt) fn count_tools(tools: &[Tool], count: Count<'_>) -> u64 {
    if tools.is_empty() {
        return 0;
    }
    let each = |tool: &Tool| {
        let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
        json!({"type": "function", "function": function})
    };
    let all = Value::from(tools.iter().map(each).collect::<Vec<_>>());
    count(&all.to_string()).max(count(&spaced_json(&all))) + TOOLS_OVERHEAD_TOKENS
}
