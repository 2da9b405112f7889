//! Retries, waits and retention of searches.

use std::time::Duration;

use crate::paid::TenantPolicies;
use crate::store::BreakerPolicy;

/// Retries, waits and retention of searches.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchPolicy {
    /// Requests per provider before the next one is called, if the failure is transient.
    pub tries: u32,
    /// Pause between tries if the provider asks for none.
    pub retry_delay: Duration,
    /// Longest wait a provider may ask for; if it asks for more, the next one is called, or the search fails.
    pub longest_wait: Duration,
    /// How long an answer is kept for its own session.
    pub memo_ttl: Duration,
    /// How long an answer is kept for other sessions of the tenant; zero disables sharing.
    pub cache_ttl: Duration,
    /// Duration of a single-flight lease; renewed while the search runs.
    pub flight_ttl: Duration,
    /// How often a waiting search looks for the answer of the search under way.
    pub flight_poll: Duration,
    /// Longest wait for the same search made by another worker.
    pub flight_wait: Duration,
    /// When a provider's breaker opens.
    pub breaker: BreakerPolicy,
    /// Ceilings and rate limits of tenants.
    pub tenants: TenantPolicies,
}

impl Default for SearchPolicy {
    fn default() -> Self {
        Self {
            tries: 2,
            retry_delay: Duration::from_secs(1),
            longest_wait: Duration::from_secs(20),
            memo_ttl: Duration::from_secs(30 * 24 * 3600),
            cache_ttl: Duration::from_secs(3600),
            flight_ttl: Duration::from_secs(6),
            flight_poll: Duration::from_millis(100),
            flight_wait: Duration::from_secs(60),
            breaker: BreakerPolicy::default(),
            tenants: TenantPolicies::default(),
        }
    }
}
