//! Begins another pass of a session through its phases: extracted texts are kept, everything after extraction is redone.
//!
//! The records of the previous pass are set aside unchanged; the new pass starts from the texts and its ledger balances on its own.

use precis_proto::fidelity::{FidelityLevel, FidelityRecord};
use precis_proto::source::Source;
use precis_proto::state::SessionState;
use precis_proto::{Phase, SourceId, Timestamp};

/// Begins a new pass: every extracted (or failed) source enters it as it left extraction, at no cost. Findings, draft and answer of the
/// previous pass are removed; digests of sources are kept. A session that had no source has no pass to set aside: it stays in its pass.
pub fn begin_visit(state: &mut SessionState, now: Timestamp) {
    // Before `stand_on`, which sets these records aside.
    let read: Vec<(SourceId, FidelityRecord)> = state.sources.iter().filter_map(|source| read(state, source)).collect();
    if !state.content_fidelity.0.is_empty() {
        state.visit += 1;
    }
    let visit = state.visit;
    state.content_fidelity.stand_on(visit);
    state.dropped_content_ids.clear();
    for (id, record) in read {
        if record.level == FidelityLevel::Dropped {
            state.dropped_content_ids.push(id.clone());
        }
        state.content_fidelity.record(&id, Phase::Extraction, FidelityRecord { timestamp: now, visit, ..record });
    }
    for source in &mut state.sources {
        // Other reductions were made for a share of the budget, which is another one now.
        source.reduction = source.reduction.take().filter(|reduction| reduction.level == FidelityLevel::Digest);
    }
    // Warnings of the previous pass are kept in its report.
    state.warnings.retain(|warning| !warning.is_of_pass());
    state.findings.clear();
    (state.draft, state.answer) = (None, None);
}

/// The pass in which `source` was added to the session; the current one if it has no record.
#[must_use]
pub fn first_visit(state: &SessionState, source: &SourceId) -> u32 {
    let item = state.content_fidelity.0.get(source);
    let visits = item.into_iter().flat_map(|item| item.passes()).map(precis_proto::fidelity::visit_of);
    visits.min().unwrap_or(state.visit)
}

/// The extraction record of a source, rebuilt if it is missing; `None` if the source was not extracted yet.
fn read(state: &SessionState, source: &Source) -> Option<(SourceId, FidelityRecord)> {
    let id = source.source_id.clone();
    if let Some(record) = state.content_fidelity.get(&id, Phase::Extraction) {
        return Some((id, record.clone()));
    }
    let (level, tokens) = match (&source.text, &source.failure) {
        (Some(text), _) => (FidelityLevel::Raw, text.tokens),
        (None, Some(_)) => (FidelityLevel::Dropped, 0),
        (None, None) => return None,
    };
    let record = FidelityRecord {
        level,
        reason: None,
        warnings: Vec::new(),
        timestamp: Timestamp(0),
        tokens_before: tokens,
        tokens_after: tokens,
        tokens_duplicate: 0,
        visit: state.visit,
    };
    Some((id, record))
}

#[cfg(test)]
mod tests;
