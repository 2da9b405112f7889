//! The request that another service sends: a question, sources and options.
//!
//! ```
//! use precis_proto::request::ResearchRequest;
//!
//! let request: ResearchRequest = serde_json::from_str(
//!     r#"{ "schema_version": 3, "session_id": "dam-1", "query": "When was the dam built?",
//!          "sources": [{ "source_id": "s1", "url": "https://example.org/dam" }] }"#,
//! )?;
//! assert_eq!(request.sources.len(), 1);
//! let misspelled = r#"{ "schema_version": 3, "session_id": "dam-1", "question": "When?", "sources": [] }"#;
//! assert!(serde_json::from_str::<ResearchRequest>(misspelled).is_err());
//! # Ok::<(), serde_json::Error>(())
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::bounded;
use crate::envelope::MAX_BODY_BYTES;
use crate::prior::{MAX_HISTORY_MESSAGES, MAX_PRIOR_BLOCKS, PriorBlock, Said};
use crate::research::ResearchOptions;
use crate::source::{CONTENT_PROOF_CHARS, ContentRef, Quality};
use crate::webhook_target::WebhookTarget;
use crate::{SessionId, SourceId, Timestamp};

/// Version of the request schema.
pub const REQUEST_SCHEMA_VERSION: u32 = 3;
/// The version that added research; a request without research has the same meaning in both versions.
pub const RESEARCH_REQUEST_VERSION: u32 = 3;
/// Longest query accepted, in characters.
pub const MAX_QUERY_CHARS: usize = 10_000;
/// Largest document accepted as `content_base64`, in bytes before encoding. One such document, encoded, fits into a message of 15 MiB
/// together with the other fields.
pub const MAX_INLINE_BYTES: usize = 10 * 1024 * 1024;
/// Longest `content_base64`, in characters: four characters encode three bytes.
pub const MAX_INLINE_CHARS: usize = MAX_INLINE_BYTES.div_ceil(3) * 4;
/// Accepted target lengths of a report, in tokens.
pub const REPORT_TOKENS: std::ops::RangeInclusive<u64> = 200..=20_000;
/// Most sources accepted in one request.
pub const MAX_SOURCES: usize = 5_000;
/// Longest title of a source, in characters.
pub const MAX_TITLE_CHARS: usize = 500;
/// Longest address of a source, in bytes.
pub const MAX_ADDRESS_BYTES: usize = 2_048;
/// Longest snippet of a source, in characters.
pub const MAX_SNIPPET_CHARS: usize = 2_000;
/// Longest MIME type of a source, in bytes.
pub const MAX_CONTENT_TYPE_BYTES: usize = 200;
/// Longest background of a project, in bytes.
pub const MAX_PROJECT_CONTEXT_BYTES: usize = 1024 * 1024;
/// Decompressed size that any compressed request may have, in bytes, however small it is.
pub const UNFOLDED_BYTES: usize = 2 * 1024 * 1024;
/// Decompressed size that a larger request may have, as a multiple of its compressed size. Ordinary texts compress to a third to a tenth.
pub const UNFOLDED_RATIO: usize = 64;

/// Returns the largest decompressed body, in bytes, of a request of `wire_bytes`: the cost of reading a request is bounded by the cost of
/// sending it.
#[must_use]
pub fn max_unfolded_bytes(wire_bytes: usize) -> usize {
    wire_bytes.saturating_mul(UNFOLDED_RATIO).clamp(UNFOLDED_BYTES, MAX_BODY_BYTES)
}

/// A research request: a question with its sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResearchRequest {
    /// [`REQUEST_SCHEMA_VERSION`], or an earlier version for a request without research.
    #[schemars(range(min = 1, max = REQUEST_SCHEMA_VERSION))]
    pub schema_version: u32,
    /// Chosen by the caller; submitting the same id with the same body again is the same session.
    pub session_id: SessionId,
    /// The question, at most [`MAX_QUERY_CHARS`] characters.
    #[schemars(length(min = 1, max = MAX_QUERY_CHARS))]
    #[serde(deserialize_with = "query")]
    pub query: String,
    /// The sources: at most [`MAX_SOURCES`], and at least one unless the request searches; their ids are unique.
    #[schemars(length(max = MAX_SOURCES))]
    #[serde(deserialize_with = "sources")]
    pub sources: Vec<RequestSource>,
    /// Options that override the configuration of the workers.
    #[serde(default)]
    pub options: RequestOptions,
}

