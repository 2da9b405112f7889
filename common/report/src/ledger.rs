//! The fidelity ledger: every token that entered a phase is kept, reduced, dropped or a duplicate, and none is missing.
//!
//! A session that runs its phases again has a row for each pass through a phase, and each pass balances on its own.
//!
//! The ledger adds numbers and compares them; it does not know what a token is or why an item was shortened.

use std::collections::BTreeMap;
use std::fmt;

use precis_proto::Phase;
use precis_proto::fidelity::{ContentFidelity, FidelityLevel};
use precis_proto::ledger::LedgerRow;

/// What a phase did to one item, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ItemTokens {
    /// Tokens that entered.
    pub before: u64,
    /// Tokens that left; ignored if the item was dropped, and never counted above `before`.
    pub after: u64,
    /// Of the lost tokens, those that also occur elsewhere.
    pub duplicate: u64,
    /// Whether the item was left out.
    pub dropped: bool,
}

impl ItemTokens {
    /// An item that passes through unchanged.
    #[must_use]
    pub fn from_unchanged(tokens: u64) -> Self {
        Self { before: tokens, after: tokens, ..Self::default() }
    }

    /// Tokens passed on to the next phase as its `before`. At most [`Self::before`], so that an item that grew (the digest of a very
    /// short text) does not add tokens.
    #[must_use]
    pub fn kept_tokens(&self) -> u64 {
        if self.dropped { 0 } else { self.after.min(self.before) }
    }
}

/// A phase in one pass of a session; displayed as `digest`, from the second pass on as `digest of pass 2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhaseVisit {
    /// Number of passes before it.
    pub visit: u32,
    /// The phase.
    pub phase: Phase,
}

impl PhaseVisit {
    fn of_row(row: &LedgerRow) -> Self {
        Self { visit: row.visit, phase: row.phase }
    }
}

impl fmt::Display for PhaseVisit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.visit {
            0 => self.phase.fmt(f),
            before => write!(f, "{} of pass {}", self.phase, u64::from(before) + 1),
        }
    }
}

/// Why a ledger is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LedgerFault {
    /// The tokens that left a phase differ from those that entered it.
    #[error("ledger of {phase}: {tokens_in} tokens in, {tokens_out} out")]
    Unbalanced {
        /// The phase.
        phase: PhaseVisit,
        /// Tokens that entered.
        tokens_in: u64,
        /// Sum of kept, reduced, dropped and duplicate; wider than its parts, so that it cannot overflow.
        tokens_out: u128,
    },
    /// A phase started with other tokens than the one before it kept.
    #[error("ledger of {phase}: {tokens_in} tokens in, but {earlier} kept {tokens_kept}")]
    Gap {
        /// The phase before.
        earlier: PhaseVisit,
        /// Tokens it kept.
        tokens_kept: u64,
        /// The phase.
        phase: PhaseVisit,
        /// Tokens that entered, according to the row.
        tokens_in: u64,
    },
    /// A row is out of order: passes must follow each other without a gap, and so must the phases of a pass.
    #[error("ledger of {phase}: its row is out of order")]
    OutOfOrder {
        /// The phase.
        phase: PhaseVisit,
    },
    /// A row differs from the records of its phase.
    #[error("ledger of {phase}: {column} is {said}, but its records add up to {sum}")]
    Unfounded {
        /// The phase.
        phase: PhaseVisit,
        /// The column.
        column: &'static str,
        /// The value in the row.
        said: u64,
        /// The sum of the records.
        sum: u64,
    },
    /// A phase has records but no row.
    #[error("ledger: {phase} has records but no row")]
    NoRow {
        /// The phase.
        phase: PhaseVisit,
    },
    /// A phase has a row but no records.
    #[error("ledger of {phase}: a row without records")]
    NoRecords {
        /// The phase.
        phase: PhaseVisit,
    },
}

