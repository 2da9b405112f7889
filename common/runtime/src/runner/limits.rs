//! Validates a request: the rules that its types do not express. Pure: publishes nothing.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use precis_proto::envelope::{CodecError, Envelope, Header, json_fault};
use precis_proto::failure_code::FailureCode;
use precis_proto::fault::{BodyFault, body_fault};
use precis_proto::prior::{MAX_HISTORY_MESSAGES, MAX_PRIOR_BLOCKS};
use precis_proto::request::{
    MAX_ADDRESS_BYTES, MAX_CONTENT_TYPE_BYTES, MAX_INLINE_BYTES, MAX_INLINE_CHARS, MAX_PROJECT_CONTEXT_BYTES,
    MAX_QUERY_CHARS, MAX_SNIPPET_CHARS, MAX_SOURCES, MAX_TITLE_CHARS, REPORT_TOKENS, REQUEST_SCHEMA_VERSION,
    RequestOptions, RequestSource, ResearchRequest, max_unfolded_bytes,
};
use precis_proto::response::{ErrorInfo, Status};
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Phase, title};

use super::request_fault::RequestFault;
use super::research_limits;
use super::stated_failure::failure_info;

/// Returns the fault of a body that could not be parsed, with its pointer if one is known.
pub(super) fn malformed_fault(body: &[u8], error: &serde_json::Error) -> RequestFault {
    let unplaced = || BodyFault { message: json_fault(error), pointer: String::new() };
    let BodyFault { message, pointer } = body_fault::<ResearchRequest>(body).unwrap_or_else(unplaced);
    RequestFault { code: FailureCode::MalformedRequest, message, pointer }
}

/// Cuts the titles that are too long; returns a warning for each.
pub(super) fn cut_titles(request: &mut ResearchRequest) -> Vec<Warning> {
    let phase = Phase::first(request.options.research.is_some());
    let cut = |source: &mut RequestSource| {
        source.title = title::cut(&source.title)?;
        // How long it was is not known: reading stops a little over the limit.
        let message = format!("the title has more than {MAX_TITLE_CHARS} characters; its start is used");
        Some(Warning::new(WarningCode::SourceDegraded, phase, message).about(&source.source_id))
    };
    request.sources.iter_mut().filter_map(cut).collect()
}

/// Returns the failure that a worker would send for `request`, by the rules its types do not express; `None` if it would take it. For
/// callers that check a request before they send it. The session's account, proofs and id are not judged.
#[must_use]
pub fn refusal(request: &ResearchRequest) -> Option<ErrorInfo> {
    let fault = check(request).err().or_else(|| size_fault(request))?;
    Some(ErrorInfo {
        pointer: Some(fault.pointer),
        ..failure_info(&request.session_id, Status::Failed, fault.code, fault.message)
    })
}

/// Returns the fault of a request that is too large for a message, or that unfolds to more than a worker decompresses.
fn size_fault(request: &ResearchRequest) -> Option<RequestFault> {
    let encoded = Envelope::encode(Header::default(), request);
    let unfolded = encoded.and_then(|message| message.plain_body_within(max_unfolded_bytes(message.body.len())));
    let error = unfolded.err().filter(|error| matches!(error, CodecError::TooLarge { .. }))?;
    Some(RequestFault { code: FailureCode::RequestTooLarge, message: error.to_string(), pointer: String::new() })
}

/// Returns the request if it satisfies the rules its types do not express. Pointers are RFC 6901.
pub(super) fn check_request(request: ResearchRequest) -> Result<ResearchRequest, RequestFault> {
    check(&request).map(|()| request)
}

fn check(request: &ResearchRequest) -> Result<(), RequestFault> {
    let fault = |code, message: String, pointer: String| Err(RequestFault { code, message, pointer });
    if request.schema_version == 0 || request.schema_version > REQUEST_SCHEMA_VERSION {
        let message =
            format!("schema_version must be from 1 to {REQUEST_SCHEMA_VERSION}, got {}", request.schema_version);
        return fault(FailureCode::UnsupportedVersion, message, "/schema_version".to_owned());
    }
    let chars = request.query.chars().count();
    if request.query.trim().is_empty() {
        return fault(FailureCode::EmptyQuery, "the query is empty".to_owned(), "/query".to_owned());
    }
    if chars > MAX_QUERY_CHARS {
        let message = format!("the query must have at most {MAX_QUERY_CHARS} characters, got {chars}");
        return fault(FailureCode::QueryTooLong, message, "/query".to_owned());
    }
    if request.sources.is_empty() && request.options.research.is_none() {
        return fault(FailureCode::NoSources, "the request has no sources".to_owned(), "/sources".to_owned());
    }
    if request.sources.len() > MAX_SOURCES {
        let message = format!("the request must have at most {MAX_SOURCES} sources");
        return fault(FailureCode::TooManySources, message, "/sources".to_owned());
    }
    if let Some(usd) = request.options.max_spend_usd.filter(|usd| !usd.is_finite() || *usd < 0.0) {
        let message = format!("max_spend_usd must be at least 0, got {usd}");
        return fault(FailureCode::InvalidCeiling, message, "/options/max_spend_usd".to_owned());
    }
    if let Some(tokens) = request.options.report_tokens.filter(|tokens| !REPORT_TOKENS.contains(tokens)) {
        let (least, most) = (REPORT_TOKENS.start(), REPORT_TOKENS.end());
        let message = format!("report_tokens must be a whole number from {least} to {most}, got {tokens}");
        return fault(FailureCode::InvalidReportTokens, message, "/options/report_tokens".to_owned());
    }
    check_context(&request.options)?;
    if let Some(fault) = research_limits::fault(request) {
        return Err(fault);
    }
    check_sources(&request.sources)
}

