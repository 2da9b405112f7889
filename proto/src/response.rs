//! The response envelope `response-v2` and the report in it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::call::LayerUsage;
use crate::claim::{Claim, Evaluation};
use crate::compare::{Comparison, Disagreement, Timeline};
use crate::confidence::SourceConfidence;
use crate::digest::DigestPayload;
use crate::failure_code::FailureCode;
use crate::fidelity::ContentFidelity;
use crate::ledger::{LedgerRow, SpendRow};
use crate::prior::Said;
use crate::research::Research;
use crate::seal::seal;
use crate::source::{ContentRef, SourceFailure};
use crate::state::PhaseTime;
use crate::stop_reason::StopReason;
use crate::warning::{Warning, WarningCode};
use crate::{Locator, SessionId, SourceId, Timestamp};

/// Version of the envelope; additive fields do not change it.
pub const RESPONSE_VERSION: &str = "response-v2";

/// What a caller gets back: exactly one per session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Response {
    /// Whether there is a report.
    pub success: bool,
    /// The report, also a partial one; absent where nothing could be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<ReportData>,
    /// Why there is no report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorInfo>,
    /// Where the whole result lies, where it is too large to travel: then this message has only its small parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<WholeResult>,
    /// About this message.
    pub meta: Meta,
    /// [Seal](crate::seal) of `data`; absent where there is none, only parts of it travel, or an older version wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<String>,
}

/// A result that is too large to travel, in the content store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WholeResult {
    /// Its JSON, which is a response like this one.
    pub content_ref: ContentRef,
    /// Its size.
    pub bytes: u64,
    /// What is left out of this message, as names of fields of `data`.
    pub left_out: Vec<String>,
}

impl Response {
    /// A result with a report, sealed. Distinct warning codes go to `meta.warnings`, which is left out when there are none.
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
            data: Some(data),
        }
    }

    /// A stated failure.
    #[must_use]
    pub fn failure(error: ErrorInfo) -> Self {
        Self {
            success: false,
            data: None,
            error: Some(error),
            whole: None,
            meta: Meta { version: RESPONSE_VERSION.to_owned(), warnings: Vec::new() },
            seal: None,
        }
    }
}

/// About the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Meta {
    /// Always [`RESPONSE_VERSION`].
    pub version: String,
    /// Distinct warning codes; left out when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningCode>,
}

/// A stated failure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorInfo {
    /// The session, where it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// How the session ended.
    pub status: Status,
    /// Stable code.
    pub code: FailureCode,
    /// What went wrong.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// JSON pointer of the fault in a refused request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// What happened to each source, where the session got that far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceRow>,
}

impl ErrorInfo {
    /// A failure that says no more than this; what else is known is added with `..`.
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
            sources: Vec::new(),
        }
    }
}

/// How a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Waiting for a worker.
    Queued,
    /// Held by a worker.
    Running,
    /// Ended with a report.
    Completed,
    /// Ended without one.
    Failed,
    /// Ended because somebody asked.
    Cancelled,
}

impl Status {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The report and its proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportData {
    /// The question.
    pub query: String,
    /// Whether the documents answer it; absent where that was not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Markdown; `[n]` cites.
    pub report: String,
    /// One per `[n]`, in order.
    pub citations: Vec<Citation>,
    /// The citations by what the question compares; absent where it compares nothing, or there is nothing to set side by side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<Comparison>,
    /// Things for which the quotes of several sources give different values; left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<Disagreement>,
    /// The dated quotes in the order of their dates, where the question asks for history and the built-in model wrote the report; absent
    /// elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// Its statements in their order, each with its verdict; left out where there are none, or an older version wrote it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// `claims` counted; absent without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
    /// Every source of the session, also the unreadable ones.
    pub sources: Vec<SourceRow>,
    /// Version of the fidelity fields.
    pub content_fidelity_schema_version: String,
    /// What each phase did to each source.
    pub content_fidelity: ContentFidelity,
    /// Sources that did not fit or could not be read.
    pub dropped_content_ids: Vec<SourceId>,
    /// Hash of each archived text.
    pub content_archive_hashes: BTreeMap<SourceId, String>,
    /// Structured warnings; empty when there are none.
    pub warning_details: Vec<Warning>,
    /// Tokens through each phase.
    pub ledger: Vec<LedgerRow>,
    /// What each role spent where.
    pub spend: Vec<SpendRow>,
    /// Tokens per prompt layer of each call.
    #[serde(default)]
    pub token_usage: Vec<LayerUsage>,
    /// What was said before the question, tool results shortened; left out where it stands on its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Said>,
    /// The session.
    pub session: SessionInfo,
    /// When and by what it was written; absent where an older version wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated: Option<Generated>,
    /// How its sources were found; absent where they were all given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub research: Option<Research>,
}

/// When and by what a report was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Generated {
    /// When the session ended.
    pub at: Timestamp,
    /// Version of Precis.
    pub version: String,
    /// `NAME:MODEL` of each model that wrote the report or the findings it stands on, sorted.
    pub models: Vec<String>,
}

