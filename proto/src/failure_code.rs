//! Why a session has no report: stable codes that callers may branch on.

use crate::dead_reason::DeadReason;
use crate::words::words;

/// Declares [`FailureCode`] from rows grouped by who can fix them, so that no code is without a kind.
macro_rules! failure_codes {
    ($($kind:ident { $($(#[doc = $doc:literal])+ $variant:ident => $word:literal,)+ })+) => {
        words! {
            /// Why a session has no report.
            ///
            /// ```
            /// use precis_proto::failure_code::{FailureCode, FailureKind};
            ///
            /// assert_eq!(FailureCode::from_word("empty_query").kind(), FailureKind::Request);
            /// assert_eq!(FailureCode::from_word("timed_out").kind(), FailureKind::DeadLetter);
            /// assert_eq!(FailureCode::from_word("of_a_newer_version").as_str(), "of_a_newer_version");
            /// ```
            FailureCode, other:
            /// A code of the command line or of another version that this version does not know, as written.
            also
            /// A message of the session became a dead letter.
            DeadLetter(DeadReason),
            { $($($(#[doc = $doc])+ $variant => $word,)+)+ }
        }

        impl FailureCode {
            /// Returns who can fix the failure.
            #[must_use]
            pub fn kind(&self) -> FailureKind {
                match self {
                    $($(Self::$variant)|+ => FailureKind::$kind,)+
                    Self::DeadLetter(_) => FailureKind::DeadLetter,
                    Self::Other(_) => FailureKind::Unknown,
                }
            }
        }
    };
}

failure_codes! {
    Request {
        /// The body is not a valid request.
        MalformedRequest => "malformed_request",
        /// The request exceeds the size limit.
        RequestTooLarge => "request_too_large",
        /// The fleet does not support the version of the request, or the version is too old for its options.
        UnsupportedVersion => "unsupported_version",
        /// A different request, or one of another user, already has this session id.
        SessionIdTaken => "session_id_taken",
        /// The tenant of the message is not a valid name.
        InvalidTenant => "invalid_tenant",
        /// The user is not allowed to spend for this tenant.
        TenantNotAllowed => "tenant_not_allowed",
        /// The message does not say whose it is, and the fleet takes requests of verified users only.
        UserNotVerified => "user_not_verified",
        /// The tenant, or the user, has stored as much today as it may.
        StorageQuotaReached => "storage_quota_reached",
        /// The reply queue is not allowed, so the failure cannot be sent to it either.
        InvalidReplyTo => "invalid_reply_to",
        /// There is no valid proof that the tenant uploaded a referenced text.
        ContentNotProved => "content_not_proved",
        /// The question is empty.
        EmptyQuery => "empty_query",
        /// The question is too long.
        QueryTooLong => "query_too_long",
        /// The request names no source.
        NoSources => "no_sources",
        /// The request names too many sources.
        TooManySources => "too_many_sources",
        /// Two sources have the same id.
        DuplicateSourceId => "duplicate_source_id",
        /// A source has neither content nor address.
        SourceWithoutContent => "source_without_content",
        /// A source has more than one content field.
        AmbiguousSource => "ambiguous_source",
        /// A document in the request is too large.
        DocumentTooLarge => "document_too_large",
        /// A document in the request is not valid Base64.
        InvalidBase64 => "invalid_base64",
        /// A title is too long.
        TitleTooLong => "title_too_long",
        /// An address is too long.
        AddressTooLong => "address_too_long",
        /// A snippet is too long.
        SnippetTooLong => "snippet_too_long",
        /// A content type is too long.
        ContentTypeTooLong => "content_type_too_long",
        /// A spending limit is not a valid amount.
        InvalidCeiling => "invalid_ceiling",
        /// The length of the report is out of range.
        InvalidReportTokens => "invalid_report_tokens",
        /// The conversation has too many messages.
        HistoryTooLong => "history_too_long",
        /// There are too many blocks of earlier context.
        TooMuchPriorContext => "too_much_prior_context",
        /// The background of the project is too long.
        ProjectContextTooLong => "project_context_too_long",
        /// The fleet does not support research yet.
        ResearchNotEnabled => "research_not_enabled",
        /// The research options name no corpus and no search provider.
        NothingToSearch => "nothing_to_search",
        /// A list of the research options is too long.
        TooManyEntries => "too_many_entries",
        /// A limit of the research options is out of range.
        InvalidLimit => "invalid_limit",
        /// A name in the research options is invalid.
        InvalidName => "invalid_name",
        /// A date in the research options is invalid.
        InvalidDate => "invalid_date",
        /// The plan in the research options is invalid.
        InvalidPlan => "invalid_plan",
        /// The rounds to continue from do not match the fork.
        InvalidFork => "invalid_fork",
        /// There is no such collection, or no such version of it, for the tenant.
        UnknownCollection => "unknown_collection",
        /// The version of the collection is not indexed yet, or the collection has no files.
        CollectionNotIndexed => "collection_not_indexed",
        /// The fleet does not send to this webhook, or not for this tenant.
        WebhookNotAllowed => "webhook_not_allowed",
    }
    Session {
        /// The session state exceeds the size limit of a message.
        StateTooLarge => "state_too_large",
        /// No source could be read.
        NoReadableSource => "no_readable_source",
        /// Nothing fits into the budget.
        OverBudget => "over_budget",
        /// No source could be summarized.
        SummarizationFailed => "summarization_failed",
        /// No findings could be made.
        CompressionFailed => "compression_failed",
        /// A search provider that the request names is not set up.
        SearchProviderMissing => "search_provider_missing",
        /// A corpus that the request names is missing, or cannot be opened.
        CorpusMissing => "corpus_missing",
    }
    ContentStore {
        /// The content store is full.
        ContentStoreFull => "content_store_full",
        /// A text is larger than the content store allows.
        ContentTooLarge => "content_too_large",
        /// A text is missing from the content store, or does not match its hash.
        ContentDamaged => "content_damaged",
        /// The content store cannot be reached.
        ContentStoreUnavailable => "content_store_unavailable",
    }
    Cancelled {
        /// The session was cancelled.
        Cancelled => "cancelled",
    }
    Defect {
        /// A phase lost content without recording it.
        LedgerUnbalanced => "ledger_unbalanced",
        /// The report would have cited a quote that its archive does not contain.
        CitationUnproved => "citation_unproved",
        /// A research phase received a session without research.
        NoResearch => "no_research",
        /// A research phase received a session without a plan.
        NoPlan => "no_plan",
        /// A research phase received a session without a gathering result.
        NoCourse => "no_course",
        /// The refinement phase received a session without a report.
        NoReport => "no_report",
    }
}

/// Who can fix a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The caller: the request is invalid.
    Request,
    /// The caller or the operator of the fleet: the session could not be completed.
    Session,
    /// The operator of the content store.
    ContentStore,
    /// Nobody: the session was ended on purpose.
    Cancelled,
    /// The developers of Precis: this is a bug.
    Defect,
    /// The operator who handles dead letters.
    DeadLetter,
    /// Unknown to this version.
    Unknown,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_code_round_trips_and_has_a_unique_word() {
        let dead = DeadReason::KNOWN.iter().cloned().map(FailureCode::DeadLetter);
        let all: Vec<FailureCode> = FailureCode::KNOWN.iter().cloned().chain(dead).collect();
        for code in &all {
            let read: FailureCode = serde_json::from_value(json!(code)).expect("a code");
            assert_eq!((&read, json!(code)), (code, json!(code.as_str())));
            assert_ne!(code.kind(), FailureKind::Unknown, "{code}");
        }
        let newer: FailureCode = serde_json::from_value(json!("of_a_newer_version")).expect("a code");
        assert_eq!(
            (newer.known_word(), newer.kind(), json!(newer)),
            (None, FailureKind::Unknown, json!("of_a_newer_version"))
        );
        assert!(serde_json::from_value::<FailureCode>(json!(1)).is_err());
    }
}