/// Checks the context from before the session: the conversation, blocks of other sessions and the background of a project.
fn check_context(options: &RequestOptions) -> Result<(), RequestFault> {
    let fault = |code, message: String, pointer: &str| Err(RequestFault { code, message, pointer: pointer.to_owned() });
    let (messages, blocks) = (options.history.len(), options.prior_context.len());
    if messages > MAX_HISTORY_MESSAGES {
        let message = format!("history must have at most {MAX_HISTORY_MESSAGES} messages");
        return fault(FailureCode::HistoryTooLong, message, "/options/history");
    }
    if blocks > MAX_PRIOR_BLOCKS {
        let message = format!("prior_context must have at most {MAX_PRIOR_BLOCKS} blocks");
        return fault(FailureCode::TooMuchPriorContext, message, "/options/prior_context");
    }
    if options.project_context.len() > MAX_PROJECT_CONTEXT_BYTES {
        let message = format!("project_context must have at most {MAX_PROJECT_CONTEXT_BYTES} bytes");
        return fault(FailureCode::ProjectContextTooLong, message, "/options/project_context");
    }
    Ok(())
}

/// Checks each source, and that no two have the same id.
fn check_sources(sources: &[RequestSource]) -> Result<(), RequestFault> {
    let mut ids = BTreeSet::new();
    for (place, source) in sources.iter().enumerate() {
        if !ids.insert(&source.source_id) {
            return Err(RequestFault {
                code: FailureCode::DuplicateSourceId,
                message: format!("source id `{}` appears twice", source.source_id),
                pointer: format!("/sources/{place}/source_id"),
            });
        }
        if let Some(fault) = too_long(place, source) {
            return Err(fault);
        }
        if let Some(fault) = content_fault(place, source) {
            return Err(fault);
        }
    }
    Ok(())
}

/// Returns what is wrong with the way a source gives its content.
fn content_fault(place: usize, source: &RequestSource) -> Option<RequestFault> {
    let fault = |code, message: String, field| {
        Some(RequestFault { code, message, pointer: format!("/sources/{place}{field}") })
    };
    let contents = [source.content.is_some(), source.content_base64.is_some(), source.content_ref.is_some()];
    let contents = contents.into_iter().filter(|is_given| *is_given).count();
    if source.url.is_none() && source.pdf_url.is_none() && contents == 0 {
        let message = "a source needs one of url, pdf_url, content, content_base64 and content_ref".to_owned();
        return fault(FailureCode::SourceWithoutContent, message, "");
    }
    if contents > 1 {
        let message = "a source must have only one of content, content_base64 and content_ref".to_owned();
        return fault(FailureCode::AmbiguousSource, message, "");
    }
    let (code, message) = source.content_base64.as_deref().map(inline)?.err()?;
    fault(code, message, "/content_base64")
}

/// Decodes a document that is part of its request.
///
/// # Errors
/// Code and message if it is too large or not valid Base64.
pub(super) fn inline(text: &str) -> Result<Vec<u8>, (FailureCode, String)> {
    let too_large = || {
        (FailureCode::DocumentTooLarge, format!("a document in a request must have at most {MAX_INLINE_BYTES} bytes"))
    };
    // Checked before decoding. Parsing cuts a longer text to one character over the limit, so the exact length is unknown.
    if text.len() > MAX_INLINE_CHARS {
        return Err(too_large());
    }
    let bytes = STANDARD.decode(text).map_err(|e| (FailureCode::InvalidBase64, format!("content_base64: {e}")))?;
    if bytes.len() > MAX_INLINE_BYTES { Err(too_large()) } else { Ok(bytes) }
}

