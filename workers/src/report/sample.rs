//! Small responses for tests.

use precis_proto::response::{Citation, ReportData, Response, SessionInfo, SourceRow, Status};
use precis_proto::source::{ContentRef, SourceFailure};
use precis_proto::{CharRange, Locator, SessionId, SourceId};

/// Creates a source id.
pub(crate) fn id(text: &str) -> SourceId {
    SourceId::new(text).expect("a valid id")
}

/// Creates a source with the text `text`, or a failed one.
pub(crate) fn source(source_id: &SourceId, text: Option<&str>) -> SourceRow {
    let failure = SourceFailure { code: "encrypted".to_owned(), message: "it is encrypted".to_owned(), of: None };
    SourceRow {
        source_id: source_id.clone(),
        title: source_id.to_string(),
        url: None,
        path: None,
        content_type: text.map(|_| "text/plain".to_owned()),
        chars: text.map_or(0, |t| t.chars().count() as u64),
        tokens: 1,
        source_text_hash: text.map(|t| ContentRef::from_bytes(t.as_bytes()).to_string()),
        blocks: None,
        original_sha256: text.map(|t| ContentRef::from_bytes(t.as_bytes()).to_string()),
        failure: text.is_none().then_some(failure),
        note: None,
        digest: None,
        relevance: None,
        published_at: None,
        confidence: None,
        number: None,
        found_by: Vec::new(),
    }
}

/// Creates a finished report on `sources` without citations.
pub(crate) fn report(sources: Vec<SourceRow>) -> Response {
    Response::report(ReportData {
        query: "why?".to_owned(),
        answer: None,
        writer_reads: None,
        meaning: None,
        meaning_server: None,
        report: String::new(),
        citations: Vec::new(),
        computed: Vec::new(),
        code: Vec::new(),
        comparison: None,
        timeline: None,
        disagreements: Vec::new(),
        claims: Vec::new(),
        evaluation: None,
        sources,
        content_fidelity_schema_version: "v1".to_owned(),
        content_fidelity: Default::default(),
        dropped_content_ids: Vec::new(),
        content_archive_hashes: Default::default(),
        warning_details: Vec::new(),
        ledger: Vec::new(),
        spend: Vec::new(),
        token_usage: Vec::new(),
        history: Vec::new(),
        research: None,
        privacy: None,
        session: SessionInfo {
            id: SessionId::new("s").expect("a valid id"),
            status: Status::Completed,
            stop_reason: None,
            incomplete: false,
            phases: Vec::new(),
            token_management_enabled: true,
        },
        generated: None,
    })
}

/// Creates a citation of the whole `text`.
pub(crate) fn citation(n: u32, source_id: &SourceId, text: &str) -> Citation {
    Citation {
        n,
        source_id: source_id.clone(),
        title: source_id.to_string(),
        url: None,
        locator: Locator { page: None, range: CharRange::new(0, text.chars().count()) },
        text: text.to_owned(),
        source_text_hash: ContentRef::from_bytes(text.as_bytes()).to_string(),
        headings: Vec::new(),
        context: Vec::new(),
        answer: Vec::new(),
        more_items: 0,
        place: None,
        recognized: None,
    }
}
