//! Whether a report says the truth about its archive, decided from the two alone.
//!
//! It reads texts by the hash they are archived under and shares no record with the code that wrote the report. What it
//! refuses to judge: whether a quote supports the statement in front of it (see [`crate::groundedness`]), unless the built-in model
//! wrote it, whose statements are their quotes.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `citation` | a citation against its archived text |
//! | `claims` | the statements of a model against text and counts |
//! | `law` | a quote against the blocks of its text |
//! | `records` | ledger, records and dropped ids against each other |
//! | `research` | the numbers of a research against each other |
//! | `statements` | what the report says against its quotes |
//! | `rendering` | the pages beside the report against its data |
//! | `mismatch` | what can be wrong, each in one line |

mod citation;
mod claims;
mod law;
mod mismatch;
mod records;
mod rendering;
mod research;
mod statements;

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::Block;
use precis_proto::SourceId;
use precis_proto::fidelity::{ContentFidelity, FidelityLevel, PassRecords, visit_of};
use precis_proto::ids::sha256_hex;
use precis_proto::response::{RESPONSE_VERSION, ReportData, Response};
use precis_proto::seal::seal;

use crate::ledger::{self, PhaseVisit};
use crate::report::marks::marks;

pub use mismatch::{Mismatch, MismatchKind, RecordFault};
pub use rendering::{compare_rendering, is_rendered_by};

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
    /// Sources for which each ledger phase has a record.
    pub sources_accounted: usize,
    /// Statements that are one of their quotes; `None` where a model wrote the report, whose words are its own.
    pub statements_proved: Option<usize>,
    /// Statements of a model that have a verdict; the counts of these were counted again.
    pub statements_judged: usize,
    /// Sentences without a citation.
    pub sentences_uncited: usize,
    /// Whether the seal is that of the data; `None` where an older version wrote the report without one.
    pub is_sealed: Option<bool>,
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

/// What lies in an archive, each by the 64 hexadecimal digits of a text's hash.
#[derive(Clone, Copy)]
pub struct ArchiveReader<'a> {
    /// The bytes filed under it.
    pub text: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    /// The structure of that text; `None` where it is not known, and the law of quotes is not checked.
    pub blocks: &'a dyn Fn(&str) -> Option<Vec<Block>>,
}

impl std::fmt::Debug for ArchiveReader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Archive").finish_non_exhaustive()
    }
}

/// Checks `report` against `archive`.
#[must_use]
pub fn verify(report: &Response, archive: ArchiveReader<'_>) -> Verification {
    judge(report, report.data.as_ref().and_then(seal), archive)
}

/// Checks a report as it was read from JSON; one that does not read as a report is one mismatch. The seal covers fields that this
/// version does not know, too.
#[must_use]
pub fn verify_value(report: &serde_json::Value, archive: ArchiveReader<'_>) -> Verification {
    use serde::Deserialize;
    match Response::deserialize(report) {
        Ok(read) => judge(&read, report.get("data").and_then(seal), archive),
        Err(error) => Verification {
            mismatches: vec![Mismatch::Unreadable { message: error.to_string() }],
            ..Verification::default()
        },
    }
}

fn judge(report: &Response, actual_seal: Option<String>, archive: ArchiveReader<'_>) -> Verification {
    let mut found = Verification::default();
    if report.meta.version != RESPONSE_VERSION {
        found.mismatches.push(Mismatch::Version { found: report.meta.version.clone() });
    }
    let Some(data) = report.data.as_ref().filter(|_| report.success) else {
        found.mismatches.push(Mismatch::NoReport);
        return found;
    };
    check_seal(report, data, actual_seal.unwrap_or_default(), &mut found);
    let texts = texts(data, archive.text, &mut found);
    citation::check(data, &texts, &mut found);
    law::check(data, &texts, archive.blocks, &mut found.mismatches);
    check_marks(data, &mut found.mismatches);
    statements::check(data, &mut found);
    claims::check(data, &texts, &mut found.mismatches);
    found.statements_judged = data.claims.len();
    found.ledger_rows = data.ledger.len();
    let ledger = ledger::check(&data.ledger).and_then(|()| ledger::check_records(&data.ledger, &data.content_fidelity));
    found.mismatches.extend(ledger.err().map(Mismatch::Ledger));
    records::check(data, &mut found.mismatches);
    found.mismatches.extend(data.research.iter().flat_map(research::check));
    found.mismatches.extend(research::check_passes(data));
    check_sources(data, &mut found);
    found
}

/// A version that says when it wrote the report seals it, too: there a seal that is missing was taken away.
fn check_seal(report: &Response, data: &ReportData, actual: String, found: &mut Verification) {
    found.is_sealed = match &report.seal {
        Some(said) => Some(*said == actual),
        None => data.generated.as_ref().map(|_| false),
    };
    match &report.seal {
        Some(said) if *said != actual => found.mismatches.push(Mismatch::Seal { said: said.clone(), actual }),
        None if data.generated.is_some() => found.mismatches.push(Mismatch::NoSeal),
        _ => {}
    }
}

/// The 64 digits of a hash, with or without its `sha256:`; what is no hash stays as it is and names no file.
#[must_use]
pub fn hex_of(hash: &str) -> &str {
    hash.strip_prefix("sha256:").unwrap_or(hash)
}

/// Archived texts by hash: those the report cites, and those it says are archived.
type TextsByHash = BTreeMap<String, Option<String>>;

fn texts(data: &ReportData, archive: &dyn Fn(&str) -> Option<Vec<u8>>, found: &mut Verification) -> TextsByHash {
    let archived = data.content_archive_hashes.values();
    let cited = data.citations.iter().map(|c| &c.source_text_hash);
    let wanted: BTreeSet<&str> = archived.chain(cited).map(|hash| hex_of(hash)).collect();
    let mut texts = TextsByHash::new();
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

/// The first phase of a pass in which a source is missing: it is in every pass from the one it came in, until it is dropped there.
fn missing_phase(data: &ReportData, source: &SourceId) -> Option<PhaseVisit> {
    let items = items_of(&data.content_fidelity, source);
    let passes: Vec<&PassRecords> = items.iter().flat_map(|item| item.passes()).collect();
    // Whatever the ledger says: a source that was read has at least the record of its reading.
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
