//! The response envelope `response-v2` and the report in it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::call::LayerUsage;
use crate::claim::{Claim, Evaluation};
use crate::closed_words;
use crate::compare::{Comparison, Disagreement, Timeline};
use crate::computed::Computed;
use crate::confidence::SourceConfidence;
use crate::digest::DigestPayload;
use crate::failure_code::FailureCode;
use crate::fidelity::ContentFidelity;
use crate::finding::no_more;
use crate::ledger::{LedgerRow, SpendRow};
use crate::meaning::MeaningServer;
use crate::prior::Said;
use crate::privacy::Privacy;
use crate::quote_context::ContextRange;
use crate::research::Research;
use crate::seal::seal;
use crate::source::{ContentRef, SourceFailure};
use crate::state::{PhaseTime, WriterReads};
use crate::stop_reason::StopReason;
use crate::warning::{Warning, WarningCode};
use crate::{CodeLine, FieldPlace, Locator, Recognition, SessionId, SourceId, Timestamp};

/// Version of the envelope; additive fields do not change it.
pub const RESPONSE_VERSION: &str = "response-v2";

/// The result of a session: exactly one per session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// Whether there is a report.
    pub success: bool,
    /// The report, complete or partial; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<ReportData>,
    /// Why there is no report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorInfo>,
    /// Reference to the whole result, if it is too large for a message; this message then contains only its small parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<WholeResult>,
    /// Metadata of this message.
    pub meta: Meta,
    /// [Seal](crate::seal) of `data`; absent if there is no `data`, if this message contains only parts of it, or in results of older
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<String>,
    /// Keyed hash of the seal that shows to the user whose command wrote this report that it is theirs; absent in a message, and in reports
    /// of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
}

/// A result in the content store that is too large for a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WholeResult {
    /// Reference to its JSON, which is a complete response.
    pub content_ref: ContentRef,
    /// Size of the JSON, in bytes.
    pub bytes: u64,
    /// Names of the fields of `data` that are left out of this message.
    pub left_out: Vec<String>,
}

impl Response {
    /// Reads a result as JSON, such as a `report.json`.
    ///
    /// # Errors
    /// The first field that is missing or has another type.
    pub fn from_json(value: &serde_json::Value) -> Result<Self, serde_json::Error> {
        Self::deserialize(value)
    }

    /// Creates a sealed result with a report. The distinct warning codes are listed in `meta.warnings`.
    #[must_use]
    pub fn report(data: ReportData) -> Self {
        let mut codes: Vec<WarningCode> = data.warning_details.iter().map(|w| w.code).collect();
        codes.sort_unstable();
        codes.dedup();
        Self {
            success: true,
            error: None,
            whole: None,
            meta: Meta { version: RESPONSE_VERSION.to_owned(), warnings: codes },
            seal: seal(&data),
            mark: None,
            data: Some(data),
        }
    }

    /// Creates a result without a report.
    #[must_use]
    pub fn failure(error: ErrorInfo) -> Self {
        Self {
            success: false,
            data: None,
            error: Some(error),
            whole: None,
            meta: Meta { version: RESPONSE_VERSION.to_owned(), warnings: Vec::new() },
            seal: None,
            mark: None,
        }
    }
}

/// Metadata of a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Meta {
    /// Always [`RESPONSE_VERSION`].
    pub version: String,
    /// Distinct warning codes; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningCode>,
}

/// Why a session has no report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorInfo {
    /// Id of the session, if it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// How the session ended.
    pub status: Status,
    /// Stable failure code.
    pub code: FailureCode,
    /// Description of the failure.
    pub message: String,
    /// What to do to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// JSON pointer to the fault in a refused request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// Of a refused request only: SHA-256 of the body of its message as it was sent, in hexadecimal. A refusal with another hash is about
    /// a request of somebody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_sha256: Option<String>,
    /// The sources with their failures, if the session got that far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceRow>,
}

impl ErrorInfo {
    /// Creates a failure without optional fields; set those with `..` syntax.
    ///
    /// ```
    /// use precis_proto::failure_code::FailureCode;
    /// use precis_proto::response::{ErrorInfo, Status};
    ///
    /// let failure = ErrorInfo::new(Status::Failed, FailureCode::OverBudget, "nothing fits");
    /// let failure = ErrorInfo { remedy: Some("raise the budget".to_owned()), ..failure };
    /// assert_eq!((failure.code.as_str(), failure.session_id), ("over_budget", None));
    /// ```
    #[must_use]
    pub fn new(status: Status, code: FailureCode, message: impl Into<String>) -> Self {
        Self {
            session_id: None,
            status,
            code,
            message: message.into(),
            remedy: None,
            pointer: None,
            request_sha256: None,
            sources: Vec::new(),
        }
    }
}

