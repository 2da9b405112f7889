//! What another service sends: a question, sources, limits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::prior::{PriorBlock, Said};
use crate::source::{ContentRef, Quality};
use crate::{SessionId, SourceId, Timestamp};

/// Version of the request body that is written.
pub const REQUEST_SCHEMA_VERSION: u32 = 2;
/// Longest query accepted, in characters.
pub const MAX_QUERY_CHARS: usize = 10_000;
/// Most sources accepted in one request.
pub const MAX_SOURCES: usize = 5_000;

/// A question with its sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResearchRequest {
    /// Always [`REQUEST_SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Chosen by the caller; the same id and body again is the same session.
    pub session_id: SessionId,
    /// The question, at most [`MAX_QUERY_CHARS`].
    #[schemars(length(min = 1, max = MAX_QUERY_CHARS))]
    pub query: String,
    /// At most [`MAX_SOURCES`]; ids are unique.
    pub sources: Vec<RequestSource>,
    /// What differs from the configuration.
    #[serde(default)]
    pub options: RequestOptions,
}

/// A source as the caller names it; exactly one of `url`, `content` and `content_ref`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestSource {
    /// Unique in the request.
    pub source_id: SourceId,
    /// For readers.
    #[serde(default)]
    pub title: String,
    /// A page to fetch, or, beside `content`, where a reader finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The text itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Bytes already in the content store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_ref: Option<ContentRef>,
    /// MIME type, as a hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Trust before reading.
    #[serde(default)]
    pub quality: Quality,
    /// When it was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
    /// Never dropped.
    #[serde(default)]
    pub protected: bool,
}

/// What a request may change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RequestOptions {
    /// Aim for a report of at most this many tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report_tokens: Option<u64>,
    /// End with what there is after this many seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_seconds: Option<u64>,
    /// Keep canonical texts in the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<bool>,
    /// Spend at most this many US dollars on models; never more than the configuration allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub max_spend_usd: Option<f64>,
    /// Spend at most this many tokens, in and out together; never more than the configuration allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_spend_tokens: Option<u64>,
    /// Background that holds for the whole project; read as data, never cited.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub project_context: String,
    /// What earlier answers stood on, most important first; read as data, never cited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prior_context: Vec<PriorBlock>,
    /// The conversation so far, oldest first, at most [`MAX_HISTORY_MESSAGES`](crate::prior::MAX_HISTORY_MESSAGES).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Said>,
}
