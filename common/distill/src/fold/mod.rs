//! Folding: what a phase makes of its jobs' outcomes. State and outcomes in, state with its records out; pure.
//!
//! Each phase writes one fidelity record per source. The tokens that enter a phase are the tokens that left the one before, so
//! the ledger is nothing but the sums of these records.

mod compression;
mod digest;
mod extraction;
mod summarization;
mod synthesis;
mod visit;

pub use compression::{compression, unquoted_protected};
pub use digest::digest;
pub use extraction::{NOT_FETCHED, extraction};
pub use summarization::{summarization, unmet};
pub use synthesis::{carried_findings, synthesis, with_protected};
pub use visit::{begin_visit, first_visit};

use precis_proto::fidelity::{FidelityLevel, FidelityReason, FidelityRecord};
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_proto::warning::{Warning, WarningCode};
use precis_proto::{Phase, SourceId, Timestamp};

/// Tokens of `source` that left the last phase before `phase`; 0 where it was dropped, or never read.
#[must_use]
pub fn carried(state: &SessionState, source: &SourceId, phase: Phase) -> u64 {
    left(state, source, phase).1
}

/// Level and tokens of `source` when it left the last phase before `phase`.
fn left(state: &SessionState, source: &SourceId, phase: Phase) -> (FidelityLevel, u64) {
    if let Some(record) = last_record(state, source, phase) {
        return (record.level, record.tokens_after);
    }
    let unrecorded = state.source(source).and_then(|source| unrecorded(state, source, phase));
    unrecorded.unwrap_or((FidelityLevel::Dropped, 0))
}

fn last_record<'s>(state: &'s SessionState, source: &SourceId, phase: Phase) -> Option<&'s FidelityRecord> {
    let phases = &state.content_fidelity.0.get(source)?.phases;
    phases.range(..phase).next_back().map(|(_, record)| record)
}

/// Level and tokens a source enters `phase` with, where no phase before it has a record of the source: its state was written
/// before there were records, or they could not be read. What it was reduced to is carried, else its whole text; nothing where
/// it has none or is listed as dropped. `None` up to extraction, which is what gives a source its text.
pub(crate) fn unrecorded(state: &SessionState, source: &Source, phase: Phase) -> Option<(FidelityLevel, u64)> {
    if phase <= Phase::Extraction {
        return None;
    }
    let text = source.text.as_ref().filter(|_| !state.dropped_content_ids.contains(&source.source_id));
    Some(match (text, &source.reduction) {
        (None, _) => (FidelityLevel::Dropped, 0),
        (Some(_), Some(reduction)) => (reduction.level, reduction.tokens),
        (Some(text), None) => (FidelityLevel::Raw, text.tokens),
    })
}

/// The sources that have a text and that no phase before this one says it has dropped, in their order.
fn readable(state: &SessionState) -> Vec<SourceId> {
    let gone = |id: &SourceId| {
        last_record(state, id, state.phase).is_some_and(|record| record.level == FidelityLevel::Dropped)
    };
    let readable = state.sources.iter().filter(|source| source.text.is_some() && !gone(&source.source_id));
    readable.map(|source| source.source_id.clone()).collect()
}

/// A record of `phase` that starts from what the phase before left.
fn record(state: &SessionState, source: &SourceId, level: FidelityLevel, after: u64, now: Timestamp) -> FidelityRecord {
    let before = carried(state, source, state.phase);
    FidelityRecord {
        level,
        reason: None,
        warnings: Vec::new(),
        timestamp: now,
        tokens_before: before,
        tokens_after: after.min(before),
        tokens_duplicate: 0,
        visit: state.visit,
    }
}

/// The record of a source that goes through unchanged: same level as before, same tokens.
fn unchanged(state: &SessionState, source: &SourceId, now: Timestamp) -> FidelityRecord {
    let (level, _) = left(state, source, state.phase);
    record(state, source, level, u64::MAX, now)
}

/// Why a source goes no further.
struct DropReason {
    /// `None` where the note alone says why.
    reason: Option<FidelityReason>,
    /// In the record of the source.
    note: String,
}

impl DropReason {
    fn new(reason: impl Into<Option<FidelityReason>>, note: impl Into<String>) -> Self {
        Self { reason: reason.into(), note: note.into() }
    }
}

