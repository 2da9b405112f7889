//! Two ledgers: what entered and left each phase, and what each model call cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Phase;
use crate::task::Role;

/// Tokens through one phase. `tokens_in` is the sum of the other four.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerRow {
    /// The phase.
    pub phase: Phase,
    /// Items that entered.
    pub items_in: u64,
    /// Tokens that entered.
    pub tokens_in: u64,
    /// Tokens that left towards the next phase.
    pub tokens_kept: u64,
    /// Tokens lost by making items shorter.
    pub tokens_reduced: u64,
    /// Tokens lost with items left out.
    pub tokens_dropped: u64,
    /// Tokens left out because they stood elsewhere too.
    pub tokens_duplicate: u64,
}

impl LedgerRow {
    /// Whether nothing is missing: in = kept + reduced + dropped + duplicate.
    #[must_use]
    pub fn balances(&self) -> bool {
        let out = [self.tokens_kept, self.tokens_reduced, self.tokens_dropped, self.tokens_duplicate];
        out.iter().try_fold(0_u64, |sum, n| sum.checked_add(*n)) == Some(self.tokens_in)
    }
}

/// What one role spent at one provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendRow {
    /// What the calls were for.
    pub role: Role,
    /// `NAME:MODEL`.
    pub provider: String,
    /// Calls that reached the provider.
    pub calls: u64,
    /// Calls answered by the memo.
    pub cached_calls: u64,
    /// Input tokens of the calls made.
    pub input_tokens: u64,
    /// Those of them that the provider had cached; 0 where it does not say.
    #[serde(default)]
    pub cached_input_tokens: u64,
    /// Output tokens of the calls made.
    pub output_tokens: u64,
    /// US dollars; 0 where the price is unknown or nothing.
    pub cost_usd: f64,
}

/// Adds `row` to the row of the same role and provider, or as a new one; rows stay sorted by role and provider.
pub fn add_spend(rows: &mut Vec<SpendRow>, row: &SpendRow) {
    match rows.iter_mut().find(|r| r.role == row.role && r.provider == row.provider) {
        Some(known) => {
            known.calls += row.calls;
            known.cached_calls += row.cached_calls;
            known.input_tokens += row.input_tokens;
            known.cached_input_tokens += row.cached_input_tokens;
            known.output_tokens += row.output_tokens;
            known.cost_usd += row.cost_usd;
        }
        None => rows.push(row.clone()),
    }
    rows.sort_by(|a, b| (a.role, &a.provider).cmp(&(b.role, &b.provider)));
}