/// A source of a request: exactly one of `content`, `content_base64` and `content_ref`, or else a `url` or `pdf_url` to fetch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequestSource {
    /// Id of the source, unique in the request.
    pub source_id: SourceId,
    /// Title shown to readers; at most [`MAX_TITLE_CHARS`] characters.
    #[schemars(length(max = MAX_TITLE_CHARS))]
    #[serde(default, deserialize_with = "title")]
    pub title: String,
    /// Address of a page to fetch, or, if the content is given, where readers find it; at most [`MAX_ADDRESS_BYTES`] bytes.
    #[schemars(length(max = MAX_ADDRESS_BYTES))]
    #[serde(default, deserialize_with = "address", skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Address of the document as a PDF, if `url` is only a page about it: workers that fetch PDFs fetch it instead of that page. At most
    /// [`MAX_ADDRESS_BYTES`] bytes.
    #[schemars(length(max = MAX_ADDRESS_BYTES))]
    #[serde(default, deserialize_with = "address", skip_serializing_if = "Option::is_none")]
    pub pdf_url: Option<String>,
    /// Excerpt or abstract known before reading, such as the snippet of a search result: used to rank a source that is not read, never
    /// quoted. At most [`MAX_SNIPPET_CHARS`] characters.
    #[schemars(length(max = MAX_SNIPPET_CHARS))]
    #[serde(default, deserialize_with = "snippet", skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The text of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The bytes of a document, such as a PDF, in Base64 with padding (RFC 4648, section 4); at most [`MAX_INLINE_BYTES`] before encoding.
    #[schemars(length(max = MAX_INLINE_CHARS))]
    #[serde(default, deserialize_with = "content_base64", skip_serializing_if = "Option::is_none")]
    pub content_base64: Option<String>,
    /// Reference to bytes in the content store; requires `content_proof`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_ref: Option<ContentRef>,
    /// Proof that the tenant of the message uploaded `content_ref`: [`CONTENT_PROOF_CHARS`] lower-case hexadecimal digits.
    #[schemars(length(max = CONTENT_PROOF_CHARS))]
    #[serde(default, deserialize_with = "bounded::content_proof", skip_serializing_if = "Option::is_none")]
    pub content_proof: Option<String>,
    /// MIME type, as a hint; at most [`MAX_CONTENT_TYPE_BYTES`] bytes.
    #[schemars(length(max = MAX_CONTENT_TYPE_BYTES))]
    #[serde(default, deserialize_with = "content_type", skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// How much the source is trusted before reading.
    #[serde(default)]
    pub quality: Quality,
    /// When the source was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
    /// Whether the source is protected: it is not dropped as long as the budget allows.
    #[serde(default)]
    pub protected: bool,
}

/// Options of a request; each overrides the configuration of the workers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RequestOptions {
    /// Target length of the report, in tokens: 200 to 20,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 200, max = 20_000))]
    pub report_tokens: Option<u64>,
    /// End after this many seconds, with a report on what is there by then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_seconds: Option<u64>,
    /// Whether to keep canonical texts in the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<bool>,
    /// Spending limit for models, in US dollars; cannot exceed the limit of the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub max_spend_usd: Option<f64>,
    /// Spending limit for models, in tokens, input and output together; cannot exceed the limit of the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_spend_tokens: Option<u64>,
    /// Background that applies to the whole project, at most [`MAX_PROJECT_CONTEXT_BYTES`]; treated as data, never cited.
    #[schemars(length(max = MAX_PROJECT_CONTEXT_BYTES))]
    #[serde(deserialize_with = "project_context", skip_serializing_if = "String::is_empty")]
    pub project_context: String,
    /// Evidence behind earlier answers, most important first, at most [`MAX_PRIOR_BLOCKS`] blocks; treated as data, never cited.
    #[schemars(length(max = MAX_PRIOR_BLOCKS))]
    #[serde(deserialize_with = "prior_context", skip_serializing_if = "Vec::is_empty")]
    pub prior_context: Vec<PriorBlock>,
    /// The conversation so far, oldest first, at most [`MAX_HISTORY_MESSAGES`] messages.
    #[schemars(length(max = MAX_HISTORY_MESSAGES))]
    #[serde(deserialize_with = "history", skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Said>,
    /// Since version 3: search for further documents. A request with this option may have no sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub research: Option<ResearchOptions>,
    /// Whom to tell over HTTP when the session has ended: an endpoint of the fleet, or an address that the fleet allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<WebhookTarget>,
}

