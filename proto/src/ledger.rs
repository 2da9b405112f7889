//! Two ledgers: what entered and left each phase, and what each model call cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Phase;
use crate::task::Role;

/// The tokens of one phase in one pass of the session. `tokens_in` is the sum of the other four.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerRow {
    /// The phase.
    pub phase: Phase,
    /// Items that entered.
    pub items_in: u64,
    /// Tokens that entered.
    pub tokens_in: u64,
    /// Tokens passed on to the next phase.
    pub tokens_kept: u64,
    /// Tokens lost by shortening items.
    pub tokens_reduced: u64,
    /// Tokens lost by dropping items.
    pub tokens_dropped: u64,
    /// Tokens left out as duplicates of text elsewhere.
    pub tokens_duplicate: u64,
    /// Visit of the row, that is the number of earlier passes of the session: 0, and left out, in the first pass.
    #[serde(default, skip_serializing_if = "crate::fidelity::is_first")]
    pub visit: u32,
}

impl LedgerRow {
    /// Returns whether the row balances: in = kept + reduced + dropped + duplicate.
    #[must_use]
    pub fn balances(&self) -> bool {
        let out = [self.tokens_kept, self.tokens_reduced, self.tokens_dropped, self.tokens_duplicate];
        out.iter().try_fold(0_u64, |sum, n| sum.checked_add(*n)) == Some(self.tokens_in)
    }
}

/// The spending of one role at one provider in one phase; for research also the spending on searches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendRow {
    /// Phase of the calls, or of the jobs that made them; absent if an older worker recorded them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Role of the calls.
    pub role: Role,
    /// `NAME:MODEL`.
    pub provider: String,
    /// Calls that reached the provider.
    pub calls: u64,
    /// Searches that reached a search provider; its rows have no model calls.
    #[serde(default, skip_serializing_if = "is_none")]
    pub searches: u64,
    /// Searches answered from the memo.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cached_searches: u64,
    /// Calls answered from the memo because another session had paid for them.
    pub cached_calls: u64,
    /// Calls that this session repeated, for example after a crash: answered from the memo and paid once.
    #[serde(default)]
    pub repeated_calls: u64,
    /// Number of these calls whose answer was unreadable; nothing in the report comes from them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unreadable_calls: u64,
    /// Number of these calls whose answer nobody used: it did not come, or came when nobody waited any more. Their tokens are counted as
    /// far as known, at least the input.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unanswered_calls: u64,
    /// Input tokens of the calls made.
    pub input_tokens: u64,
    /// Input tokens that the provider had cached; 0 if it does not report them.
    #[serde(default)]
    pub cached_input_tokens: u64,
    /// Output tokens of the calls made.
    pub output_tokens: u64,
    /// Cost in US dollars; 0 if the price is unknown or zero.
    pub cost_usd: f64,
}

impl SpendRow {
    /// Creates a row with all counts 0.
    #[must_use]
    pub fn new(phase: Option<Phase>, role: Role, provider: &str) -> Self {
        Self {
            phase,
            role,
            provider: provider.to_owned(),
            calls: 0,
            searches: 0,
            cached_searches: 0,
            cached_calls: 0,
            repeated_calls: 0,
            unreadable_calls: 0,
            unanswered_calls: 0,
            input_tokens: 0,
            cached_input_tokens: 0,
            output_tokens: 0,
            cost_usd: 0.0,
        }
    }

    /// Returns whether any call had a readable answer that was used; always true for rows written by an older version.
    #[must_use]
    pub fn has_answered(&self) -> bool {
        let answers = self.calls.saturating_add(self.cached_calls).saturating_add(self.repeated_calls);
        let in_vain = self.unreadable_calls.saturating_add(self.unanswered_calls);
        in_vain == 0 || answers > in_vain
    }
}

fn is_none(n: &u64) -> bool {
    *n == 0
}
