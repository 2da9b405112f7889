//! The refusal of a request, in the words of the command line: what was too much, and which flag or file to change.
//!
//! A worker names a place in the request, which the user of a command never sees.

use precis_proto::failure_code::{FailureCode, FailureKind};
use precis_proto::request::ResearchRequest;
use precis_proto::response::ErrorInfo;

/// Longest part of a name that a message repeats, in characters.
const SHOWN_CHARS: usize = 80;

/// Returns whether `error` refuses the request itself: no session was begun.
pub(super) fn is_refusal(error: &ErrorInfo) -> bool {
    error.code.kind() == FailureKind::Request
}

/// Returns `refused` with the document it is about and a remedy that names a flag; anything else is returned as it is.
pub(crate) fn in_words_of_the_command(refused: ErrorInfo, request: &ResearchRequest) -> ErrorInfo {
    if !is_refusal(&refused) {
        return refused;
    }
    let document = refused.pointer.as_deref().and_then(|pointer| document(pointer, request));
    let message = match document {
        Some(name) => format!("{name}: {}", refused.message),
        None => refused.message.clone(),
    };
    ErrorInfo { message, remedy: refused.remedy.clone().or(remedy(&refused.code).map(str::to_owned)), ..refused }
}

/// The title or address of the source that `pointer` is into.
fn document(pointer: &str, request: &ResearchRequest) -> Option<String> {
    let place = pointer.strip_prefix("/sources/")?.split('/').next()?.parse::<usize>().ok()?;
    let source = request.sources.get(place)?;
    let name = [Some(&source.title), source.url.as_ref()].into_iter().flatten().find(|name| !name.is_empty());
    let name = name.map_or(source.source_id.as_str(), String::as_str);
    let shown: String = name.chars().take(SHOWN_CHARS).collect();
    Some(if shown.len() < name.len() { shown + "…" } else { shown })
}

