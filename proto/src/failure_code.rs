//! Why a session has no report: the codes that its caller gets and may branch on.

use crate::dead_reason::DeadReason;
use crate::words::words;

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
    /// A code of the command line or of another version that this one does not know, as it was written.
    also
    /// Its message was given up on.
    DeadLetter(DeadReason),
    {
        /// The body is no request.
        MalformedRequest => "malformed_request",
        /// The request is larger than one may be.
        RequestTooLarge => "request_too_large",
        /// The version of the request is none that this fleet reads, or too old for what it asks.
        UnsupportedVersion => "unsupported_version",
        /// Another request, or another user's, has this id.
        SessionIdTaken => "session_id_taken",
        /// The tenant of the message is no name.
        InvalidTenant => "invalid_tenant",
        /// The user may not spend for this tenant.
        TenantNotAllowed => "tenant_not_allowed",
        /// The address for the answer may not be written to. Nobody can be told.
        InvalidReplyTo => "invalid_reply_to",
        /// There is no proof that its tenant put a text it refers to.
        ContentNotProved => "content_not_proved",
        /// The question is empty.
        EmptyQuery => "empty_query",
        /// The question is too long.
        QueryTooLong => "query_too_long",
        /// The request names no source.
        NoSources => "no_sources",
        /// The request names too many sources.
        TooManySources => "too_many_sources",
        /// Two sources have one id.
        DuplicateSourceId => "duplicate_source_id",
        /// A source has neither content nor address.
        SourceWithoutContent => "source_without_content",
        /// A source has its content more than once.
        AmbiguousSource => "ambiguous_source",
        /// A document in the request is too large.
        DocumentTooLarge => "document_too_large",
        /// A document in the request is no Base64.
        InvalidBase64 => "invalid_base64",
        /// A title is too long.
        TitleTooLong => "title_too_long",
        /// An address is too long.
        AddressTooLong => "address_too_long",
        /// A snippet is too long.
        SnippetTooLong => "snippet_too_long",
        /// The name of a type is too long.
        ContentTypeTooLong => "content_type_too_long",
        /// The limit on what may be spent is no amount.
        InvalidCeiling => "invalid_ceiling",
        /// The length of the report is out of range.
        InvalidReportTokens => "invalid_report_tokens",
        /// The conversation has too many messages.
        HistoryTooLong => "history_too_long",
        /// There are too many pieces of earlier context.
        TooMuchPriorContext => "too_much_prior_context",
        /// The background of the project is too long.
        ProjectContextTooLong => "project_context_too_long",
        /// This fleet does not research yet.
        ResearchNotEnabled => "research_not_enabled",
        /// Research names no place to look.
        NothingToSearch => "nothing_to_search",
        /// A list of the research options is too long.
        TooManyEntries => "too_many_entries",
        /// A limit of the research options is out of range.
        InvalidLimit => "invalid_limit",
        /// A name in the research options is none.
        InvalidName => "invalid_name",
        /// A date in the research options is none.
        InvalidDate => "invalid_date",
        /// The plan of the research options makes no sense.
        InvalidPlan => "invalid_plan",
        /// The rounds to go on from are not those of the fork.
        InvalidFork => "invalid_fork",
        /// What the session holds is larger than a message may be.
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
        /// A corpus that the request names is nowhere, or cannot be opened.
        CorpusMissing => "corpus_missing",
        /// The content store has no room.
        ContentStoreFull => "content_store_full",
        /// A text is larger than the content store takes.
        ContentTooLarge => "content_too_large",
        /// A text is gone from the content store, or is not what it was.
        ContentDamaged => "content_damaged",
        /// The content store is away.
        ContentStoreUnavailable => "content_store_unavailable",
        /// Somebody cancelled it.
        Cancelled => "cancelled",
        /// A phase lost something without a record.
        LedgerUnbalanced => "ledger_unbalanced",
        /// The report would have cited what its archive does not hold.
        CitationUnproved => "citation_unproved",
        /// A phase of research got a session that asks for none.
        NoResearch => "no_research",
        /// A phase of research got a session without a plan.
        NoPlan => "no_plan",
        /// A phase of research got a session without a course.
        NoCourse => "no_course",
        /// A refinement got a session without a report.
        NoReport => "no_report",
    }
}

/// Who can do something about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The caller: this request cannot be worked with.
    Request,
    /// The caller or the fleet: this session could not be carried through.
    Session,
    /// Whoever runs the content store.
    ContentStore,
    /// Somebody ended it on purpose.
    Cancelled,
    /// Whoever writes Precis.
    Defect,
    /// Whoever looks after the dead letters.
    DeadLetter,
    /// Nobody knows here.
    Unknown,
}

impl FailureCode {
    /// Who can do something about it.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::MalformedRequest
            | Self::RequestTooLarge
            | Self::UnsupportedVersion
            | Self::SessionIdTaken
            | Self::InvalidTenant
            | Self::TenantNotAllowed
            | Self::InvalidReplyTo
            | Self::ContentNotProved
            | Self::EmptyQuery
            | Self::QueryTooLong
            | Self::NoSources
            | Self::TooManySources
            | Self::DuplicateSourceId
            | Self::SourceWithoutContent
            | Self::AmbiguousSource
            | Self::DocumentTooLarge
            | Self::InvalidBase64
            | Self::TitleTooLong
            | Self::AddressTooLong
            | Self::SnippetTooLong
            | Self::ContentTypeTooLong
            | Self::InvalidCeiling
            | Self::InvalidReportTokens
            | Self::HistoryTooLong
            | Self::TooMuchPriorContext
            | Self::ProjectContextTooLong
            | Self::ResearchNotEnabled
            | Self::NothingToSearch
            | Self::TooManyEntries
            | Self::InvalidLimit
            | Self::InvalidName
            | Self::InvalidDate
            | Self::InvalidPlan
            | Self::InvalidFork => FailureKind::Request,
            Self::StateTooLarge
            | Self::NoReadableSource
            | Self::OverBudget
            | Self::SummarizationFailed
            | Self::CompressionFailed
            | Self::SearchProviderMissing
            | Self::CorpusMissing => FailureKind::Session,
            Self::ContentStoreFull | Self::ContentTooLarge | Self::ContentDamaged | Self::ContentStoreUnavailable => {
                FailureKind::ContentStore
            }
            Self::Cancelled => FailureKind::Cancelled,
            Self::LedgerUnbalanced
            | Self::CitationUnproved
            | Self::NoResearch
            | Self::NoPlan
            | Self::NoCourse
            | Self::NoReport => FailureKind::Defect,
            Self::DeadLetter(_) => FailureKind::DeadLetter,
            Self::Other(_) => FailureKind::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_code_is_read_as_what_wrote_it_and_no_two_have_one_word() {
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
