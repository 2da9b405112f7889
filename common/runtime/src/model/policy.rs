//! Retries, waits and retention of model calls.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::paid::TenantPolicies;
use crate::store::BreakerPolicy;

/// Retries, waits and retention of model calls.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPolicy {
    /// Requests per provider and payload before the next provider is called: many failures pass at a second try, few at a third.
    pub tries: u32,
    /// Pause between tries if the provider asks for none; with so few tries it need not grow.
    pub retry_delay: Duration,
    /// How long an answer is kept.
    pub memo_ttl: Duration,
    /// How long an invalid answer is kept: long enough for a repeat after a crash, short enough that a bad answer does not persist.
    pub malformed_ttl: Duration,
    /// Duration of a single-flight lease; renewed while the call runs.
    pub flight_ttl: Duration,
    /// How often a waiting call looks for the answer of the call under way.
    pub flight_poll: Duration,
    /// Longest wait for the same call made by another worker.
    pub flight_wait: Duration,
    /// Longest wait of a session for a provider that does not answer, over all calls and phases; at least the provider's timeout.
    pub patience: Duration,
    /// When a provider's breaker opens.
    pub breaker: BreakerPolicy,
    /// Ceilings and rate limits of tenants.
    pub tenants: TenantPolicies,
    /// Names of the providers that must not receive private texts.
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