closed_words! {
    /// The status of a session.
    #[derive(Serialize, Deserialize, JsonSchema)]
    pub enum Status: serde {
        /// Waiting for a worker.
        Queued => "queued",
        /// In progress.
        Running => "running",
        /// Ended with a report.
        Completed => "completed",
        /// Ended without a report.
        Failed => "failed",
        /// Ended by a cancel request.
        Cancelled => "cancelled",
    }
}

/// The report and the data to verify it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportData {
    /// The question.
    pub query: String,
    /// Whether the documents answer the question; absent if this was not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// What the writer of the report read of its documents; absent if no document was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer_reads: Option<WriterReads>,
    /// SHA-256 of the model of meaning that had a part in the choice of passages; absent where words alone chose. Of a server's model, that
    /// of its address, its name, the size of its vectors and its prefixes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning: Option<String>,
    /// The server that gave the vectors; absent if a model inside the program made them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meaning_server: Option<MeaningServer>,
    /// The report as Markdown; `[n]` is a citation.
    pub report: String,
    /// The citations, one per `[n]`, in order.
    pub citations: Vec<Citation>,
    /// The citations grouped by what the question compares; absent if it is not a comparison, or there is nothing to compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// Answers computed from the rows of tables, with every cell they rest on; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub computed: Vec<Computed>,
    /// The lines of quoted code; left out if no code of several lines is quoted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<QuotedCode>,
    /// Things for which quotes of several sources give different values; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<Disagreement>,
    /// The dated quotes in the order of their dates; present only if the question asks for history and the built-in model wrote the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// The statements of the report in order, each with its verdict; left out if there are none, and by older versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// Counts over `claims`; absent without claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
    /// All sources of the session, including unreadable ones.
    pub sources: Vec<SourceRow>,
    /// Version of the fidelity fields.
    pub content_fidelity_schema_version: String,
    /// What each phase did to each source.
    pub content_fidelity: ContentFidelity,
    /// Sources that did not fit or could not be read.
    pub dropped_content_ids: Vec<SourceId>,
    /// Hash of each archived text.
    pub content_archive_hashes: BTreeMap<SourceId, String>,
    /// The warnings with their details.
    pub warning_details: Vec<Warning>,
    /// Tokens through each phase.
    pub ledger: Vec<LedgerRow>,
    /// Spending by role and provider.
    pub spend: Vec<SpendRow>,
    /// Tokens per prompt layer of each call.
    #[serde(default)]
    pub token_usage: Vec<LayerUsage>,
    /// The conversation before the question, with shortened tool results; left out if there was none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Said>,
    /// The session.
    pub session: SessionInfo,
    /// When and by which version and models the report was written; absent in reports of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated: Option<Generated>,
    /// How the sources were found; absent if all of them were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research: Option<Research>,
    /// What the user said about disclosure; absent in reports of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub privacy: Option<Privacy>,
}

/// When and by which version and models a report was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Generated {
    /// When the session ended.
    pub at: Timestamp,
    /// Version of Precis.
    pub version: String,
    /// `NAME:MODEL` of each model that wrote the report or its findings, sorted.
    pub models: Vec<String>,
}

/// A citation: a quote and its position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// Number in the report, from 1.
    pub n: u32,
    /// The source.
    pub source_id: SourceId,
    /// Title of the source.
    pub title: String,
    /// Address at which readers find the source.
    pub url: Option<String>,
    /// Position of the quote in the canonical text.
    pub locator: Locator,
    /// Exactly the characters at this position.
    pub text: String,
    /// `sha256:` and the hash of the canonical text.
    pub source_text_hash: String,
    /// The headings above the quote in its document, outermost first, without the document's title; empty if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Other ranges of the same text that belong to the statement: a lead-in, heads of columns, the question of an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextRange>,
    /// The words that answer: positions within the quote or a range of `context`, for readers to see at once. They prove nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<Locator>,
    /// Number of items that the document lists after those in `context`.
    #[serde(default, skip_serializing_if = "no_more")]
    pub more_items: u32,
    /// Where the document has the field that is quoted, if its readers do not see it on a page; left out for text and its front matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<FieldPlace>,
    /// What recognized it in a picture of its page; absent for text that the document has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recognized: Option<Box<Recognition>>,
}

/// The lines of code that a citation quotes. Its text has one space between two lines; quotes are compared as they stand in the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuotedCode {
    /// The citation.
    pub n: u32,
    /// Position of the code: that of the quote, or of a range of its `context`.
    pub locator: Locator,
    /// Its lines, at least two; each begins at a character of the range, counted from its start.
    pub lines: Vec<CodeLine>,
}

