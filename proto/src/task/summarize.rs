//! Summarizing texts: one per call, or several short ones in one call.

use serde::{Deserialize, Serialize};

use crate::fidelity::FidelityLevel;

/// The task to summarize one text for a question. Answered by a [`Summary`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummarizeTask {
    /// `condensed`, `key_points` or `headline`.
    pub level: FidelityLevel,
    /// The question.
    pub query: String,
    /// Title of the text.
    pub title: String,
    /// The text; untrusted.
    pub text: String,
    /// Target length, in tokens.
    pub target_tokens: u64,
}

/// The result of a [`SummarizeTask`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Prose; never empty.
    pub summary: String,
    /// Points, most important first; required at level `key_points`.
    #[serde(default)]
    pub key_points: Vec<String>,
}

/// The task to summarize several texts for a question, each separately. Answered by [`Summaries`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummarizeTogetherTask {
    /// `condensed`, `key_points` or `headline`, for all of them.
    pub level: FidelityLevel,
    /// The question.
    pub query: String,
    /// The texts.
    pub texts: Vec<ShortText>,
}

/// One of the texts of a [`SummarizeTogetherTask`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortText {
    /// Number of the text, from 1.
    pub id: u32,
    /// Title of the text.
    pub title: String,
    /// The text; untrusted.
    pub text: String,
    /// Target length of its summary, in tokens.
    pub target_tokens: u64,
}

/// The result of a [`SummarizeTogetherTask`]: at most one summary per text, and at least one in all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summaries {
    /// The summaries, in the order of the texts.
    pub summaries: Vec<NumberedSummary>,
}

/// The summary of one of several texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedSummary {
    /// Number of the text.
    pub id: u32,
    /// The summary.
    #[serde(flatten)]
    pub summary: Summary,
}
