//! Texts shortened: one by itself, or several short ones in one call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fidelity::FidelityLevel;

/// Shorten one text with a question in mind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummarizeTask {
    /// `condensed`, `key_points` or `headline`.
    pub level: FidelityLevel,
    /// The question.
    pub query: String,
    /// Title of the text.
    pub title: String,
    /// The text; untrusted.
    pub text: String,
    /// Aim for at most this many tokens.
    pub target_tokens: u64,
}

/// What a [`SummarizeTask`] returns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Prose; never empty.
    pub summary: String,
    /// Points, most important first; required at level `key_points`.
    #[serde(default)]
    pub key_points: Vec<String>,
}

/// Shorten several texts with one question in mind, each for itself; answered by [`Summaries`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummarizeTogetherTask {
    /// `condensed`, `key_points` or `headline`, for all of them.
    pub level: FidelityLevel,
    /// The question.
    pub query: String,
    /// The texts.
    pub texts: Vec<ShortText>,
}

/// One of the texts of a [`SummarizeTogetherTask`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShortText {
    /// Number, from 1.
    pub id: u32,
    /// Its title.
    pub title: String,
    /// The text; untrusted.
    pub text: String,
    /// Aim for at most this many tokens in its summary.
    pub target_tokens: u64,
}

/// What a [`SummarizeTogetherTask`] returns: a summary for some of its texts at least, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summaries {
    /// The summaries, in the order of the texts.
    pub summaries: Vec<NumberedSummary>,
}

/// The summary of one of several texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NumberedSummary {
    /// Number of its text.
    pub id: u32,
    /// The summary.
    #[serde(flatten)]
    pub summary: Summary,
}
