//! Records of what each phase did, against each other and against what else the report says of a source.
//!
//! The sums of the ledger are checked in [`crate::ledger`]; here each record is followed from phase to phase, so that none can be
//! changed without one beside it.

use std::collections::BTreeSet;

use precis_proto::fidelity::{FidelityLevel, FidelityRecord, ItemFidelity};
use precis_proto::response::ReportData;
use precis_proto::source::DUPLICATE;
use precis_proto::{Phase, SourceId};

use super::{Mismatch, RecordFault, items_of};

/// Checks the records of each item, those of each source, and the list of what was dropped.
pub(super) fn check(data: &ReportData, mismatches: &mut Vec<Mismatch>) {
    for (item, fidelity) in &data.content_fidelity.0 {
        let fault = chain(fidelity).or_else(|| text(data, item, fidelity));
        mismatches.extend(fault.map(|(phase, fault)| Mismatch::Record { source_id: item.clone(), phase, fault }));
    }
    check_dropped(data, mismatches);
}

/// The first record that does not follow on the one before it.
fn chain(item: &ItemFidelity) -> Option<(Phase, RecordFault)> {
    let mut earlier: Option<&FidelityRecord> = None;
    for (phase, record) in &item.phases {
        if let Some(fault) = alone(*phase, record).or_else(|| follows(earlier?, record)) {
            return Some((*phase, fault));
        }
        earlier = Some(record);
    }
    None
}

/// Why a record cannot be right whatever stands beside it.
fn alone(phase: Phase, record: &FidelityRecord) -> Option<RecordFault> {
    let FidelityRecord { level, tokens_before: before, tokens_after: after, .. } = *record;
    let of_extraction = matches!(level, FidelityLevel::Raw | FidelityLevel::Truncated | FidelityLevel::Dropped);
    match () {
        () if phase == Phase::Extraction && !of_extraction => Some(RecordFault::NotOfExtraction { level }),
        () if level == FidelityLevel::Dropped && after > 0 => Some(RecordFault::KeptDropped { after }),
        () if after > before => Some(RecordFault::Grown { before, after }),
        () => None,
    }
}

fn follows(earlier: &FidelityRecord, record: &FidelityRecord) -> Option<RecordFault> {
    let (before, left) = (record.tokens_before, earlier.tokens_after);
    match () {
        () if earlier.level == FidelityLevel::Dropped => Some(RecordFault::AfterDropped),
        () if before != left => Some(RecordFault::Gap { before, left }),
        // What was shortened once is not whole again; how far down each other level is, depends on the text.
        () if record.level == FidelityLevel::Raw && earlier.level != FidelityLevel::Raw => {
            Some(RecordFault::Risen { now: record.level, earlier: earlier.level })
        }
        () => None,
    }
}

/// Extraction leaves the tokens of the text, which the row of the source states.
fn text(data: &ReportData, item: &SourceId, fidelity: &ItemFidelity) -> Option<(Phase, RecordFault)> {
    let source = data.sources.iter().find(|s| s.source_id == *item && s.failure.is_none())?;
    let record = fidelity.phases.get(&Phase::Extraction)?;
    let fault = RecordFault::OtherText { after: record.tokens_after, tokens: source.tokens };
    (record.level != FidelityLevel::Dropped && record.tokens_after != source.tokens)
        .then_some((Phase::Extraction, fault))
}

/// Listed is what a record dropped and what could not be read, and nothing else.
fn check_dropped(data: &ReportData, mismatches: &mut Vec<Mismatch>) {
    let listed: BTreeSet<&SourceId> = data.dropped_content_ids.iter().collect();
    let failed = |id: &SourceId| {
        data.sources.iter().any(|s| s.source_id == *id && s.failure.as_ref().is_some_and(|f| f.code != DUPLICATE))
    };
    for source_id in listed.iter().copied().filter(|id| !failed(id) && is_dropped(data, id) != Some(true)) {
        mismatches.push(Mismatch::ListedDropped { source_id: source_id.clone() });
    }
    let gone = |id: &SourceId| failed(id) || is_dropped(data, id) == Some(true);
    for source in data.sources.iter().filter(|s| gone(&s.source_id) && !listed.contains(&s.source_id)) {
        mismatches.push(Mismatch::UnlistedDropped { source_id: source.source_id.clone() });
    }
}

/// Whether the last record of a source, or of each of its fragments, drops it; `None` where it has none.
fn is_dropped(data: &ReportData, source: &SourceId) -> Option<bool> {
    let items = items_of(&data.content_fidelity, source);
    let mut last = items.iter().filter_map(|item| item.phases.last_key_value()).peekable();
    last.peek()?;
    Some(last.all(|(_, record)| record.level == FidelityLevel::Dropped))
}
