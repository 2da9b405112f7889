//! A turn of a researcher: the conversation so far, and the tool calls it returns.

use serde::{Deserialize, Serialize};

use super::{EvidenceRow, PlanRow};
use crate::closed_words;

/// Most queries of one search.
pub const SEARCH_QUERIES: usize = 10;
/// Most addresses of one read.
pub const READ_ADDRESSES: usize = 2;
/// Most calls of one turn. Chosen, not measured.
pub const TURN_CALLS: usize = 8;
/// Most characters of a query: the limit of the strictest search provider.
pub const QUERY_CHARS: usize = 400;
/// Most characters of an address.
pub const ADDRESS_CHARS: usize = 2_000;

/// The task to continue a directive. Answered by a [`Turn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTask {
    /// The directive.
    pub directive: TurnDirective,
    /// The whole question, in one line.
    pub brief: String,
    /// The day on which the session was created, as `2026-11-23`.
    pub today: String,
    /// What directives of the same lane found in earlier rounds, oldest first; untrusted.
    #[serde(default)]
    pub earlier: Vec<EvidenceRow>,
    /// The conversation so far, oldest first; untrusted.
    #[serde(default)]
    pub messages: Vec<TurnMessage>,
    /// Searches left; each query counts as one.
    pub searches_left: u32,
    /// Searches that the next call may make; the others are kept for later calls.
    #[serde(default)]
    pub searches_now: u32,
    /// Charged calls left; each query and each address counts as one.
    pub calls_left: u32,
}

/// A directive in a turn task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnDirective {
    /// Id: `r1.d1` and so on.
    pub id: String,
    /// What to look for.
    pub topic: String,
    /// Perspective to take; may be empty.
    #[serde(default)]
    pub perspective: String,
    /// Kind of evidence needed; may be empty.
    #[serde(default)]
    pub evidence_needed: String,
    /// Sub-questions it works on.
    #[serde(default)]
    pub sub_questions: Vec<PlanRow>,
}

/// A message in the conversation of a directive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnMessage {
    /// Position in the conversation, from 1; unchanged when other messages are left out.
    pub n: u32,
    /// Role of the author.
    pub role: TurnRole,
    /// Text of the message.
    pub text: String,
}

closed_words! {
    /// The role of the author of a message.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum TurnRole: serde {
        /// A thought of the researcher.
        Think => "think",
        /// A tool call of the researcher.
        Call => "call",
        /// The result of a tool.
        Result => "result",
        /// A reminder by the program that runs the researcher.
        Reminder => "reminder",
    }
}

/// The result of a [`TurnTask`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The calls in the order to make them; from 1 to [`TURN_CALLS`].
    pub calls: Vec<ToolCall>,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "tool", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToolCall {
    /// Search; each query is charged.
    Search {
        /// The queries, from 1 to [`SEARCH_QUERIES`].
        queries: Vec<String>,
    },
    /// Read results of a search; each address is charged.
    Read {
        /// The results to read, from 1 to [`READ_ADDRESSES`]: number or address of a result.
        addresses: Vec<String>,
    },
    /// Think about what was found; free.
    Think {
        /// The thought; at most [`super::THOUGHT_CHARS`] characters.
        text: String,
    },
    /// End the directive; free.
    Complete {
        /// Summary of what was found and what was not; at most [`super::THOUGHT_CHARS`] characters.
        summary: String,
    },
}

impl ToolCall {
    /// The names of all tools.
    pub const TOOLS: [&str; 4] = ["search", "read", "think", "complete"];

    /// Returns the name of the tool.
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
