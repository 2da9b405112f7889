//! What enters a phase: the sources that are still readable, and the level and tokens of each after the previous phase.

use precis_proto::fidelity::{FidelityLevel, FidelityRecord};
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId};

/// Tokens of `source` that left the last phase before `phase`; 0 if it was dropped or never read.
#[must_use]
pub fn carried_tokens(state: &SessionState, source: &SourceId, phase: Phase) -> u64 {
    left(state, source, phase).1
}

/// Level and tokens of `source` when it left the last phase before `phase`.
pub(super) fn left(state: &SessionState, source: &SourceId, phase: Phase) -> (FidelityLevel, u64) {
    if let Some(record) = last_record(state, source, phase) {
        return (record.level, record.tokens_after);
    }
    let unrecorded = state.source(source).and_then(|source| unrecorded_entry(state, source, phase));
    unrecorded.unwrap_or((FidelityLevel::Dropped, 0))
}

fn last_record<'s>(state: &'s SessionState, source: &SourceId, phase: Phase) -> Option<&'s FidelityRecord> {
    let phases = &state.content_fidelity.0.get(source)?.phases;
    phases.range(..phase).next_back().map(|(_, record)| record)
}

/// Level and tokens with which a source enters `phase` if no earlier phase has a record of it: the state predates records, or they were
/// unreadable. Its reduction is carried, else its whole text; nothing if it has no text or is listed as dropped. `None` up to extraction,
/// which produces the text.
pub(crate) fn unrecorded_entry(state: &SessionState, source: &Source, phase: Phase) -> Option<(FidelityLevel, u64)> {
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

/// The sources that have a text and were not dropped by an earlier phase, in order.
pub(super) fn readable(state: &SessionState) -> Vec<SourceId> {
    let gone = |id: &SourceId| {
        last_record(state, id, state.phase).is_some_and(|record| record.level == FidelityLevel::Dropped)
    };
    let readable = state.sources.iter().filter(|source| source.text.is_some() && !gone(&source.source_id));
    readable.map(|source| source.source_id.clone()).collect()
}

/// Whether the caller marked `source` as protected, to be quoted in any case.
pub(super) fn is_protected(state: &SessionState, source: &SourceId) -> bool {
    state.source(source).is_some_and(|source| source.protected)
}
