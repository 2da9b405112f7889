//! Whether a report says the truth about its archive, decided from the two alone.
//!
//! It reads texts by the hash they are archived under and shares no record with the code that wrote the report. What it
//! refuses to judge: whether a quote supports the statement in front of it (see [`crate::groundedness`]).

mod citation;
mod mismatch;

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::SourceId;
use precis_proto::fidelity::{ContentFidelity, FidelityLevel};
use precis_proto::ids::sha256_hex;
use precis_proto::response::{RESPONSE_VERSION, ReportData, Response};

use crate::ledger;
use crate::report::marks::marks;

pub use mismatch::{Mismatch, MismatchKind};

/// What came of checking a report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// Everything that is not as the report says, in a fixed order; empty where the report holds.
    pub mismatches: Vec<Mismatch>,
    /// Citations whose text is what the archive holds at their locator.
    pub citations_proved: usize,
    /// Archived texts that hash to their name.
    pub texts_proved: usize,
    /// Ledger rows that were checked.
    pub ledger_rows: usize,
    /// Sources whose whereabouts in each ledger phase are on record.
    pub sources_accounted: usize,
}

impl Verification {
    /// Whether the report holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.mismatches.is_empty()
    }

    /// The first mismatch of each kind, and how many there are of it.
    #[must_use]
    pub fn first_of_each_kind(&self) -> Vec<(&Mismatch, usize)> {
        let mut kinds: Vec<(&Mismatch, usize)> = Vec::new();
        for mismatch in &self.mismatches {
            match kinds.iter_mut().find(|(first, _)| first.kind() == mismatch.kind()) {
                Some((_, count)) => *count += 1,
                None => kinds.push((mismatch, 1)),
            }
        }
        kinds
    }
}

/// Checks `report` against `archive`, which gives the bytes filed under the 64 hexadecimal digits of a hash.
#[must_use]
pub fn verify(report: &Response, archive: &dyn Fn(&str) -> Option<Vec<u8>>) -> Verification {
    let mut found = Verification::default();
    if report.meta.version != RESPONSE_VERSION {
        found.mismatches.push(Mismatch::Version { found: report.meta.version.clone() });
    }
    let Some(data) = report.data.as_ref().filter(|_| report.success) else {
        found.mismatches.push(Mismatch::NoReport);
        return found;
    };
    let texts = texts(data, archive, &mut found);
    citation::check(data, &texts, &mut found);
    check_marks(data, &mut found.mismatches);
    found.ledger_rows = data.ledger.len();
    if let Err(fault) = ledger::check(&data.ledger) {
        found.mismatches.push(Mismatch::Ledger(fault));
    }
    check_sources(data, &mut found);
    found
}

/// Checks a report as it was read from JSON; one that does not read as a report is one mismatch.
#[must_use]
pub fn verify_value(report: &serde_json::Value, archive: &dyn Fn(&str) -> Option<Vec<u8>>) -> Verification {
    use serde::Deserialize;
    match Response::deserialize(report) {
        Ok(report) => verify(&report, archive),
        Err(error) => Verification {
            mismatches: vec![Mismatch::Unreadable { message: error.to_string() }],
            ..Verification::default()
        },
    }
}

/// The 64 digits of a hash, with or without its `sha256:`; what is no hash stays as it is and names no file.
#[must_use]
pub fn hex_of(hash: &str) -> &str {
    hash.strip_prefix("sha256:").unwrap_or(hash)
}

/// Archived texts by hash: those the report cites, and those it says are archived.
type Texts = BTreeMap<String, Option<String>>;

fn texts(data: &ReportData, archive: &dyn Fn(&str) -> Option<Vec<u8>>, found: &mut Verification) -> Texts {
    let archived = data.content_archive_hashes.values();
    let cited = data.citations.iter().map(|c| &c.source_text_hash);
    let wanted: BTreeSet<&str> = archived.chain(cited).map(|hash| hex_of(hash)).collect();
    let mut texts = Texts::new();
    for hex in wanted {
        let Some(bytes) = archive(hex) else {
            found.mismatches.push(Mismatch::NotArchived { hex: hex.to_owned() });
            continue;
        };
        let actual = sha256_hex(&bytes);
        if actual == hex {
            found.texts_proved += 1;
        } else {
            found.mismatches.push(Mismatch::TextHash { hex: hex.to_owned(), actual });
        }
        texts.insert(hex.to_owned(), String::from_utf8(bytes).ok());
    }
    texts
}

/// Each mark has a citation, each citation a mark, and the numbers are 1, 2, 3 and so on.
fn check_marks(data: &ReportData, mismatches: &mut Vec<Mismatch>) {
    let used: BTreeSet<u32> = marks(&data.report).iter().map(|m| m.n).collect();
    let known: BTreeSet<u32> = data.citations.iter().map(|c| c.n).collect();
    mismatches.extend(used.difference(&known).map(|n| Mismatch::NoCitation { n: *n }));
    mismatches.extend(known.difference(&used).map(|n| Mismatch::Unused { n: *n }));
    let numbered = data.citations.iter().zip(1_u32..).find(|(citation, want)| citation.n != *want);
    mismatches.extend(numbered.map(|(citation, want)| Mismatch::Numbering { n: citation.n, want }));
}

/// Each source failed, or has a record in each phase of the ledger until it was dropped; its hash is the same everywhere.
fn check_sources(data: &ReportData, found: &mut Verification) {
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

fn missing_phase(data: &ReportData, source: &SourceId) -> Option<precis_proto::Phase> {
    let items = items_of(&data.content_fidelity, source);
    for row in &data.ledger {
        let levels: Vec<FidelityLevel> =
            items.iter().filter_map(|item| item.phases.get(&row.phase)).map(|record| record.level).collect();
        if levels.is_empty() {
            return Some(row.phase);
        }
        if levels.iter().all(|level| *level == FidelityLevel::Dropped) {
            return None;
        }
    }
    None
}

/// Records of a source itself and of its fragments (`ID#fragment-N`).
fn items_of<'a>(fidelity: &'a ContentFidelity, source: &SourceId) -> Vec<&'a precis_proto::fidelity::ItemFidelity> {
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
mod tests;
