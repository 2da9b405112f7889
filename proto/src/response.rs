//! The response envelope `response-v2` and the report in it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fidelity::ContentFidelity;
use crate::ledger::{LedgerRow, SpendRow};
use crate::prior::Said;
use crate::source::SourceFailure;
use crate::state::{LayerUsage, PhaseTime};
use crate::warning::{Warning, WarningCode};
use crate::{Locator, SessionId, SourceId};

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
    /// About this message.
    pub meta: Meta,
}

impl Response {
    /// A result with a report. Distinct warning codes go to `meta.warnings`, which is left out when there are none.
    #[must_use]
    pub fn report(data: ReportData) -> Self {
        let mut codes: Vec<WarningCode> = data.warning_details.iter().map(|w| w.code).collect();
        codes.sort_unstable();
        codes.dedup();
        Self {
            success: true,
            data: Some(data),
            error: None,
            meta: Meta { version: RESPONSE_VERSION.to_owned(), warnings: codes },
        }
    }

    /// A stated failure.
    #[must_use]
    pub fn failure(error: ErrorInfo) -> Self {
        Self {
            success: false,
            data: None,
            error: Some(error),
            meta: Meta { version: RESPONSE_VERSION.to_owned(), warnings: Vec::new() },
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorInfo {
    /// The session, where it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// How the session ended.
    pub status: Status,
    /// Stable code.
    pub code: String,
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
    /// Markdown; `[n]` cites.
    pub report: String,
    /// One per `[n]`, in order.
    pub citations: Vec<Citation>,
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceRow {
    /// The source.
    pub source_id: SourceId,
    /// Its title.
    pub title: String,
    /// Where a reader finds it.
    pub url: Option<String>,
    /// What it is; `null` where it could not be told.
    pub content_type: Option<String>,
    /// Characters of its canonical text.
    pub chars: u64,
    /// Tokens of it.
    pub tokens: u64,
    /// `sha256:` and the hash of it; `null` where there is none.
    pub source_text_hash: Option<String>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<SourceFailure>,
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
    pub stop_reason: Option<String>,
    /// Whether something that was asked for is missing.
    pub incomplete: bool,
    /// Seconds per phase.
    pub phases: Vec<PhaseTime>,
}
