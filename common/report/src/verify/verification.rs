//! The result of checking a report.

use super::mismatch::Mismatch;

/// The result of checking a report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// All mismatches, in a fixed order; empty if the report holds.
    pub mismatches: Vec<Mismatch>,
    /// Citations whose quote equals the archived text at their locator.
    pub citations_proved: usize,
    /// Archived texts whose bytes match the hash in their name.
    pub texts_proved: usize,
    /// Ledger rows that were checked.
    pub ledger_rows: usize,
    /// Whether the session kept an account of what it did to its sources; it keeps none without token management.
    pub is_accounted: bool,
    /// Sources with a record in each phase of the ledger.
    pub sources_accounted: usize,
    /// Statements that equal one of their quotes; `None` if a model wrote the report in its own words.
    pub statements_proved: Option<usize>,
    /// Statements of a model that have a verdict; their counts were recomputed.
    pub statements_judged: usize,
    /// Sentences without a citation.
    pub sentences_uncited: usize,
    /// Whether the seal matches the data; `None` if an older version wrote the report without a seal.
    pub is_sealed: Option<bool>,
}

impl Verification {
    /// Whether the report holds, that is, whether there are no mismatches.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.mismatches.is_empty()
    }

    /// The first mismatch of each kind, and the number of mismatches of that kind.
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
