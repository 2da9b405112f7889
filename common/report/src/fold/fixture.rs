//! Sessions for tests of folding.

use precis_proto::fidelity::FidelityLevel;
use precis_proto::source::{ContentRef, Origin, Source, SourceText};
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId, Timestamp};
use serde_json::json;

use super::records::record;

/// A session in `phase` with sources of these tokens, extracted at full fidelity.
pub(crate) fn session(phase: Phase, tokens: &[u64]) -> SessionState {
    let mut state: SessionState = serde_json::from_value(json!({
        "schema_version": 2, "session_id": "s", "revision": 1, "phase": "extraction", "query": "q", "sources": []
    }))
    .expect("a state");
    for (n, tokens) in tokens.iter().enumerate() {
        let source = source(n, *tokens);
        let mut raw = record(&state, &source.source_id, FidelityLevel::Raw, 0, Timestamp(0));
        (raw.tokens_before, raw.tokens_after) = (*tokens, *tokens);
        state.content_fidelity.record(&source.source_id, Phase::Extraction, raw);
        state.sources.push(source);
    }
    state.phase = phase;
    state
}

pub(crate) fn source(n: usize, tokens: u64) -> Source {
    let content = ContentRef::from_bytes(format!("text {n}").as_bytes());
    Source {
        source_id: SourceId::new(format!("src-{n}")).expect("an id"),
        title: format!("Title {n}"),
        url: None,
        origin: Origin::Content(content.clone()),
        content_type: None,
        quality: precis_proto::source::Quality::Medium,
        published_at: None,
        protected: false,
        relevance: None,
        text: Some(SourceText { content, chars: tokens * 4, tokens, pages: 0, blocks: None }),
        reduction: None,
        failure: None,
        snippet: None,
        path: None,
        found_by: Vec::new(),
        vectors_by: None,
    }
}
