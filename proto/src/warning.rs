//! Warnings of a session, with stable codes that programs can branch on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_words;
use crate::{Phase, SourceId};

closed_words! {
    /// The codes of `meta.warnings`.
    #[derive(PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
    pub enum WarningCode: serde {
        /// Low-priority content was truncated or summarized.
        ContentTruncated => "CONTENT_TRUNCATED",
        /// Content was left out: it did not fit into the budget, or nothing in the report is based on it.
        ContentDropped => "CONTENT_DROPPED",
        /// A high-priority item was summarized.
        PrioritySummarized => "PRIORITY_SUMMARIZED",
        /// All summarization providers failed.
        SummaryProviderFailed => "SUMMARY_PROVIDER_FAILED",
        /// A phase budget was raised to its minimum.
        TokenBudgetFloored => "TOKEN_BUDGET_FLOORED",
        /// The limits of a provider are unknown; defaults apply.
        LimitsDefaulted => "LIMITS_DEFAULTED",
        /// The archive could not be written.
        ArchiveWriteFailed => "ARCHIVE_WRITE_FAILED",
        /// Protected content exceeded the budget.
        ProtectedOverflow => "PROTECTED_OVERFLOW",
        /// A state could not be upgraded; defaults were used.
        StateMigrationRecovered => "STATE_MIGRATION_RECOVERED",
        /// Tokens were estimated, not counted.
        TokenCountEstimateUsed => "TOKEN_COUNT_ESTIMATE_USED",
        /// A source could not be read.
        SourceUnreadable => "SOURCE_UNREADABLE",
        /// A source was read in part, or with a remark.
        SourceDegraded => "SOURCE_DEGRADED",
        /// A digest could not be made; the original was kept.
        DigestFailed => "DIGEST_FAILED",
        /// A model provider failed, and the next one in its chain answered.
        ProviderFallback => "PROVIDER_FALLBACK",
        /// A search provider failed; the next named one answered, or none did.
        SearchProviderFailed => "SEARCH_PROVIDER_FAILED",
        /// A citation the model wrote does not exist and was removed.
        CitationRemoved => "CITATION_REMOVED",
        /// A sentence of the report has no support in the passages it cites.
        UnsupportedStatement => "UNSUPPORTED_STATEMENT",
        /// Words in quotation marks occur in none of the quotes that their sentence cites.
        QuotationAltered => "QUOTATION_ALTERED",
        /// A figure occurs in none of the quotes that its sentence cites.
        FigureUnsupported => "FIGURE_UNSUPPORTED",
        /// Statements that their quotes do not support were corrected, removed or marked.
        StatementsCorrected => "STATEMENTS_CORRECTED",
        /// No passage of the source, or of any source, shares a word with the question.
        NoMatchingEvidence => "NO_MATCHING_EVIDENCE",
        /// A model of meaning is in use, and words alone decided on some passages.
        MeaningLimited => "MEANING_LIMITED",
        /// No finding could be made from the sources; the report consists of passages of their texts.
        ReportDegraded => "REPORT_DEGRADED",
        /// The session ended early.
        StoppedEarly => "STOPPED_EARLY",
        /// The spending limit of the session or its tenant was reached; the built-in model is used from then on.
        SpendCeilingReached => "SPEND_CEILING_REACHED",
    }
}

/// A warning with the phase and item it is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// Stable code.
    pub code: WarningCode,
    /// Message for users: lower case, no full stop.
    pub message: String,
    /// The phase in which it was raised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// The item it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<SourceId>,
}