/// Returns a fault for the first text of a source that exceeds its limit.
fn too_long(place: usize, source: &RequestSource) -> Option<RequestFault> {
    let bytes = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let chars = |text: &Option<String>| text.as_ref().map_or(0, |text| text.chars().count());
    let rules = [
        (FailureCode::AddressTooLong, "url", bytes(&source.url), MAX_ADDRESS_BYTES, "bytes"),
        (FailureCode::AddressTooLong, "pdf_url", bytes(&source.pdf_url), MAX_ADDRESS_BYTES, "bytes"),
        (FailureCode::SnippetTooLong, "snippet", chars(&source.snippet), MAX_SNIPPET_CHARS, "characters"),
        (FailureCode::ContentTypeTooLong, "content_type", bytes(&source.content_type), MAX_CONTENT_TYPE_BYTES, "bytes"),
    ];
    rules.into_iter().find(|(.., found, limit, _)| found > limit).map(|(code, field, _, limit, unit)| RequestFault {
        code,
        message: format!("the {field} must have at most {limit} {unit}"),
        pointer: format!("/sources/{place}/{field}"),
    })
}

#[cfg(test)]
mod tests {
    use precis_proto::request::UNFOLDED_BYTES;
    use serde_json::{Value, json};

    use super::*;

    fn fault_of(change: impl FnOnce(&mut Value)) -> Option<(&'static str, String)> {
        let mut body = json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": [{ "source_id": "a", "content": "x" }] });
        change(&mut body);
        let body = body.to_string();
        let request = serde_json::from_str(&body).map_err(|e| malformed_fault(body.as_bytes(), &e));
        request.and_then(check_request).err().map(|f| (f.code.known_word().expect("a word"), f.pointer))
    }

    #[test]
    fn a_request_unfolds_to_its_limit_and_no_further() {
        let sized = |bytes: usize| {
            let body = json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": [{ "source_id": "a", "content": "" }] });
            let mut request: ResearchRequest = serde_json::from_value(body).expect("a request");
            let rest = serde_json::to_vec(&request).expect("JSON").len();
            request.sources[0].content = Some("x".repeat(bytes - rest));
            refusal(&request).map(|error| error.code)
        };
        assert_eq!(sized(UNFOLDED_BYTES - 1), None);
        assert_eq!(sized(UNFOLDED_BYTES), None);
        assert_eq!(sized(UNFOLDED_BYTES + 1), Some(FailureCode::RequestTooLarge));
    }

