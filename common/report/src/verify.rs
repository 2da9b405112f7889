//! Proves a report against its archive, using nothing but the two.
//!
//! Verification reads texts by the hash they are archived under and shares no record with the code that wrote the report. It does not
//! judge whether a quote supports the statement in front of it (see [`crate::groundedness`]), except for reports of the built-in model,
//! whose statements are their quotes.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `archive` | the texts of an archive by their hash |
//! | `citation` | a citation against its archived text |
//! | `claims` | the statements of a model against text and counts |
//! | `computed` | what was computed against the cells it rests on |
//! | `digests` | the digest of a source against its archived text |
//! | `judgement` | the form of a model's judgement of the whole report |
//! | `law`, `lead_in` | a quote against the blocks of its text; what an item may not stand without |
//! | `records` | ledger, records and dropped ids, checked against each other |
//! | `research` | the numbers of a research, checked against each other |
//! | `sources` | each source in each phase of each pass |
//! | `statements` | the statements of the report against its quotes |
//! | `rendering` | the files rendered next to the report against its data |
//! | `mismatch` | everything that can be wrong, each as one line |
//! | `verification` | the result |

mod archive;
mod citation;
mod claims;
mod computed;
mod digests;
mod judgement;
mod law;
mod lead_in;
mod mismatch;
mod records;
mod rendering;
mod research;
mod sources;
mod statements;
mod verification;

use std::collections::BTreeSet;

use precis_proto::response::{RESPONSE_VERSION, ReportData, Response};
use precis_proto::seal::seal;

use crate::draft::marks::marks;
use crate::ledger;

pub use archive::{ArchiveReader, hex_of};
pub use mismatch::{Mismatch, MismatchKind, RecordFault};
pub use rendering::{compare_rendering, is_rendered_by};
pub use verification::Verification;

/// Checks `report` against `archive`.
#[must_use]
pub fn verify(report: &Response, archive: ArchiveReader<'_>) -> Verification {
    judge(report, report.data.as_ref().and_then(seal), archive)
}

/// Checks a report as read from JSON; a value that is not a report gives one mismatch. The seal is computed from the JSON, so that it
/// also covers fields unknown to this version.
#[must_use]
pub fn verify_value(report: &serde_json::Value, archive: ArchiveReader<'_>) -> Verification {
    match Response::from_json(report) {
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
    // First: it reports every missing text once, and the checks below skip texts that are missing.
    let texts = archive::texts(data, archive.text, &mut found);
    citation::check(data, &texts, &mut found);
    computed::check(data, &texts, &mut found.mismatches);
    digests::check(data, &texts, &mut found.mismatches);
    law::check(data, &texts, archive.blocks, &mut found.mismatches);
    check_marks(data, &mut found.mismatches);
    statements::check(data, &mut found);
    claims::check(data, &texts, &mut found.mismatches);
    // After everything that reads texts.
    found.mismatches.extend(texts.changed_texts());
    judgement::check(data, &mut found.mismatches);
    found.statements_judged = data.claims.len();
    found.mismatches.extend(data.research.iter().flat_map(research::check));
    found.mismatches.extend(research::check_passes(data));
    // A report that claims to have no account but has one is checked all the same: readers would take its numbers as true.
    found.is_accounted = data.session.token_management_enabled || has_account(data);
    if found.is_accounted {
        check_account(data, &mut found);
    }
    found
}

fn has_account(data: &ReportData) -> bool {
    !(data.ledger.is_empty() && data.content_fidelity.0.is_empty() && data.dropped_content_ids.is_empty())
}

/// Checks ledger, records and dropped ids against each other, and each source in each phase.
fn check_account(data: &ReportData, found: &mut Verification) {
    found.ledger_rows = data.ledger.len();
    let ledger = ledger::check(&data.ledger).and_then(|()| ledger::check_records(&data.ledger, &data.content_fidelity));
    found.mismatches.extend(ledger.err().map(Mismatch::Ledger));
    records::check(data, &mut found.mismatches);
    sources::check(data, found);
}

/// Checks the seal. Versions that record when they wrote the report always seal it, so a missing seal there was removed.
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

/// Checks that each mark has a citation, that each citation has a mark, and that the numbers are 1, 2, 3 and so on.
fn check_marks(data: &ReportData, mismatches: &mut Vec<Mismatch>) {
    let used: BTreeSet<u32> = marks(&data.report).iter().map(|m| m.n).collect();
    let known: BTreeSet<u32> = data.citations.iter().map(|c| c.n).collect();
    mismatches.extend(used.difference(&known).map(|n| Mismatch::NoCitation { n: *n }));
    mismatches.extend(known.difference(&used).map(|n| Mismatch::Unused { n: *n }));
    let numbered = data.citations.iter().zip(1_u32..).find(|(citation, want)| citation.n != *want);
    mismatches.extend(numbered.map(|(citation, want)| Mismatch::Numbering { n: citation.n, want }));
}

#[cfg(test)]
mod context_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod twins;
