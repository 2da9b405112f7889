//! A turn of a researcher: what was said so far, and the tool calls that come back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PlanRow;

/// Queries of one search at most.
pub const SEARCH_QUERIES: usize = 10;
/// Addresses of one read at most.
pub const READ_ADDRESSES: usize = 2;
/// Calls of one turn at most. Chosen, not measured.
pub const TURN_CALLS: usize = 8;
/// Most characters of a query; the strictest search provider takes as many.
pub const QUERY_CHARS: usize = 400;
/// Most characters of an address.
pub const ADDRESS_CHARS: usize = 2_000;

/// Go on with a directive. Answered by a [`Turn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnTask {
    /// What to look for.
    pub directive: TurnDirective,
    /// The whole question, in a line.
    pub brief: String,
    /// The day on which the session was created, as `2026-11-23`.
    pub today: String,
    /// What was said so far, oldest first; untrusted.
    #[serde(default)]
    pub messages: Vec<TurnMessage>,
    /// Searches left; each query is one.
    pub searches_left: u32,
    /// Charged calls left; each query and each address is one.
    pub calls_left: u32,
}

/// A directive as its researcher sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnDirective {
    /// `r1.d1` and so on.
    pub id: String,
    /// What to look for.
    pub topic: String,
    /// From which side to look at it; may be empty.
    #[serde(default)]
    pub perspective: String,
    /// What kind of evidence is wanted; may be empty.
    #[serde(default)]
    pub evidence_needed: String,
    /// Sub-questions it works on.
    #[serde(default)]
    pub sub_questions: Vec<PlanRow>,
}

/// Something said in the course of a directive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnMessage {
    /// Its place in the conversation, from 1; kept when others are left out.
    pub n: u32,
    /// Who said it.
    pub role: TurnRole,
    /// What was said.
    pub text: String,
}

/// Who says something in the course of a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnRole {
    /// The researcher, for itself.
    Think,
    /// The researcher, to a tool.
    Call,
    /// A tool.
    Result,
    /// Whoever runs the researcher.
    Reminder,
}

impl TurnRole {
    /// The word in prompts and records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Think => "think",
            Self::Call => "call",
            Self::Result => "result",
            Self::Reminder => "reminder",
        }
    }
}

/// What a [`TurnTask`] returns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// In the order in which they are to be made; from 1 to [`TURN_CALLS`].
    pub calls: Vec<ToolCall>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "tool", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToolCall {
    /// Search; each query is charged.
    Search {
        /// From 1 to [`SEARCH_QUERIES`].
        queries: Vec<String>,
    },
    /// Read what a search found; each address is charged.
    Read {
        /// From 1 to [`READ_ADDRESSES`]: the number of a result, or its address.
        addresses: Vec<String>,
    },
    /// Weigh what was found; free.
    Think {
        /// At most [`super::THOUGHT_CHARS`] characters.
        text: String,
    },
    /// End the directive; free.
    Complete {
        /// What was found and what was not; at most [`super::THOUGHT_CHARS`] characters.
        summary: String,
    },
}

impl ToolCall {
    /// The names of all tools.
    pub const TOOLS: [&str; 4] = ["search", "read", "think", "complete"];

    /// The name of its tool.
    #[must_use]
    pub fn tool(&self) -> &'static str {
        match self {
            Self::Search { .. } => "search",
            Self::Read { .. } => "read",
            Self::Think { .. } => "think",
            Self::Complete { .. } => "complete",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_tagged_by_its_tool_and_closed() {
        let call = ToolCall::Read { addresses: vec!["3".into()] };
        let json = serde_json::to_string(&call).expect("it encodes");
        assert_eq!(json, r#"{"tool":"read","addresses":["3"]}"#);
        assert_eq!(serde_json::from_str::<ToolCall>(&json).expect("it decodes"), call);
        for bad in [
            r#"{"tool":"read","addresses":["3"],"x":1}"#,
            r#"{"tool":"browse","addresses":["3"]}"#,
            r#"{"tool":"read","queries":["3"]}"#,
            r#"{"calls":[],"x":1}"#,
        ] {
            assert!(serde_json::from_str::<ToolCall>(bad).is_err(), "{bad}");
            assert!(serde_json::from_str::<Turn>(bad).is_err(), "{bad}");
        }
        assert!(ToolCall::TOOLS.contains(&call.tool()));
    }
}