    #[test]
    fn each_rule_names_its_code_and_its_place() {
        let long = |chars: usize| json!("x".repeat(chars));
        assert_eq!(fault_of(|_| ()), None);
        assert_eq!(fault_of(|b| b["query"] = long(MAX_QUERY_CHARS)), None);
        type LimitCase<'a> = (&'a dyn Fn(&mut Value), &'a str, &'a str);
        let messages = json!({ "role": "user", "content": "x" });
        let block = json!({ "text": "x" });
        let over = |of: &Value, most: usize| json!(vec![of.clone(); most + 1]);
        let table: [LimitCase<'_>; 17] = [
            (
                &|b| b["options"] = json!({ "history": over(&messages, MAX_HISTORY_MESSAGES) }),
                "history_too_long",
                "/options/history",
            ),
            (
                &|b| b["options"] = json!({ "prior_context": over(&block, MAX_PRIOR_BLOCKS) }),
                "too_much_prior_context",
                "/options/prior_context",
            ),
            (
                &|b| b["options"] = json!({ "history": [{ "role": "system", "content": "x" }] }),
                "malformed_request",
                "/options/history/0/role",
            ),
            (&|b| b["options"] = json!({ "max_spend_usd": -0.5 }), "invalid_ceiling", "/options/max_spend_usd"),
            (&|b| b["schema_version"] = json!(4), "unsupported_version", "/schema_version"),
            (&|b| b["schema_version"] = json!(0), "unsupported_version", "/schema_version"),
            (&|b| b["query"] = json!(" \n"), "empty_query", "/query"),
            (&|b| b["query"] = long(MAX_QUERY_CHARS + 1), "query_too_long", "/query"),
            (&|b| b["sources"] = json!([]), "no_sources", "/sources"),
            (&|b| b["sources"][0] = json!({ "source_id": "a" }), "source_without_content", "/sources/0"),
            (
                &|b| b["sources"] = json!([b["sources"][0], b["sources"][0]]),
                "duplicate_source_id",
                "/sources/1/source_id",
            ),
            (&|b| b["sources"][0]["content_base64"] = json!("eA=="), "ambiguous_source", "/sources/0"),
            (
                &|b| b["sources"][0] = json!({ "source_id": "a", "content_base64": "no base64" }),
                "invalid_base64",
                "/sources/0/content_base64",
            ),
            (&|b| b["options"] = json!({ "report_tokens": 199 }), "invalid_report_tokens", "/options/report_tokens"),
            (&|b| b["options"] = json!({ "report_tokens": 20_001 }), "invalid_report_tokens", "/options/report_tokens"),
            (&|b| b["unknown"] = json!(1), "malformed_request", "/unknown"),
            (&|b| b["session_id"] = json!(""), "malformed_request", "/session_id"),
        ];
        for (change, code, pointer) in table {
            assert_eq!(fault_of(change), Some((code, pointer.to_owned())));
        }
    }

    #[test]
    fn a_document_in_a_request_is_limited_and_round_trips() {
        assert_eq!(inline("JVBERi0xLjcK"), Ok(b"%PDF-1.7\n".to_vec()));
        for (bytes, fits) in [(MAX_INLINE_BYTES - 1, true), (MAX_INLINE_BYTES, true), (MAX_INLINE_BYTES + 1, false)] {
            let text = STANDARD.encode(vec![7; bytes]);
            let found = inline(&text);
            assert_eq!(
                found.map(|found| found.len()).map_err(|(code, _)| code),
                if fits { Ok(bytes) } else { Err(FailureCode::DocumentTooLarge) }
            );
            let read = fault_of(|b| b["sources"][0] = json!({ "source_id": "a", "content_base64": text }));
            let expected = ("document_too_large", "/sources/0/content_base64".to_owned());
            assert_eq!(read, (!fits).then_some(expected), "{bytes}");
        }
        let far = fault_of(|b| {
            b["sources"][0] = json!({ "source_id": "a", "content_base64": "!".repeat(2 * MAX_INLINE_CHARS) })
        });
        assert_eq!(
            far.map(|(code, _)| code),
            Some("document_too_large"),
            "cut while it was read, and told as too large"
        );
    }

    #[test]
    fn report_length_has_the_same_range_as_on_the_command_line() {
        for (tokens, is_refused) in [(199, true), (200, false), (20_000, false), (20_001, true)] {
            let fault = fault_of(|b| b["options"] = json!({ "report_tokens": tokens }));
            assert_eq!(fault.is_some(), is_refused, "{tokens}");
        }
    }

    #[test]
    fn each_text_of_a_source_is_limited_and_faults_locate_it() {
        let rules = [
            ("url", MAX_ADDRESS_BYTES, "address_too_long"),
            ("pdf_url", MAX_ADDRESS_BYTES, "address_too_long"),
            ("snippet", MAX_SNIPPET_CHARS, "snippet_too_long"),
            ("content_type", MAX_CONTENT_TYPE_BYTES, "content_type_too_long"),
        ];
        for (field, limit, code) in rules {
            for (length, refused) in [(limit - 1, false), (limit, false), (limit + 1, true), (limit * 50, true)] {
                let expected = refused.then(|| (code, format!("/sources/0/{field}")));
                assert_eq!(
                    fault_of(|b| b["sources"][0][field] = json!("x".repeat(length))),
                    expected,
                    "{field} {length}"
                );
            }
        }
        for (length, refused) in [(MAX_PROJECT_CONTEXT_BYTES, false), (MAX_PROJECT_CONTEXT_BYTES + 1, true)] {
            let found = fault_of(|b| b["options"] = json!({ "project_context": "x".repeat(length) }));
            assert_eq!(found.is_some(), refused, "{length}");
        }
    }

    #[test]
    fn a_title_that_is_too_long_is_cut_with_a_warning() {
        for (length, is_cut) in [(MAX_TITLE_CHARS - 1, false), (MAX_TITLE_CHARS, false), (MAX_TITLE_CHARS + 1, true)] {
            let sources = json!([{ "source_id": "a", "title": "é".repeat(length), "content": "x" }]);
            let body = json!({ "schema_version": 2, "session_id": "s", "query": "q", "sources": sources });
            let mut request: ResearchRequest = serde_json::from_value(body).expect("a request");
            let warnings = cut_titles(&mut request);
            assert_eq!(
                (warnings.len(), request.sources[0].title.ends_with('…')),
                (usize::from(is_cut), is_cut),
                "{length}"
            );
            assert!(check_request(request).is_ok());
        }
    }

    #[test]
    fn the_number_of_sources_is_limited() {
        for (count, refused) in [(MAX_SOURCES - 1, false), (MAX_SOURCES, false), (MAX_SOURCES + 1, true)] {
            let sources: Vec<Value> =
                (0..count).map(|i| json!({ "source_id": format!("s{i}"), "content": "x" })).collect();
            assert_eq!(fault_of(|b| b["sources"] = json!(sources)).is_some(), refused, "{count}");
        }
    }
}
