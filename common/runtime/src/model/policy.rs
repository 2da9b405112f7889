//! How patient calls are, and how long answers are kept.

use std::collections::BTreeSet;
use std::time::Duration;

use super::billing::TenantPolicies;
use crate::store::BreakerPolicy;

/// How patient calls are and how long answers are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPolicy {
    /// Requests per provider and payload before the next provider is asked: many failures are gone at a second try, few at a third.
    pub tries: u32,
    /// Pause between them where the provider asks for none; with so few of them it need not grow.
    pub retry_delay: Duration,
    /// How long an answer is kept.
    pub memo_ttl: Duration,
    /// How long an answer is kept that did not hold: enough for a repeat after a crash, not for a bad hour to last.
    pub malformed_ttl: Duration,
    /// Life of a single-flight lease; renewed while the call runs.
    pub flight_ttl: Duration,
    /// How often a waiting call looks for the answer of the one under way.
    pub flight_poll: Duration,
    /// Longest wait for another's call.
    pub flight_wait: Duration,
    /// Longest wait of a session for a provider that does not answer, over all calls and phases; a provider with a longer timeout is
    /// waited for that long.
    pub patience: Duration,
    /// When a provider's breaker opens.
    pub breaker: BreakerPolicy,
    /// What tenants may take.
    pub tenants: TenantPolicies,
    /// Names of the providers that get no private text.
    pub strangers: BTreeSet<String>,
}

impl Default for CallPolicy {
    fn default() -> Self {
        Self {
            tries: 2,
            retry_delay: Duration::from_secs(3),
            memo_ttl: Duration::from_secs(30 * 24 * 3600),
            malformed_ttl: Duration::from_secs(600),
            flight_ttl: Duration::from_secs(6),
            flight_poll: Duration::from_millis(200),
            flight_wait: Duration::from_secs(120),
            patience: Duration::from_secs(120),
            breaker: BreakerPolicy::default(),
            tenants: TenantPolicies::default(),
            strangers: BTreeSet::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_asked_twice_three_seconds_apart() {
        let CallPolicy { tries, retry_delay, .. } = CallPolicy::default();
        assert_eq!((tries, retry_delay), (2, Duration::from_secs(3)));
    }
}
