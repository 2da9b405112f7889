//! Two ledgers: what entered and left each phase, and what each model call cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Phase;
use crate::task::Role;

/// Tokens through one phase in one pass of the session. `tokens_in` is the sum of the other four.
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
    /// Passes of the session before this one: 0, and left out, in the first.
    #[serde(default, skip_serializing_if = "crate::fidelity::is_first")]
    pub visit: u32,
}

impl LedgerRow {
    /// Whether nothing is missing: in = kept + reduced + dropped + duplicate.
    #[must_use]
    pub fn balances(&self) -> bool {
        let out = [self.tokens_kept, self.tokens_reduced, self.tokens_dropped, self.tokens_duplicate];
        out.iter().try_fold(0_u64, |sum, n| sum.checked_add(*n)) == Some(self.tokens_in)
    }
}

/// What one role spent at one provider in one phase; of research also what was spent on searches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendRow {
    /// The phase the calls were made in, or for whose jobs; missing where an older worker wrote them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// What the calls were for.
    pub role: Role,
    /// `NAME:MODEL`.
    pub provider: String,
    /// Calls that reached the provider.
    pub calls: u64,
    /// Of a search provider, searches that reached it; its rows have no model calls.
    #[serde(default, skip_serializing_if = "is_none")]
    pub searches: u64,
    /// Searches that were answered by the memo.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cached_searches: u64,
    /// Calls that another session had paid: answered by the memo.
    pub cached_calls: u64,
    /// Calls this session made again, as after a crash: answered by the memo, paid once.
    #[serde(default)]
    pub repeated_calls: u64,
    /// Of all these, calls whose answer could not be read: nothing of the report comes from them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unreadable_calls: u64,
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

impl SpendRow {
    /// A row of which nothing is counted yet.
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
            input_tokens: 0,
            cached_input_tokens: 0,
            output_tokens: 0,
            cost_usd: 0.0,
        }
    }

    /// Whether any call was answered by what can be read, as all were where an older version wrote the row.
    #[must_use]
    pub fn has_answered(&self) -> bool {
        let answers = self.calls + self.cached_calls + self.repeated_calls;
        self.unreadable_calls == 0 || answers > self.unreadable_calls
    }
}

fn is_none(n: &u64) -> bool {
    *n == 0
}
