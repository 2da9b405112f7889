//! The fidelity ledger: what entered a phase is kept, reduced, dropped or stood elsewhere too, and nothing is missing.
//!
//! It adds numbers up and compares them; it refuses to know what a token is or why an item was shortened.

use std::collections::BTreeMap;

use precis_proto::Phase;
use precis_proto::fidelity::{ContentFidelity, FidelityLevel};
use precis_proto::ledger::LedgerRow;

/// What a phase did to one item, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ItemTokens {
    /// Tokens that entered.
    pub before: u64,
    /// Tokens that left; ignored where the item was dropped, and never counted above `before`.
    pub after: u64,
    /// Of the lost tokens, those that stood elsewhere too.
    pub duplicate: u64,
    /// Whether the item was left out.
    pub dropped: bool,
}

impl ItemTokens {
    /// An item that passes unchanged.
    #[must_use]
    pub fn unchanged(tokens: u64) -> Self {
        Self { before: tokens, after: tokens, ..Self::default() }
    }

    /// Tokens that go on to the next phase: its `before`. At most [`Self::before`], so that an item that grew (a digest of
    /// a very short text) does not bring tokens from nowhere.
    #[must_use]
    pub fn kept(&self) -> u64 {
        if self.dropped { 0 } else { self.after.min(self.before) }
    }
}

/// Why a ledger cannot be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LedgerFault {
    /// What left a phase is not what entered it.
    #[error("ledger of {phase}: {tokens_in} tokens in, {tokens_out} out")]
    Unbalanced {
        /// The phase.
        phase: Phase,
        /// Tokens that entered.
        tokens_in: u64,
        /// Kept, reduced, dropped and duplicate together; wider than its parts, so that it cannot overflow.
        tokens_out: u128,
    },
    /// A phase did not start with what the one before it kept.
    #[error("ledger of {phase}: {tokens_in} tokens in, but {earlier} kept {tokens_kept}")]
    Gap {
        /// The phase before.
        earlier: Phase,
        /// What it kept.
        tokens_kept: u64,
        /// The phase.
        phase: Phase,
        /// What it says it started with.
        tokens_in: u64,
    },
    /// A row says something else than the records of its phase.
    #[error("ledger of {phase}: {column} is {said}, its records sum to {sum}")]
    Unfounded {
        /// The phase.
        phase: Phase,
        /// The column.
        column: &'static str,
        /// What the row says.
        said: u64,
        /// What the records sum to.
        sum: u64,
    },
    /// A phase has records and no row.
    #[error("ledger: no row for {phase}, which has records")]
    NoRow {
        /// The phase.
        phase: Phase,
    },
    /// A phase has a row and no records.
    #[error("ledger of {phase}: a row without a record")]
    NoRecords {
        /// The phase.
        phase: Phase,
    },
}

/// The row of a phase. It balances whatever the items say: losses are differences, never claims.
///
/// A duplicate share larger than the loss is cut to the loss. Sums stop at `u64::MAX`.
#[must_use]
pub fn row(phase: Phase, items: &[ItemTokens]) -> LedgerRow {
    let mut row = LedgerRow {
        phase,
        items_in: items.len() as u64,
        tokens_in: 0,
        tokens_kept: 0,
        tokens_reduced: 0,
        tokens_dropped: 0,
        tokens_duplicate: 0,
    };
    for item in items {
        // Every other column is a share of `before`, so bounding this sum bounds them all.
        let before = item.before.min(u64::MAX - row.tokens_in);
        let kept = item.kept().min(before);
        let duplicate = item.duplicate.min(before - kept);
        let lost = before - kept - duplicate;
        row.tokens_in += before;
        row.tokens_kept += kept;
        row.tokens_duplicate += duplicate;
        if item.dropped {
            row.tokens_dropped += lost;
        } else {
            row.tokens_reduced += lost;
        }
    }
    row
}

/// The rows of a session, from the records of its sources: one per phase that recorded any, in the order of the phases.
///
/// Each phase's records start from what the phase before left, so rows made here balance and follow on each other. Sources
/// that were never read enter no phase but the first.
#[must_use]
pub fn of(fidelity: &ContentFidelity) -> Vec<LedgerRow> {
    let mut items: BTreeMap<Phase, Vec<ItemTokens>> = BTreeMap::new();
    for record in fidelity.0.values().flat_map(|item| &item.phases) {
        let (phase, record) = record;
        items.entry(*phase).or_default().push(ItemTokens {
            before: record.tokens_before,
            after: record.tokens_after,
            duplicate: record.tokens_duplicate,
            dropped: record.level == FidelityLevel::Dropped,
        });
    }
    items.iter().map(|(phase, items)| row(*phase, items)).collect()
}