/// Builds the row of a phase. It balances for any items, because losses are computed as differences.
///
/// A duplicate share larger than the loss is reduced to the loss. Sums saturate at `u64::MAX`.
///
/// ```
/// use precis_report::ledger::{ItemTokens, check, row};
/// use precis_proto::Phase;
///
/// let shortened = ItemTokens { before: 100, after: 40, duplicate: 10, dropped: false };
/// let mut row = row(Phase::Compression, &[ItemTokens::from_unchanged(50), shortened]);
/// assert_eq!((row.tokens_in, row.tokens_kept, row.tokens_duplicate, row.tokens_reduced), (150, 90, 10, 50));
/// row.tokens_kept += 1;
/// assert!(check(&[row]).is_err());
/// ```
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
        visit: 0,
    };
    for item in items {
        // Every other column is a part of `before`, so bounding this sum bounds them all.
        let before = item.before.min(u64::MAX - row.tokens_in);
        let kept = item.kept_tokens().min(before);
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

/// Builds the rows of a session from the records of its sources: one per phase with records, pass by pass in the order of the phases.
///
/// The records of each phase start from what the phase before left, so rows built here balance and connect. Sources that were never
/// read enter only the first phase.
#[must_use]
pub fn of(fidelity: &ContentFidelity) -> Vec<LedgerRow> {
    let mut items: BTreeMap<PhaseVisit, Vec<ItemTokens>> = BTreeMap::new();
    for (_, phase, record) in fidelity.records() {
        items.entry(PhaseVisit { visit: record.visit, phase }).or_default().push(ItemTokens {
            before: record.tokens_before,
            after: record.tokens_after,
            duplicate: record.tokens_duplicate,
            dropped: record.level == FidelityLevel::Dropped,
        });
    }
    let rows = items.iter();
    rows.map(|(of, items)| LedgerRow { visit: of.visit, ..row(of.phase, items) }).collect()
}

/// Checks that each row balances, that passes and their phases are in order without a gap between passes, and that each phase starts
/// with the tokens that the one before it in its pass kept. An empty ledger is valid.
///
/// # Errors
/// The first fault, in the order of the rows.
pub fn check(rows: &[LedgerRow]) -> Result<(), LedgerFault> {
    let mut earlier: Option<&LedgerRow> = None;
    for row in rows {
        let phase = PhaseVisit::of_row(row);
        if !row.balances() {
            let out = [row.tokens_kept, row.tokens_reduced, row.tokens_dropped, row.tokens_duplicate];
            let tokens_out = out.iter().map(|n| u128::from(*n)).sum();
            return Err(LedgerFault::Unbalanced { phase, tokens_in: row.tokens_in, tokens_out });
        }
        match earlier {
            Some(earlier) if earlier.visit == row.visit => follows(earlier, row)?,
            before => {
                let belongs = before.map_or(0, |earlier| earlier.visit.saturating_add(1));
                if row.visit != belongs {
                    return Err(LedgerFault::OutOfOrder { phase });
                }
            }
        }
        earlier = Some(row);
    }
    Ok(())
}

/// Checks a row against the one before it in its pass.
fn follows(earlier: &LedgerRow, row: &LedgerRow) -> Result<(), LedgerFault> {
    let phase = PhaseVisit::of_row(row);
    if earlier.tokens_kept != row.tokens_in {
        let (tokens_kept, tokens_in) = (earlier.tokens_kept, row.tokens_in);
        return Err(LedgerFault::Gap { earlier: PhaseVisit::of_row(earlier), tokens_kept, phase, tokens_in });
    }
    if earlier.phase >= row.phase {
        return Err(LedgerFault::OutOfOrder { phase });
    }
    Ok(())
}

/// Checks that each row is the sum of the records of its phase in its pass, and that each phase with records has a row.
///
/// # Errors
/// The first fault: rows in their order, then phases without a row.
pub fn check_records(rows: &[LedgerRow], fidelity: &ContentFidelity) -> Result<(), LedgerFault> {
    let sums = of(fidelity);
    for row in rows {
        let phase = PhaseVisit::of_row(row);
        let sum = sums.iter().find(|sum| PhaseVisit::of_row(sum) == phase).ok_or(LedgerFault::NoRecords { phase })?;
        let differs = columns(row).into_iter().zip(columns(sum)).find(|((_, said), (_, sum))| said != sum);
        if let Some(((column, said), (_, sum))) = differs {
            return Err(LedgerFault::Unfounded { phase, column, said, sum });
        }
    }
    let has_no_row = |sum: &PhaseVisit| rows.iter().all(|row| PhaseVisit::of_row(row) != *sum);
    match sums.iter().map(PhaseVisit::of_row).find(has_no_row) {
        Some(phase) => Err(LedgerFault::NoRow { phase }),
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
    fn each_pass_balances_on_its_own_and_none_is_left_out() {
        let of = |visit: u32, phase: Phase, before: u64, after: u64| LedgerRow {
            visit,
            ..row(phase, &[item(before, after, 0, false)])
        };
        let first = [of(0, Phase::Extraction, 100, 100), of(0, Phase::Digest, 100, 40)];
        let second = [of(1, Phase::Extraction, 150, 150), of(1, Phase::Digest, 150, 60)];
        let both = [first.clone(), second.clone()].concat();
        assert_eq!(check(&both), Ok(()));
        let fault = |rows: &[LedgerRow]| check(rows).expect_err("a fault").to_string();
        assert_eq!(fault(&second), "ledger of extraction of pass 2: its row is out of order", "there is no first");
        let late: Vec<LedgerRow> = second.iter().map(|row| LedgerRow { visit: 2, ..row.clone() }).collect();
        assert_eq!(fault(&[&first[..], &late].concat()), "ledger of extraction of pass 3: its row is out of order");
        assert_eq!(fault(&[&second[..], &first].concat()), "ledger of extraction of pass 2: its row is out of order");
        let moved = [first[0].clone(), first[1].clone(), of(0, Phase::Digest, 40, 40)];
        assert_eq!(fault(&moved), "ledger of digest: its row is out of order", "one row for each phase of a pass");
        let mut broken = both.clone();
        broken[3].tokens_in = 40;
        broken[3].tokens_reduced = 0;
        broken[3].tokens_kept = 40;
        let want = "ledger of digest of pass 2: 40 tokens in, but extraction of pass 2 kept 150";
        assert_eq!(fault(&broken), want, "what the pass before kept is no start");
    }

    #[test]
    fn a_row_that_does_not_balance_is_named() {
        let mut broken = row(Phase::Digest, &[item(100, 40, 0, false)]);
        broken.tokens_reduced = u64::MAX;
        let fault = check(&[broken]).expect_err("too much out");
        assert_eq!(fault.to_string(), "ledger of digest: 100 tokens in, 18446744073709551655 out");
    }
}