/// Drops `source` in the current phase and says so: `code` and `message` are what the session's warning tells.
fn leave_out(
    state: &mut SessionState,
    source: &SourceId,
    loss: &DropReason,
    told: (WarningCode, &str),
    now: Timestamp,
) {
    let (code, message) = told;
    state.warn(Warning::new(code, state.phase, message).about(source));
    drop_source(state, source, loss, now);
}

fn is_protected(state: &SessionState, source: &SourceId) -> bool {
    state.source(source).is_some_and(|source| source.protected)
}

/// Records a protected source that was read and of which nothing is quoted, and says so with `code` unless that was said before: it was
/// not left out, and nothing of it goes on.
fn read_unquoted(state: &mut SessionState, source: &SourceId, why: &str, code: Option<WarningCode>, now: Timestamp) {
    let message = format!("protected, read, and nothing of it is quoted: {why}");
    if let Some(code) = code {
        // Nothing was left out of what was read.
        let code = if code == WarningCode::ContentDropped { WarningCode::ContentTruncated } else { code };
        state.warn(Warning::new(code, state.phase, &message).about(source));
    }
    let mut unquoted = record(state, source, FidelityLevel::Headline, 0, now);
    unquoted.warnings.push(message);
    let phase = state.phase;
    state.content_fidelity.record(source, phase, unquoted);
}

/// Marks `source` as dropped in the current phase.
fn drop_source(state: &mut SessionState, source: &SourceId, loss: &DropReason, now: Timestamp) {
    let mut dropped = record(state, source, FidelityLevel::Dropped, 0, now);
    dropped.reason = loss.reason;
    dropped.warnings.push(loss.note.clone());
    let phase = state.phase;
    state.content_fidelity.record(source, phase, dropped);
    if !state.dropped_content_ids.contains(source) {
        state.dropped_content_ids.push(source.clone());
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use precis_proto::fidelity::ContentFidelity;
    use precis_proto::source::{ContentRef, Origin, ReductionRef, Source, SourceText};
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
            relevance: 0.0,
            text: Some(SourceText { content, chars: tokens * 4, tokens, pages: 0, blocks: None }),
            reduction: None,
            failure: None,
            path: None,
            found_by: Vec::new(),
        }
    }

    #[test]
    fn what_enters_a_phase_is_what_left_the_one_before() {
        let mut state = session(Phase::Digest, &[100]);
        let id = state.sources[0].source_id.clone();
        assert_eq!(carried(&state, &id, Phase::Digest), 100);
        let shorter = record(&state, &id, FidelityLevel::Digest, 30, Timestamp(1));
        assert_eq!((shorter.tokens_before, shorter.tokens_after), (100, 30));
        state.content_fidelity.record(&id, Phase::Digest, shorter);
        state.phase = Phase::Compression;
        assert_eq!(unchanged(&state, &id, Timestamp(2)).tokens_after, 30);
        assert_eq!(left(&state, &id, state.phase).0, FidelityLevel::Digest);
        assert_eq!(carried(&state, &id, Phase::Extraction), 0);
    }

    #[test]
    fn a_source_without_a_record_enters_as_what_the_session_has_of_it() {
        let mut state = session(Phase::Compression, &[100, 100, 100, 100]);
        state.content_fidelity = ContentFidelity::default();
        let reduction =
            ReductionRef { content: ContentRef::from_bytes(b"r"), level: FidelityLevel::KeyPoints, tokens: 25 };
        state.sources[1].reduction = Some(reduction);
        state.sources[2].text = None;
        state.dropped_content_ids.push(state.sources[3].source_id.clone());
        let cases = [
            (FidelityLevel::Raw, 100),
            (FidelityLevel::KeyPoints, 25),
            (FidelityLevel::Dropped, 0),
            (FidelityLevel::Dropped, 0),
        ];
        for (source, expected) in state.sources.iter().zip(cases) {
            let record = unchanged(&state, &source.source_id, Timestamp(0));
            assert_eq!((record.level, record.tokens_before), expected, "{}", source.source_id);
            assert_eq!(record.tokens_after, record.tokens_before);
            assert_eq!(carried(&state, &source.source_id, Phase::Extraction), 0, "extraction comes before any text");
        }
    }

    #[test]
    fn nothing_leaves_a_phase_that_did_not_enter_it() {
        let state = session(Phase::Compression, &[10]);
        let grown = record(&state, &state.sources[0].source_id, FidelityLevel::Condensed, 99, Timestamp(0));
        assert_eq!(grown.tokens_after, 10);
    }
}