/// Checks that each row balances and that each phase starts with what the one before it kept. No row is a valid ledger.
///
/// # Errors
/// The first fault in the order of the rows.
pub fn check(rows: &[LedgerRow]) -> Result<(), LedgerFault> {
    for (at, row) in rows.iter().enumerate() {
        if !row.balances() {
            let out = [row.tokens_kept, row.tokens_reduced, row.tokens_dropped, row.tokens_duplicate];
            let tokens_out = out.iter().map(|n| u128::from(*n)).sum();
            return Err(LedgerFault::Unbalanced { phase: row.phase, tokens_in: row.tokens_in, tokens_out });
        }
        let earlier = at.checked_sub(1).map(|at| &rows[at]);
        if let Some(earlier) = earlier.filter(|e| e.tokens_kept != row.tokens_in) {
            return Err(LedgerFault::Gap {
                earlier: earlier.phase,
                tokens_kept: earlier.tokens_kept,
                phase: row.phase,
                tokens_in: row.tokens_in,
            });
        }
    }
    Ok(())
}

/// Checks that each row is the sum of the records of its phase, and that each phase with records has its row.
///
/// # Errors
/// The first fault: rows in their order, then phases without a row.
pub fn check_records(rows: &[LedgerRow], fidelity: &ContentFidelity) -> Result<(), LedgerFault> {
    let sums = of(fidelity);
    for row in rows {
        let phase = row.phase;
        let sum = sums.iter().find(|sum| sum.phase == phase).ok_or(LedgerFault::NoRecords { phase })?;
        let differs = columns(row).into_iter().zip(columns(sum)).find(|((_, said), (_, sum))| said != sum);
        if let Some(((column, said), (_, sum))) = differs {
            return Err(LedgerFault::Unfounded { phase, column, said, sum });
        }
    }
    match sums.iter().find(|sum| rows.iter().all(|row| row.phase != sum.phase)) {
        Some(missing) => Err(LedgerFault::NoRow { phase: missing.phase }),
        None => Ok(()),
    }
}

fn columns(row: &LedgerRow) -> [(&'static str, u64); 6] {
    [
        ("items_in", row.items_in),
        ("tokens_in", row.tokens_in),
        ("tokens_kept", row.tokens_kept),
        ("tokens_reduced", row.tokens_reduced),
        ("tokens_dropped", row.tokens_dropped),
        ("tokens_duplicate", row.tokens_duplicate),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(before: u64, after: u64, duplicate: u64, dropped: bool) -> ItemTokens {
        ItemTokens { before, after, duplicate, dropped }
    }

    #[test]
    fn a_loss_is_counted_as_what_it_was() {
        let cases = [
            (item(100, 100, 0, false), [100, 0, 0, 0]),
            (item(100, 40, 0, false), [40, 60, 0, 0]),
            (item(100, 40, 10, false), [40, 50, 0, 10]),
            (item(100, 0, 0, true), [0, 0, 100, 0]),
            (item(100, 40, 30, true), [0, 0, 70, 30]),
            (item(100, 90, 500, false), [90, 0, 0, 10]),
            (item(100, 140, 0, false), [100, 0, 0, 0]),
            (item(0, 0, 0, true), [0, 0, 0, 0]),
        ];
        for (given, want) in cases {
            let row = row(Phase::Digest, &[given]);
            let got = [row.tokens_kept, row.tokens_reduced, row.tokens_dropped, row.tokens_duplicate];
            assert_eq!(got, want, "{given:?}");
            assert_eq!(row.tokens_in, given.before, "{given:?}");
        }
    }

    #[test]
    fn a_row_balances_for_any_numbers() {
        let numbers = [0, 1, 7, 400, u64::MAX / 2, u64::MAX - 1, u64::MAX];
        for before in numbers {
            for after in numbers {
                for duplicate in numbers {
                    let items = [item(before, after, duplicate, false), item(after, duplicate, before, true)];
                    assert!(row(Phase::Summarization, &items).balances(), "{items:?}");
                }
            }
        }
    }

    #[test]
    fn a_phase_starts_with_what_the_one_before_it_kept() {
        let first = row(Phase::Digest, &[item(100, 40, 0, false)]);
        let second = row(Phase::Summarization, &[item(40, 40, 0, false)]);
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&[first.clone(), second.clone()]), Ok(()));
        let fault = check(&[second, first]).expect_err("40 kept, 100 in");
        assert_eq!(fault.to_string(), "ledger of digest: 100 tokens in, but summarization kept 40");
    }

    #[test]
    fn a_row_that_does_not_balance_is_named() {
        let mut broken = row(Phase::Digest, &[item(100, 40, 0, false)]);
        broken.tokens_reduced = u64::MAX;
        let fault = check(&[broken]).expect_err("too much out");
        assert_eq!(fault.to_string(), "ledger of digest: 100 tokens in, 18446744073709551655 out");
    }
}
