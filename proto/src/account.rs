//! The tenant of a session and its spending limits: sent with the session and with each of its jobs, so that the limits are known
//! wherever a model call is made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TenantId;
use crate::call::CallRecord;

/// The tenant that pays for a session, and its spending limits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Account {
    /// Tenant that the session is charged to; absent if none was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<TenantId>,
    /// US dollars the session may spend on models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_spend_usd: Option<f64>,
    /// Tokens, input and output together, the session may spend on models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_spend_tokens: Option<u64>,
    /// Amount known to be spent already: if the store was wiped, counting continues from here.
    #[serde(skip_serializing_if = "Spent::is_nothing")]
    pub spent: Spent,
}

/// Money and tokens already spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Spent {
    /// US dollars.
    pub usd: f64,
    /// Tokens, input and output together.
    pub tokens: u64,
}

impl Account {
    /// Returns the account with the cost of `calls` as spent; a call counts once, however often it is recorded.
    #[must_use]
    pub fn having_spent(&self, calls: &[CallRecord]) -> Self {
        Self { spent: Spent::from_calls(calls), ..self.clone() }
    }

    /// Returns whether the account is unrestricted: no tenant, no spending limit, nothing spent.
    #[must_use]
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }
}

impl Spent {
    /// Sums up the cost of `calls`. Of several records with the same key, the first paid one counts.
    #[must_use]
    pub fn from_calls(calls: &[CallRecord]) -> Self {
        let mut counted = std::collections::BTreeSet::new();
        let mut spent = Self::default();
        // An answer that came after all says more than that it was awaited.
        let (unanswered, answered): (Vec<_>, Vec<_>) =
            calls.iter().filter(|call| call.paid).partition(|call| call.unanswered);
        for call in answered.into_iter().chain(unanswered) {
            if counted.insert(&call.call_key) {
                spent.usd += call.cost_usd;
                spent.tokens = spent.tokens.saturating_add(call.input_tokens).saturating_add(call.output_tokens);
            }
        }
        spent
    }

    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Role;

    fn call(key: &str, paid: bool) -> CallRecord {
        CallRecord {
            unreadable: false,
            unanswered: false,
            call_key: key.to_owned(),
            phase: None,
            role: Role::Synthesis,
            provider: "p:m".to_owned(),
            paid,
            input_tokens: 10,
            cached_input_tokens: 4,
            output_tokens: 5,
            cost_usd: 0.5,
        }
    }

    #[test]
    fn a_late_answered_call_counts_once_with_its_usage() {
        let mut awaited = CallRecord { unanswered: true, input_tokens: 5, ..call("a", true) };
        let calls = [awaited.clone(), call("a", true)];
        assert_eq!(Spent::from_calls(&calls).tokens, Spent::from_calls(&calls[1..]).tokens);
        awaited.call_key = "a:1".to_owned();
        assert_eq!(Spent::from_calls(&[awaited, call("a", true)]).tokens, Spent::from_calls(&calls[1..]).tokens + 10);
    }

    #[test]
    fn a_call_is_spent_once_and_what_others_paid_is_not_spent() {
        let calls = [call("a", true), call("a", true), call("b", false), call("c", true)];
        assert_eq!(Spent::from_calls(&calls), Spent { usd: 1.0, tokens: 30 });
    }

    #[test]
    fn an_account_that_says_nothing_takes_no_room() {
        assert_eq!(serde_json::to_string(&Account::default()).expect("plain"), "{}");
        assert!(serde_json::from_str::<Account>("{}").expect("reads").is_open());
    }
}
