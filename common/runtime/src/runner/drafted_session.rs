//! The first state of a session, built from its request. Pure: keeps and publishes nothing.

use precis_proto::account::Account;
use precis_proto::prior::Prior;
use precis_proto::request::{RequestOptions, RequestSource, ResearchRequest};
use precis_proto::source::{ContentRef, Origin, Source};
use precis_proto::state::{STATE_SCHEMA_VERSION, SessionState};
use precis_proto::{DocumentFormat, Phase, Timestamp};

/// Builds the state before its texts are in the content store. It already has its final size: each text has a placeholder reference.
pub(super) fn draft_state(
    now: Timestamp,
    request: &ResearchRequest,
    prior: &Prior,
    request_hash: &str,
    reply_to: Option<&str>,
) -> SessionState {
    // The caller chooses the number of seconds: too many must not overflow.
    let in_ms = |s: u64| i64::try_from(s).unwrap_or(i64::MAX).saturating_mul(1_000);
    SessionState {
        schema_version: STATE_SCHEMA_VERSION,
        session_id: request.session_id.clone(),
        revision: 1,
        life: None,
        phase: Phase::first(request.options.research.is_some()),
        epoch: 0,
        query: request.query.clone(),
        options: request.options.clone(),
        reply_to: reply_to.map(str::to_owned),
        request_hash: request_hash.to_owned(),
        created_at: now,
        deadline: request.options.deadline_seconds.map(|s| now.plus_ms(in_ms(s))),
        prior: (!prior.is_empty()).then(|| ContentRef::from_bytes(b"")),
        account: Account::default(),
        stop_requested: false,
        sources: request.sources.iter().map(drafted_source).collect(),
        findings: Vec::new(),
        draft: None,
        answer: None,
        writer_reads: None,
        meaning: None,
        phases: Vec::new(),
        warnings: Vec::new(),
        ledger: Vec::new(),
        calls: Vec::new(),
        gathered: std::collections::BTreeMap::new(),
        content_fidelity: precis_proto::fidelity::ContentFidelity::default(),
        dropped_content_ids: Vec::new(),
        content_archive_hashes: std::collections::BTreeMap::new(),
        raw_notes: Vec::new(),
        token_usage: Vec::new(),
        pages: precis_proto::state::Pages::default(),
        visit: 0,
        research: None,
    }
}

fn drafted_source(source: &RequestSource) -> Source {
    let is_given = source.content.is_some() || source.content_base64.is_some();
    // A PDF takes precedence over the page about it.
    let address = source.pdf_url.as_ref().or(source.url.as_ref());
    let origin = match (is_given, &source.content_ref, address) {
        (true, ..) => Origin::Content(ContentRef::from_bytes(b"")),
        (false, Some(content), _) => Origin::Content(content.clone()),
        (false, None, Some(address)) => Origin::Url(address.clone()),
        (false, None, None) => unreachable!("checked before"),
    };
    let is_pdf = matches!(origin, Origin::Url(_)) && source.pdf_url.is_some();
    Source {
        source_id: source.source_id.clone(),
        title: source.title.clone(),
        url: source.url.clone().or_else(|| source.pdf_url.clone()),
        origin,
        content_type: if is_pdf { Some(DocumentFormat::Pdf.mime().to_owned()) } else { source.content_type.clone() },
        quality: source.quality,
        published_at: source.published_at,
        protected: source.protected,
        relevance: None,
        text: None,
        reduction: None,
        failure: None,
        snippet: source.snippet.clone(),
        path: None,
        found_by: Vec::new(),
        vectors_by: None,
    }
}

/// Moves the earlier context out of the options.
pub(super) fn prior(options: &mut RequestOptions) -> Prior {
    Prior {
        project_context: std::mem::take(&mut options.project_context),
        context: std::mem::take(&mut options.prior_context),
        history: std::mem::take(&mut options.history),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_pdf_precedes_its_page_and_given_sources_precede_both() {
        let (page, pdf) = ("https://a.example/1", "https://a.example/1.pdf");
        let given = ContentRef::from_bytes(b"text");
        let cases = [
            (json!({ "url": page }), Origin::Url(page.to_owned()), page, None),
            (json!({ "url": page, "pdf_url": pdf }), Origin::Url(pdf.to_owned()), page, Some("application/pdf")),
            (json!({ "pdf_url": pdf }), Origin::Url(pdf.to_owned()), pdf, Some("application/pdf")),
            (json!({ "url": page, "pdf_url": pdf, "content_ref": given }), Origin::Content(given.clone()), page, None),
        ];
        for (fields, origin, url, content_type) in cases {
            let mut source = json!({ "source_id": "a" });
            source.as_object_mut().expect("an object").extend(fields.as_object().cloned().unwrap_or_default());
            let source: RequestSource =
                serde_json::from_value::<RequestSource>(Value::clone(&source)).expect("a source");
            let drafted = drafted_source(&source);
            assert_eq!((&drafted.origin, drafted.url.as_deref()), (&origin, Some(url)));
            assert_eq!(drafted.content_type.as_deref(), content_type, "{origin:?}");
        }
    }
}
