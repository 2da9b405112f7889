//! Folding: what a phase makes of its jobs' outcomes. State and outcomes in, state with its records out; pure.
//!
//! Each phase writes one fidelity record per source. The tokens that enter a phase are the tokens that left the one before, so
//! the ledger is nothing but the sums of these records.

mod compression;
mod digest;
mod extraction;
mod summarization;
mod synthesis;

pub use compression::compression;
pub use digest::digest;
pub use extraction::{NOT_FETCHED, extraction};
pub use summarization::summarization;
pub use synthesis::{carried_findings, synthesis};

use precis_proto::fidelity::{ContentFidelity, FidelityLevel, FidelityReason, FidelityRecord};
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId, Timestamp};

/// Tokens of `source` that left the last phase before `phase`; 0 where it was dropped, or never read.
#[must_use]
pub fn carried(fidelity: &ContentFidelity, source: &SourceId, phase: Phase) -> u64 {
    let records = fidelity.0.get(source).map(|item| &item.phases);
    records.and_then(|r| r.range(..phase).next_back()).map_or(0, |(_, record)| record.tokens_after)
}

/// A record of `phase` that starts from what the phase before left.
fn record(state: &SessionState, source: &SourceId, level: FidelityLevel, after: u64, now: Timestamp) -> FidelityRecord {
    let before = carried(&state.content_fidelity, source, state.phase);
    FidelityRecord {
        level,
        reason: None,
        warnings: Vec::new(),
        timestamp: now,
        tokens_before: before,
        tokens_after: after.min(before),
        tokens_duplicate: 0,
    }
}

/// The record of a source that goes through unchanged: same level as before, same tokens.
fn unchanged(state: &SessionState, source: &SourceId, now: Timestamp) -> FidelityRecord {
    let level = level_before(state, source);
    record(state, source, level, u64::MAX, now)
}

/// The level `source` had when it left the phase before; dropped where there is none.
fn level_before(state: &SessionState, source: &SourceId) -> FidelityLevel {
    let records = state.content_fidelity.0.get(source).map(|item| &item.phases);
    records.and_then(|r| r.range(..state.phase).next_back()).map_or(FidelityLevel::Dropped, |(_, record)| record.level)
}

/// Marks `source` as dropped in the current phase.
fn drop_source(state: &mut SessionState, source: &SourceId, reason: FidelityReason, note: &str, now: Timestamp) {
    let mut dropped = record(state, source, FidelityLevel::Dropped, 0, now);
    dropped.reason = Some(reason);
    dropped.warnings.push(note.to_owned());
    let phase = state.phase;
    state.content_fidelity.record(source, phase, dropped);
    if !state.dropped_content_ids.contains(source) {
        state.dropped_content_ids.push(source.clone());
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use precis_proto::source::{ContentRef, Origin, Source, SourceText};
    use serde_json::json;

    use super::*;

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
        let content = ContentRef::of(format!("text {n}").as_bytes());
        Source {
            source_id: SourceId::new(format!("src-{n}")).expect("an id"),
            title: format!("Title {n}"),
            url: None,
            origin: Origin::Content(content.clone()),
            content_type: None,
            quality: precis_proto::source::Quality::Medium,
            published_at: None,
            protected: false,
            relevance: 0.0,
            text: Some(SourceText { content, chars: tokens * 4, tokens, pages: 0 }),
            reduction: None,
            failure: None,
        }
    }

    #[test]
    fn what_enters_a_phase_is_what_left_the_one_before() {
        let mut state = session(Phase::Digest, &[100]);
        let id = state.sources[0].source_id.clone();
        assert_eq!(carried(&state.content_fidelity, &id, Phase::Digest), 100);
        let shorter = record(&state, &id, FidelityLevel::Digest, 30, Timestamp(1));
        assert_eq!((shorter.tokens_before, shorter.tokens_after), (100, 30));
        state.content_fidelity.record(&id, Phase::Digest, shorter);
        state.phase = Phase::Compression;
        assert_eq!(unchanged(&state, &id, Timestamp(2)).tokens_after, 30);
        assert_eq!(level_before(&state, &id), FidelityLevel::Digest);
        assert_eq!(carried(&state.content_fidelity, &id, Phase::Extraction), 0);
    }

    #[test]
    fn nothing_leaves_a_phase_that_did_not_enter_it() {
        let state = session(Phase::Compression, &[10]);
        let grown = record(&state, &state.sources[0].source_id, FidelityLevel::Condensed, 99, Timestamp(0));
        assert_eq!(grown.tokens_after, 10);
    }
}
