//! Warnings: what went less well than asked, in codes that a program can branch on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Phase, SourceId};

/// The taxonomy of `meta.warnings`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum WarningCode {
    /// Low-priority content was truncated or summarized.
    ContentTruncated,
    /// Content was left out: it did not fit the budget, or nothing in the report stands on it.
    ContentDropped,
    /// A high-priority item was summarized.
    PrioritySummarized,
    /// All summarization providers failed.
    SummaryProviderFailed,
    /// A phase budget was raised to its minimum.
    TokenBudgetFloored,
    /// The limits of a provider are unknown; defaults apply.
    LimitsDefaulted,
    /// The archive could not be written.
    ArchiveWriteFailed,
    /// Protected content exceeded the budget.
    ProtectedOverflow,
    /// A state could not be upgraded; defaults were used.
    StateMigrationRecovered,
    /// Tokens were estimated, not counted.
    TokenCountEstimateUsed,
    /// A source could not be read.
    SourceUnreadable,
    /// A source was read in part, or with a remark.
    SourceDegraded,
    /// A digest could not be made; the original was kept.
    DigestFailed,
    /// A provider failed and the next one of its chain answered.
    ProviderFallback,
    /// A citation the model wrote does not exist and was removed.
    CitationRemoved,
    /// A sentence of the report has no support in the passages it cites.
    UnsupportedStatement,
    /// No passage, of the source it is about or of any, shares a word with the question.
    NoMatchingEvidence,
    /// The session ended early.
    StoppedEarly,
    /// What a session or its tenant may spend is spent; the built-in model goes on.
    SpendCeilingReached,
}

impl WarningCode {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ContentTruncated => "CONTENT_TRUNCATED",
            Self::ContentDropped => "CONTENT_DROPPED",
            Self::PrioritySummarized => "PRIORITY_SUMMARIZED",
            Self::SummaryProviderFailed => "SUMMARY_PROVIDER_FAILED",
            Self::TokenBudgetFloored => "TOKEN_BUDGET_FLOORED",
            Self::LimitsDefaulted => "LIMITS_DEFAULTED",
            Self::ArchiveWriteFailed => "ARCHIVE_WRITE_FAILED",
            Self::ProtectedOverflow => "PROTECTED_OVERFLOW",
            Self::StateMigrationRecovered => "STATE_MIGRATION_RECOVERED",
            Self::TokenCountEstimateUsed => "TOKEN_COUNT_ESTIMATE_USED",
            Self::SourceUnreadable => "SOURCE_UNREADABLE",
            Self::SourceDegraded => "SOURCE_DEGRADED",
            Self::DigestFailed => "DIGEST_FAILED",
            Self::ProviderFallback => "PROVIDER_FALLBACK",
            Self::CitationRemoved => "CITATION_REMOVED",
            Self::UnsupportedStatement => "UNSUPPORTED_STATEMENT",
            Self::NoMatchingEvidence => "NO_MATCHING_EVIDENCE",
            Self::StoppedEarly => "STOPPED_EARLY",
            Self::SpendCeilingReached => "SPEND_CEILING_REACHED",
        }
    }
}

/// One warning with its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// What kind of thing happened.
    pub code: WarningCode,
    /// What happened, for people: lower case, no full stop.
    pub message: String,
    /// Where in the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// To which item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<SourceId>,
}

impl Warning {
    /// A warning about the session as a whole.
    #[must_use]
    pub fn new(code: WarningCode, phase: Phase, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), phase: Some(phase), item_id: None }
    }

    /// The same warning about one item.
    #[must_use]
    pub fn about(mut self, item: &SourceId) -> Self {
        self.item_id = Some(item.clone());
        self
    }
}

/// Adds `warning` unless the list holds an equal one: a repeated phase warns once.
pub fn push_once(list: &mut Vec<Warning>, warning: Warning) {
    if !list.contains(&warning) {
        list.push(warning);
    }
}
