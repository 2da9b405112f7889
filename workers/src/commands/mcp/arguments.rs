//! What the tools take. A field that is not known is refused, so that a mistyped one is not silently without effect.

use precis_proto::research::{Depth, MAX_CORPORA};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::failure::ToolFailure;

/// Most paths in one call.
pub(super) const MAX_PATHS: usize = 64;
/// Most collections in one call.
pub(super) const MAX_COLLECTIONS: usize = MAX_CORPORA;
/// Most hits of one search.
pub(super) const MAX_HITS: u64 = 100;
/// Characters of a document that are returned at once, unless asked for, and at most.
pub(super) const DEFAULT_CHARS: u64 = 20_000;
pub(super) const MAX_CHARS: u64 = 200_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AskArguments {
    /// The question, in one or a few sentences
    pub(super) question: String,
    /// Files or folders to read, absolute or relative to a folder that this server may read [default: all of these folders, unless
    /// collections are named]
    #[serde(default)]
    #[schemars(length(max = MAX_PATHS))]
    pub(super) paths: Vec<String>,
    /// Collections to read whole, by the `id` that list_collections tells
    #[serde(default)]
    #[schemars(length(max = MAX_COLLECTIONS))]
    pub(super) collections: Vec<String>,
    /// A finished session that the question follows: its documents are read again, and its conversation goes on
    #[serde(default)]
    pub(super) follows: Option<String>,
    /// Target length of the report, in tokens
    #[serde(default)]
    #[schemars(range(min = 200, max = 20_000))]
    pub(super) report_tokens: Option<u64>,
    /// Longest time to wait for the report before a handle is returned [default: that of the server, which is also the most]
    #[serde(default)]
    pub(super) wait_seconds: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ResearchArguments {
    /// The question, in one or a few sentences
    pub(super) question: String,
    /// Folders to search, absolute or relative to a folder that this server may read [default: all of these folders, unless collections are
    /// named]
    #[serde(default)]
    #[schemars(length(max = MAX_PATHS))]
    pub(super) folders: Vec<String>,
    /// Collections to search, by the `id` that list_collections tells
    #[serde(default)]
    #[schemars(length(max = MAX_COLLECTIONS))]
    pub(super) collections: Vec<String>,
    /// How far to search [default: standard]
    #[serde(default)]
    pub(super) depth: Option<Depth>,
    /// Search the web too. Words of the question leave this machine, nothing from files does. Refused unless the server was started with
    /// --web
    #[serde(default)]
    pub(super) web: bool,
    /// Target length of the report, in tokens
    #[serde(default)]
    #[schemars(range(min = 200, max = 20_000))]
    pub(super) report_tokens: Option<u64>,
    /// Longest time to wait for the report before a handle is returned [default: that of the server, which is also the most]
    #[serde(default)]
    pub(super) wait_seconds: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportArguments {
    /// The `session` of an answer
    pub(super) session: String,
    /// Longest time to wait for the report, if it is not finished [default: that of the server, which is also the most]
    #[serde(default)]
    pub(super) wait_seconds: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct VerifyArguments {
    /// The `session` of a finished answer
    pub(super) session: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EvidenceArguments {
    /// A question, or words
    pub(super) question: String,
    /// Folders to search, absolute or relative to a folder that this server may read [default: all of these folders, unless collections are
    /// named]
    #[serde(default)]
    #[schemars(length(max = MAX_PATHS))]
    pub(super) folders: Vec<String>,
    /// Collections to search, by the `id` that list_collections tells
    #[serde(default)]
    #[schemars(length(max = MAX_COLLECTIONS))]
    pub(super) collections: Vec<String>,
    /// Most passages to return [default: 10]
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_HITS))]
    pub(super) limit: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CollectionsArguments {
    /// Where to go on: `next` of the last call
    #[serde(default)]
    pub(super) cursor: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExtractArguments {
    /// A document, absolute or relative to a folder that this server may read
    pub(super) path: String,
    /// First character to return, from 0: `next_offset` of the last call
    #[serde(default)]
    pub(super) offset: u64,
    /// Most characters to return [default: 20000]
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_CHARS))]
    pub(super) max_chars: Option<u64>,
}

/// Reads the arguments of a call.
///
/// # Errors
/// [`ToolFailure`] if a field is missing, unknown or of another type.
pub(super) fn read<A: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<A, ToolFailure> {
    serde_json::from_value(Value::Object(arguments.clone())).map_err(|error| {
        ToolFailure::new("invalid_arguments", error.to_string()).with_remedy("see the inputSchema of the tool")
    })
}

/// Returns `given`, or `default` if nothing is.
///
/// # Errors
/// [`ToolFailure`] if it is not from 1 to `most`.
pub(super) fn check_limit(name: &str, given: Option<u64>, default: u64, most: u64) -> Result<usize, ToolFailure> {
    let value = given.unwrap_or(default);
    match (1..=most).contains(&value) {
        true => Ok(usize::try_from(value).unwrap_or(usize::MAX)),
        false => Err(ToolFailure::new("invalid_arguments", format!("{name} must be from 1 to {most}, got {value}"))),
    }
}

/// Refuses more than [`MAX_PATHS`] paths.
///
/// # Errors
/// [`ToolFailure`].
pub(super) fn check_count(name: &str, paths: &[String]) -> Result<(), ToolFailure> {
    match paths.len() <= MAX_PATHS {
        true => Ok(()),
        false => {
            let message = format!("{name} must have at most {MAX_PATHS} entries, got {}", paths.len());
            Err(ToolFailure::new("invalid_arguments", message).with_remedy("name folders instead of single files"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn code(arguments: Value) -> Option<String> {
        read::<AskArguments>(arguments.as_object().expect("an object")).err().map(|failure| failure.code)
    }

    #[test]
    fn an_unknown_missing_or_mistyped_field_is_refused() {
        assert_eq!(code(json!({ "question": "why?" })), None);
        for wrong in [
            json!({}),
            json!({ "question": 1 }),
            json!({ "question": "q", "path": "a" }),
            json!({ "question": "q", "paths": "a" }),
        ] {
            assert_eq!(code(wrong.clone()).as_deref(), Some("invalid_arguments"), "{wrong}");
        }
    }

    #[test]
    fn numbers_and_lists_have_limits() {
        for (most, given) in [(MAX_HITS, "limit"), (MAX_CHARS, "max_chars")] {
            for (value, is_fine) in [(0, false), (1, true), (most - 1, true), (most, true), (most + 1, false)] {
                assert_eq!(check_limit(given, Some(value), 10, most).is_ok(), is_fine, "{given} {value}");
            }
            assert_eq!(check_limit(given, None, 10, most), Ok(10));
        }
        for (count, is_fine) in [(MAX_PATHS - 1, true), (MAX_PATHS, true), (MAX_PATHS + 1, false)] {
            assert_eq!(check_count("paths", &vec![String::new(); count]).is_ok(), is_fine, "{count}");
        }
    }
}