impl RequestOptions {
    /// Returns the lowest request version that supports these options.
    #[must_use]
    pub fn request_version(&self) -> u32 {
        if self.research.is_some() { RESEARCH_REQUEST_VERSION } else { RESEARCH_REQUEST_VERSION - 1 }
    }
}

// While parsing, limits in characters are enforced as four times as many bytes; the later validation counts characters.

fn query<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    bounded::text(deserializer, MAX_QUERY_CHARS * char::MAX.len_utf8())
}

fn title<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    bounded::text(deserializer, MAX_TITLE_CHARS * char::MAX.len_utf8())
}

fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    bounded::optional_text(deserializer, MAX_ADDRESS_BYTES)
}

fn snippet<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    bounded::optional_text(deserializer, MAX_SNIPPET_CHARS * char::MAX.len_utf8())
}

fn content_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    bounded::optional_text(deserializer, MAX_INLINE_CHARS)
}

fn content_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    bounded::optional_text(deserializer, MAX_CONTENT_TYPE_BYTES)
}

fn project_context<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    bounded::text(deserializer, MAX_PROJECT_CONTEXT_BYTES)
}

fn sources<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<RequestSource>, D::Error> {
    bounded::sequence(deserializer, MAX_SOURCES)
}

fn prior_context<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PriorBlock>, D::Error> {
    bounded::sequence(deserializer, MAX_PRIOR_BLOCKS)
}

fn history<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Said>, D::Error> {
    bounded::sequence(deserializer, MAX_HISTORY_MESSAGES)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(source: &serde_json::Value, count: usize) -> ResearchRequest {
        let sources = vec![source.clone(); count];
        let request = json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": sources });
        serde_json::from_str(&request.to_string()).expect("a request")
    }

    #[test]
    fn nothing_far_over_its_limit_is_kept_and_overruns_stay_overruns() {
        let source = json!({ "source_id": "a", "title": "é".repeat(100_000), "url": "x".repeat(1_000_000), "content_type": "y".repeat(9_999) });
        let request = read(&source, 1);
        let kept = &request.sources[0];
        assert!((MAX_TITLE_CHARS + 1..=MAX_TITLE_CHARS * 4 + 1).contains(&kept.title.chars().count()));
        assert_eq!(kept.url.as_ref().map(String::len), Some(MAX_ADDRESS_BYTES + 1));
        assert_eq!(kept.content_type.as_ref().map(String::len), Some(MAX_CONTENT_TYPE_BYTES + 1));
        let document = read(&json!({ "source_id": "a", "content_base64": "A".repeat(2 * MAX_INLINE_CHARS) }), 1);
        assert_eq!(document.sources[0].content_base64.as_ref().map(String::len), Some(MAX_INLINE_CHARS + 1));
        assert_eq!(read(&json!({ "source_id": "a" }), 2 * MAX_SOURCES).sources.len(), MAX_SOURCES + 1);
    }

    #[test]
    fn what_is_within_its_limit_is_kept_whole() {
        let source =
            json!({ "source_id": "a", "title": "é".repeat(MAX_TITLE_CHARS), "url": "x".repeat(MAX_ADDRESS_BYTES) });
        let request = read(&source, MAX_SOURCES);
        assert_eq!(request.sources.len(), MAX_SOURCES);
        assert_eq!(request.sources[0].title, "é".repeat(MAX_TITLE_CHARS));
        assert_eq!(request.sources[0].url.as_ref().map(String::len), Some(MAX_ADDRESS_BYTES));
    }

    #[test]
    fn decompression_is_bounded_for_small_and_large_bodies() {
        let edge = UNFOLDED_BYTES / UNFOLDED_RATIO;
        let table = [
            (0, UNFOLDED_BYTES),
            (edge, UNFOLDED_BYTES),
            (edge + 1, UNFOLDED_BYTES + UNFOLDED_RATIO),
            (usize::MAX, MAX_BODY_BYTES),
        ];
        for (wire, most) in table {
            assert_eq!(max_unfolded_bytes(wire), most, "{wire}");
        }
    }
}
