//! A request as the session it becomes. Decides; keeps and publishes nothing.

use precis_proto::account::Account;
use precis_proto::prior::Prior;
use precis_proto::request::{RequestOptions, RequestSource, ResearchRequest};
use precis_proto::source::{ContentRef, Origin, Source};
use precis_proto::state::{STATE_SCHEMA_VERSION, SessionState};
use precis_proto::{Phase, Timestamp};

/// The session before its texts are put into the content store: as large as it will be, with another text's name for each of them.
pub(super) fn drafted(
    now: Timestamp,
    request: &ResearchRequest,
    prior: &Prior,
    request_hash: &str,
    reply_to: Option<&str>,
) -> SessionState {
    let in_ms = |s: u64| i64::try_from(s).unwrap_or(i64::MAX).saturating_mul(1_000);
    SessionState {
        schema_version: STATE_SCHEMA_VERSION,
        session_id: request.session_id.clone(),
        revision: 1,
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
    let origin = match (is_given, &source.content_ref, &source.url) {
        (true, ..) => Origin::Content(ContentRef::from_bytes(b"")),
        (false, Some(content), _) => Origin::Content(content.clone()),
        (false, None, Some(url)) => Origin::Url(url.clone()),
        (false, None, None) => unreachable!("checked before"),
    };
    Source {
        source_id: source.source_id.clone(),
        title: source.title.clone(),
        url: source.url.clone(),
        origin,
        content_type: source.content_type.clone(),
        quality: source.quality,
        published_at: source.published_at,
        protected: source.protected,
        relevance: 0.0,
        text: None,
        reduction: None,
        failure: None,
        path: None,
        found_by: Vec::new(),
    }
}

/// What was before the session, taken out of its options.
pub(super) fn prior(options: &mut RequestOptions) -> Prior {
    Prior {
        project_context: std::mem::take(&mut options.project_context),
        context: std::mem::take(&mut options.prior_context),
        history: std::mem::take(&mut options.history),
    }
}
