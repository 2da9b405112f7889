//! What enters a phase: the sources that can still be read, and the level and tokens the phase before left of each.

use precis_proto::fidelity::{FidelityLevel, FidelityRecord};
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId};

/// Tokens of `source` that left the last phase before `phase`; 0 where it was dropped, or never read.
#[must_use]
pub fn carried(state: &SessionState, source: &SourceId, phase: Phase) -> u64 {
    left(state, source, phase).1
}

/// Level and tokens of `source` when it left the last phase before `phase`.
pub(super) fn left(state: &SessionState, source: &SourceId, phase: Phase) -> (FidelityLevel, u64) {
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
pub(super) fn readable(state: &SessionState) -> Vec<SourceId> {
    let gone = |id: &SourceId| {
        last_record(state, id, state.phase).is_some_and(|record| record.level == FidelityLevel::Dropped)
    };
    let readable = state.sources.iter().filter(|source| source.text.is_some() && !gone(&source.source_id));
    readable.map(|source| source.source_id.clone()).collect()
}

/// Whether the caller asked that `source` be quoted.
pub(super) fn is_protected(state: &SessionState, source: &SourceId) -> bool {
    state.source(source).is_some_and(|source| source.protected)
}