/// A quote and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// The number in the report, from 1.
    pub n: u32,
    /// The source.
    pub source_id: SourceId,
    /// Its title.
    pub title: String,
    /// Where a reader finds it.
    pub url: Option<String>,
    /// Where the quote stands in the canonical text.
    pub locator: Locator,
    /// Exactly those characters.
    pub text: String,
    /// `sha256:` and the hash of the canonical text.
    pub source_text_hash: String,
}

/// A source of the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourceRow {
    /// The source.
    pub source_id: SourceId,
    /// Its title.
    pub title: String,
    /// Where a reader finds it.
    pub url: Option<String>,
    /// Its file, relative to what was given; absent where it was no file, or its place is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What it is; `null` where it could not be told.
    pub content_type: Option<String>,
    /// Characters of its canonical text.
    pub chars: u64,
    /// Tokens of it.
    pub tokens: u64,
    /// `sha256:` and the hash of it; `null` where there is none.
    pub source_text_hash: Option<String>,
    /// `sha256:` and the hash of the bytes it was given as; left out for a page, whose bytes are not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_sha256: Option<String>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<SourceFailure>,
    /// What a model wrote of it on the way; left out where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<SourceNote>,
    /// The content that was carried instead of its text, of the type `digest/v1`; left out where it was not digested, or the
    /// texts are not archived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<DigestPayload>,
    /// How much it has to do with the question, 0 to 1, by its text, or where that was not read by its snippet; left out where neither
    /// was compared with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// When it was published, as far as somebody says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<Timestamp>,
    /// How far it is trusted for what can be checked of it, and why; left out where nothing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<SourceConfidence>,
    /// The number under which the researchers of the session knew it; left out where no model researched, or it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// The searches that found it, in order; left out where it was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_by: Vec<String>,
}

/// What a model wrote of a source: its words, not those of the source. It helps to find one's way and proves nothing.
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
    /// Where in the canonical text the passages stand that carry it; empty where none was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locators: Vec<Locator>,
}

/// The session behind a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionInfo {
    /// Its id.
    pub id: SessionId,
    /// How it ended.
    pub status: Status,
    /// Why it ended early, where it did: `deadline`, `stop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Whether something that was asked for is missing.
    pub incomplete: bool,
    /// Seconds per phase.
    pub phases: Vec<PhaseTime>,
    /// Whether tokens were managed. Without that nothing is recorded: `content_fidelity`, `dropped_content_ids` and `ledger` are empty.
    #[serde(default = "managed", skip_serializing_if = "is_managed")]
    pub token_management_enabled: bool,
}

fn managed() -> bool {
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
    fn each_code_of_a_warning_stands_once_in_meta_and_no_list_where_there_is_none() {
        use WarningCode::{ContentDropped, ContentTruncated, TokenBudgetFloored};
        for (codes, mut expected) in [
            (&[ContentTruncated][..], vec!["CONTENT_TRUNCATED"]),
            (&[ContentTruncated, ContentTruncated], vec!["CONTENT_TRUNCATED"]),
            (
                // Not beside each other.
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