/// A source of the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceRow {
    /// The source.
    pub source_id: SourceId,
    /// Title of the source.
    pub title: String,
    /// Address at which readers find the source.
    pub url: Option<String>,
    /// File path relative to the given path; absent if it was not a file, or the path is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// MIME type; `null` if unknown.
    pub content_type: Option<String>,
    /// Number of characters of the canonical text.
    pub chars: u64,
    /// Number of tokens of the canonical text.
    pub tokens: u64,
    /// `sha256:` and the hash of the canonical text; `null` if there is none.
    pub source_text_hash: Option<String>,
    /// Hash of the structure of the canonical text, a JSON array of blocks: its name in the content store. Left out if the structure is
    /// unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<ContentRef>,
    /// `sha256:` and the hash of the original bytes; left out for a page, whose bytes are not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_sha256: Option<String>,
    /// Why the source has no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<SourceFailure>,
    /// Note of a model on the source; left out if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<SourceNote>,
    /// The digest used instead of the text, of type `digest/v1`; left out if the source was not digested, or texts are not archived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<DigestPayload>,
    /// Relevance to the question, 0 to 1, by its text, or by its snippet if the text was not read; left out if it was not ranked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// When the source was published, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
    /// How much the source is trusted, based on what can be checked, and why; left out if nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<SourceConfidence>,
    /// Number that researchers of the session used for it; left out if no model researched, or the source was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// The searches that found the source, in order; left out if it was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_by: Vec<String>,
}

/// A note of a model on a source, in words of the model: for orientation, never evidence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceNote {
    /// Prose.
    pub summary: String,
    /// Points, most important first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key_points: Vec<SourcePoint>,
}

/// A point of a [`SourceNote`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourcePoint {
    /// The point.
    pub text: String,
    /// Positions of the passages in the canonical text that support it; empty if none was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locators: Vec<Locator>,
}

/// The session behind a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInfo {
    /// Id of the session.
    pub id: SessionId,
    /// How the session ended.
    pub status: Status,
    /// Why the session ended early, if it did: `deadline`, `stop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Whether part of what was requested is missing.
    pub incomplete: bool,
    /// Duration of each phase.
    pub phases: Vec<PhaseTime>,
    /// Whether token management was enabled. Without it `content_fidelity`, `dropped_content_ids` and `ledger` are empty.
    #[serde(default = "default_managed", skip_serializing_if = "is_managed")]
    pub token_management_enabled: bool,
}

fn default_managed() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_managed(enabled: &bool) -> bool {
    *enabled
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Phase;

    /// A result whose report has a warning for each of `codes`.
    fn result(codes: &[WarningCode]) -> Response {
        let warnings: Vec<Warning> =
            (0..).zip(codes).map(|(n, code)| Warning::new(*code, Phase::Synthesis, format!("warning {n}"))).collect();
        let data = json!({
            "query": "q", "report": "", "citations": [], "sources": [], "content_fidelity_schema_version": "v1",
            "content_fidelity": {}, "dropped_content_ids": [], "content_archive_hashes": {}, "warning_details": warnings,
            "ledger": [], "spend": [],
            "session": { "id": "s", "status": "completed", "incomplete": false, "phases": [] },
        });
        Response::report(serde_json::from_value(data).expect("a report"))
    }

    fn meta(response: &Response) -> Value {
        serde_json::to_value(response).expect("JSON")["meta"].take()
    }

    #[test]
    fn each_warning_code_appears_once_in_meta_and_no_empty_list() {
        use WarningCode::{ContentDropped, ContentTruncated, TokenBudgetFloored};
        for (codes, mut expected) in [
            (&[ContentTruncated][..], vec!["CONTENT_TRUNCATED"]),
            (&[ContentTruncated, ContentTruncated], vec!["CONTENT_TRUNCATED"]),
            (
                // Two equal codes that are not adjacent.
                &[ContentTruncated, TokenBudgetFloored, ContentDropped, ContentTruncated, ContentDropped],
                vec!["CONTENT_TRUNCATED", "TOKEN_BUDGET_FLOORED", "CONTENT_DROPPED"],
            ),
        ] {
            let response = result(codes);
            assert_eq!(response.data.as_ref().map(|data| data.warning_details.len()), Some(codes.len()));
            let meta = meta(&response);
            let mut told: Vec<&str> =
                meta["warnings"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
            told.sort_unstable();
            expected.sort_unstable();
            assert_eq!(told, expected, "{codes:?}");
        }
        let failed = ErrorInfo::new(Status::Failed, FailureCode::OverBudget, "nothing fits");
        for quiet in [result(&[]), Response::failure(failed)] {
            assert_eq!(meta(&quiet), json!({ "version": RESPONSE_VERSION }));
            let read: Response = serde_json::from_value(json!(quiet)).expect("a result without the list");
            assert_eq!(read.meta.warnings, []);
        }
    }
}
