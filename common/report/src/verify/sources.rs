//! Checks that each source is accounted for: in each phase of each pass, from its first pass until it is dropped.

use std::collections::BTreeMap;

use precis_proto::SourceId;
use precis_proto::fidelity::{ContentFidelity, FidelityLevel, PassRecords, visit_of};
use precis_proto::response::ReportData;

use super::archive::hex_of;
use super::mismatch::Mismatch;
use super::verification::Verification;
use crate::ledger::PhaseVisit;

/// Checks that each source failed or has a record in each phase until it was dropped, and that its hash is the same everywhere.
pub(super) fn check(data: &ReportData, found: &mut Verification) {
    let rows: BTreeMap<&SourceId, &str> =
        data.sources.iter().filter_map(|s| Some((&s.source_id, hex_of(s.source_text_hash.as_deref()?)))).collect();
    for (source_id, hash) in &data.content_archive_hashes {
        if rows.get(source_id) != Some(&hex_of(hash)) {
            let said = rows.get(source_id).map(|hex| (*hex).to_owned());
            let archived = hex_of(hash).to_owned();
            found.mismatches.push(Mismatch::SourceHash { source_id: source_id.clone(), said, archived });
        }
    }
    for source in &data.sources {
        let missing = if source.failure.is_some() { None } else { missing_phase(data, &source.source_id) };
        match missing {
            None => found.sources_accounted += 1,
            Some(phase) => {
                found.mismatches.push(Mismatch::Unaccounted { source_id: source.source_id.clone(), phase });
            }
        }
    }
}

/// The first phase in which a source has no record; it must have one in every phase from its first pass on, until a pass drops it.
fn missing_phase(data: &ReportData, source: &SourceId) -> Option<PhaseVisit> {
    let items = items_of(&data.content_fidelity, source);
    let passes: Vec<&PassRecords> = items.iter().flat_map(|item| item.passes()).collect();
    // A source that was read has at least the record of its extraction, even if the ledger is empty.
    let Some(came) = passes.iter().map(|records| visit_of(records)).min() else {
        let phase = data.ledger.first().map_or(precis_proto::Phase::Extraction, |row| row.phase);
        return Some(PhaseVisit { visit: 0, phase });
    };
    let mut dropped: Option<u32> = None;
    for row in data.ledger.iter().filter(|row| row.visit >= came) {
        if dropped == Some(row.visit) {
            continue;
        }
        let of_pass = passes.iter().filter(|records| visit_of(records) == row.visit);
        let levels: Vec<FidelityLevel> = of_pass.filter_map(|of| of.get(&row.phase)).map(|r| r.level).collect();
        if levels.is_empty() {
            return Some(PhaseVisit { visit: row.visit, phase: row.phase });
        }
        if levels.iter().all(|level| *level == FidelityLevel::Dropped) {
            dropped = Some(row.visit);
        }
    }
    None
}

/// The records of a source itself and of its fragments (`ID#fragment-N`).
pub(super) fn items_of<'a>(
    fidelity: &'a ContentFidelity,
    source: &SourceId,
) -> Vec<&'a precis_proto::fidelity::ItemFidelity> {
    let is_of = |item: &SourceId| {
        item.as_str()
            .strip_prefix(source.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with("#fragment-"))
    };
    fidelity
        .0
        .range(source.clone()..)
        .take_while(|(item, _)| item.as_str().starts_with(source.as_str()))
        .filter(|(item, _)| is_of(item))
        .map(|(_, record)| record)
        .collect()
}

#[cfg(test)]
mod tests {
    use precis_proto::Phase;

    use super::*;
    use crate::sample::{id, response};

    #[test]
    fn a_record_is_asked_for_until_the_source_was_dropped() {
        let (report, _) = response();
        let data = report.data.expect("a report");
        assert!(data.content_fidelity.get(&id("hostile"), Phase::Compression).is_none());
        assert_eq!(missing_phase(&data, &id("hostile")), None);
        let missing = PhaseVisit { visit: 0, phase: Phase::Extraction };
        assert_eq!(missing_phase(&data, &id("nobody")), Some(missing));
    }
}