impl Warning {
    /// Creates a warning about the session as a whole.
    #[must_use]
    pub fn new(code: WarningCode, phase: Phase, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), phase: Some(phase), item_id: None }
    }

    /// Returns whether the warning applies only to one pass of the session, and so only to the report produced by that pass.
    #[must_use]
    pub fn is_of_pass(&self) -> bool {
        match self.code {
            // Text cut during extraction is missing in every pass.
            WarningCode::ContentTruncated => self.phase != Some(Phase::Extraction),
            WarningCode::ContentDropped
            | WarningCode::PrioritySummarized
            | WarningCode::SummaryProviderFailed
            | WarningCode::TokenBudgetFloored
            | WarningCode::ProtectedOverflow
            | WarningCode::DigestFailed
            | WarningCode::CitationRemoved
            | WarningCode::UnsupportedStatement
            | WarningCode::QuotationAltered
            | WarningCode::FigureUnsupported
            | WarningCode::StatementsCorrected
            | WarningCode::NoMatchingEvidence
            | WarningCode::MeaningLimited
            | WarningCode::ReportDegraded => true,
            WarningCode::LimitsDefaulted
            | WarningCode::ArchiveWriteFailed
            | WarningCode::StateMigrationRecovered
            | WarningCode::TokenCountEstimateUsed
            | WarningCode::SourceUnreadable
            | WarningCode::SourceDegraded
            | WarningCode::ProviderFallback
            | WarningCode::SearchProviderFailed
            | WarningCode::StoppedEarly
            | WarningCode::SpendCeilingReached => false,
        }
    }

    /// Returns the warning, now about one item.
    #[must_use]
    pub fn about(mut self, item: &SourceId) -> Self {
        self.item_id = Some(item.clone());
        self
    }
}

/// Adds `warning` unless the list contains the same one, since a repeated phase raises its warnings again. Failures of a provider with
/// the same code in one phase count as one warning, with the first message: messages of providers differ from call to call.
pub fn push_once(list: &mut Vec<Warning>, warning: Warning) {
    let is_same = |known: &Warning| {
        // The item is compared first: among thousands of warnings, most differ in nothing else.
        known.item_id == warning.item_id
            && (known == &warning
                || (warning.code == WarningCode::ProviderFallback
                    && (known.code, known.phase) == (warning.code, warning.phase)
                    && failed_how(&known.message) == failed_how(&warning.message)))
    };
    if !list.iter().any(is_same) {
        list.push(warning);
    }
}

/// Returns the first part of a message like "`NAME:MODEL` failed (CODE): provider message; which model answered".
fn failed_how(message: &str) -> &str {
    message.split_once(')').map_or(message, |(how, _)| how)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pass_left_out_is_said_of_that_pass_alone() {
        for (code, phase, want) in [
            (WarningCode::ContentDropped, Phase::Compression, true),
            (WarningCode::ReportDegraded, Phase::Compression, true),
            (WarningCode::ContentTruncated, Phase::Digest, true),
            (WarningCode::ContentTruncated, Phase::Extraction, false),
            (WarningCode::SourceUnreadable, Phase::Extraction, false),
            (WarningCode::ProviderFallback, Phase::Synthesis, false),
        ] {
            assert_eq!(Warning::new(code, phase, "m").is_of_pass(), want, "{code:?} {phase}");
        }
    }

    #[test]
    fn a_provider_that_fails_alike_in_many_calls_is_one_warning() {
        let failed = |message: &str| Warning::new(WarningCode::ProviderFallback, Phase::Synthesis, message);
        let mut list = Vec::new();
        for message in [
            "`a:b` failed (over_budget): needs 10; `local:extractive` answered",
            "`a:b` failed (over_budget): needs 12; `local:extractive` answered",
            "`a:b` failed (timeout): after 10 ms; `local:extractive` answered",
            "`a:c` failed (timeout); `local:extractive` answered",
        ] {
            push_once(&mut list, failed(message));
        }
        assert_eq!(list.len(), 3, "{list:?}");
        let other = |message: &str| Warning::new(WarningCode::SourceDegraded, Phase::Extraction, message);
        ["page 1) torn", "page 1) wet"].into_iter().for_each(|message| push_once(&mut list, other(message)));
        assert_eq!(list.len(), 5, "other warnings are the same only where they are equal");
    }
}