/// What the user of a command changes after a refusal with this code; `None` for codes that refuse no request.
fn remedy(code: &FailureCode) -> Option<&'static str> {
    Some(match code {
        FailureCode::EmptyQuery | FailureCode::QueryTooLong => {
            "ask in fewer words, and pass what you know about the subject as a document"
        }
        FailureCode::NoSources | FailureCode::SourceWithoutContent => "pass a document, a folder or --url ADDRESS",
        FailureCode::RequestTooLarge => {
            "ask about a report with fewer and shorter turns and a smaller --project file, or begin with `precis run`"
        }
        FailureCode::TooManySources => {
            "pass fewer documents, or index their folder with `precis research --corpus DIR`"
        }
        FailureCode::AddressTooLong => {
            "leave this address out, or save the page and pass the file; an address of an earlier report is left out by \
             `precis ask --only-new` with the documents"
        }
        FailureCode::TitleTooLong | FailureCode::SnippetTooLong | FailureCode::ContentTypeTooLong => {
            "pass the document itself with --docs; `precis ask --only-new` leaves those of the earlier report out"
        }
        FailureCode::DuplicateSourceId | FailureCode::AmbiguousSource => {
            "the earlier report is not as Precis writes it: check it with `precis verify`, or ask with --only-new and the \
             documents"
        }
        FailureCode::DocumentTooLarge | FailureCode::InvalidBase64 => "pass the document as a file",
        FailureCode::HistoryTooLong => {
            "the conversation of the earlier report is too long: ask the whole question again with `precis run`"
        }
        FailureCode::TooMuchPriorContext => {
            "the earlier report cites too many documents: ask the whole question again with `precis run`"
        }
        FailureCode::ProjectContextTooLong => "pass a shorter file with --project",
        FailureCode::InvalidCeiling => "set max_spend_usd to an amount of at least 0",
        FailureCode::InvalidReportTokens => "pass --report-tokens with a number from 200 to 20000",
        FailureCode::NothingToSearch => "pass a folder with --corpus DIR, or a search provider with --web NAME",
        FailureCode::TooManyEntries => {
            "pass fewer of --corpus, --web, --academic, --allow-domain or --deny-domain; one folder may hold many others"
        }
        FailureCode::InvalidLimit => "see `precis research --help` for the limits",
        FailureCode::InvalidName => "check the names after --web, --academic, --allow-domain and --deny-domain",
        FailureCode::InvalidDate => "pass --since with a calendar day, such as 2026-01-31",
        FailureCode::InvalidPlan => "print a plan with `precis research QUESTION --plan-only` and edit it",
        FailureCode::InvalidFork => "fork from a report as Precis wrote it; check it with `precis verify`",
        FailureCode::MalformedRequest | FailureCode::UnsupportedVersion | FailureCode::ContentNotProved => {
            "check the earlier report with `precis verify`; if it is fine, this is a bug"
        }
        FailureCode::SessionIdTaken => "start the command again: it makes a new session id",
        FailureCode::InvalidTenant | FailureCode::TenantNotAllowed => "check the tenant in the configuration",
        FailureCode::UserNotVerified => "set the user of the broker in amqp_url",
        FailureCode::StorageQuotaReached => {
            "submit fewer or smaller documents, wait for the next day (UTC), or raise max_stored_mib_per_day"
        }
        FailureCode::UnknownCollection => "list collections with `precis collection list`",
        FailureCode::CollectionNotIndexed => {
            "submit again when `precis collection show ID` says that it is indexed, or name an earlier version"
        }
        FailureCode::WebhookNotAllowed => "leave options.webhook out, or ask the operator of the fleet for an endpoint",
        FailureCode::InvalidReplyTo | FailureCode::ResearchNotEnabled => "this is a bug; report it with the command",
        FailureCode::StateTooLarge
        | FailureCode::NoReadableSource
        | FailureCode::OverBudget
        | FailureCode::SummarizationFailed
        | FailureCode::CompressionFailed
        | FailureCode::SearchProviderMissing
        | FailureCode::CorpusMissing
        | FailureCode::ContentStoreFull
        | FailureCode::ContentTooLarge
        | FailureCode::ContentDamaged
        | FailureCode::ContentStoreUnavailable
        | FailureCode::Cancelled
        | FailureCode::LedgerUnbalanced
        | FailureCode::CitationUnproved
        | FailureCode::NoResearch
        | FailureCode::NoPlan
        | FailureCode::NoCourse
        | FailureCode::NoReport
        | FailureCode::DeadLetter(_)
        | FailureCode::Other(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use precis_proto::response::Status;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_refusal_of_a_request_names_what_to_change() {
        for code in FailureCode::KNOWN {
            assert_eq!(remedy(code).is_some(), code.kind() == FailureKind::Request, "{code}");
        }
    }

    #[test]
    fn a_refused_document_is_named_and_other_failures_stay_as_they_are() {
        let long = "t".repeat(SHOWN_CHARS + 1);
        let sources = json!([{ "source_id": "a", "title": long }, { "source_id": "b", "url": "http://e.example/" }]);
        let request = json!({ "schema_version": 3, "session_id": "s", "query": "q", "sources": sources });
        let request: ResearchRequest = serde_json::from_value(request).expect("a request");
        let words = |code, pointer: &str| {
            let error = ErrorInfo::new(Status::Failed, code, "too long");
            in_words_of_the_command(ErrorInfo { pointer: Some(pointer.to_owned()), ..error }, &request)
        };
        let first = words(FailureCode::TitleTooLong, "/sources/0/title");
        assert_eq!(first.message, format!("{}…: too long", "t".repeat(SHOWN_CHARS)));
        assert_eq!(words(FailureCode::AddressTooLong, "/sources/1/url").message, "http://e.example/: too long");
        assert_eq!(words(FailureCode::QueryTooLong, "/query").message, "too long");
        let other = words(FailureCode::StateTooLarge, "/sources/0");
        assert_eq!((other.message.as_str(), other.remedy), ("too long", None));
    }
}
