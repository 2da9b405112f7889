//! What came of checking a report.

use super::mismatch::Mismatch;

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
    /// Whether the session kept an account of what it did to its sources; without token management it keeps none.
    pub is_accounted: bool,
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
