//! Checks the records of each phase against each other and against the sources.
//!
//! [`crate::ledger`] checks the sums of the ledger; here each item is followed from phase to phase, so that no record can be changed
//! without contradicting the next one.

use std::collections::BTreeSet;

use precis_proto::fidelity::{FidelityLevel, FidelityRecord, ItemFidelity, PassRecords, visit_of};
use precis_proto::response::ReportData;
use precis_proto::source::DUPLICATE;
use precis_proto::{Phase, SourceId};

use super::mismatch::{Mismatch, RecordFault};
use super::sources::items_of;
use crate::ledger::PhaseVisit;

/// Checks the records of each item pass by pass, those of each source, and the list of dropped items.
pub(super) fn check(data: &ReportData, mismatches: &mut Vec<Mismatch>) {
    let standing = data.content_fidelity.visit();
    for (item, fidelity) in &data.content_fidelity.0 {
        let in_pass = |records: &PassRecords| chain(records).or_else(|| text(data, item, records));
        // Misfiled records come first: the checks within a pass rely on its records belonging to it.
        let fault = first_misfiled(fidelity, standing).or_else(|| fidelity.passes().into_iter().find_map(in_pass));
        mismatches.extend(fault.map(|(phase, fault)| Mismatch::Record { source_id: item.clone(), phase, fault }));
    }
    check_dropped(data, mismatches);
}

/// The first record filed under another pass than its own: all records of a pass must belong to it, each pass must occur once and in
/// order, and the current pass of all items must be `standing`.
fn first_misfiled(item: &ItemFidelity, standing: u32) -> Option<(PhaseVisit, RecordFault)> {
    let at = |phase: &Phase, record: &FidelityRecord| PhaseVisit { visit: record.visit, phase: *phase };
    let other = |records: &PassRecords, visit: u32| {
        let strange = records.iter().find(|(_, record)| record.visit != visit);
        strange.map(|(phase, record)| at(phase, record))
    };
    let mut found = other(&item.phases, standing);
    let mut earlier = None;
    for records in &item.other_visits {
        let visit = visit_of(records);
        let is_out_of_order = earlier.is_some_and(|earlier| earlier >= visit) || visit == standing;
        let first = records.first_key_value().map(|(phase, record)| at(phase, record));
        found = found.or_else(|| other(records, visit)).or(first.filter(|_| is_out_of_order));
        earlier = Some(visit);
    }
    found.map(|at| (at, RecordFault::OtherPass))
}

/// The first record of a pass that contradicts the one before it.
fn chain(records: &PassRecords) -> Option<(PhaseVisit, RecordFault)> {
    let mut earlier: Option<&FidelityRecord> = None;
    for (phase, record) in records {
        if let Some(fault) = alone(*phase, record).or_else(|| follows(earlier?, record)) {
            return Some((PhaseVisit { visit: record.visit, phase: *phase }, fault));
        }
        earlier = Some(record);
    }
    None
}

/// Why a record is impossible on its own.
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
        // A shortened text never becomes whole again; how the other levels rank depends on the text.
        () if record.level == FidelityLevel::Raw && earlier.level != FidelityLevel::Raw => {
            Some(RecordFault::Risen { now: record.level, earlier: earlier.level })
        }
        () => None,
    }
}

/// Checks that the tokens left by extraction equal those in the source's row.
fn text(data: &ReportData, item: &SourceId, records: &PassRecords) -> Option<(PhaseVisit, RecordFault)> {
    let source = data.sources.iter().find(|s| s.source_id == *item && s.failure.is_none())?;
    let record = records.get(&Phase::Extraction)?;
    let at = PhaseVisit { visit: record.visit, phase: Phase::Extraction };
    let fault = RecordFault::OtherText { after: record.tokens_after, tokens: source.tokens };
    (record.level != FidelityLevel::Dropped && record.tokens_after != source.tokens).then_some((at, fault))
}

/// Checks that `dropped_content_ids` lists exactly the items that a record dropped or that could not be read.
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

/// Whether the last record of a source, or of each of its fragments, drops it in the current pass; `None` if it has no record in that
/// pass.
fn is_dropped(data: &ReportData, source: &SourceId) -> Option<bool> {
    let items = items_of(&data.content_fidelity, source);
    let mut last = items.iter().filter_map(|item| item.phases.last_key_value()).peekable();
    last.peek()?;
    Some(last.all(|(_, record)| record.level == FidelityLevel::Dropped))
}
