//! How patient searches are, and how long answers are kept.

use std::time::Duration;

use crate::model::TenantPolicies;
use crate::store::BreakerPolicy;

/// How patient searches are and how long answers are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchPolicy {
    /// Requests per provider before the next one is asked, where the fault is transient.
    pub tries: u32,
    /// Pause between them where the provider asks for none.
    pub retry_delay: Duration,
    /// Longest wait that a provider may ask for: the next one is asked, or the search fails, where it asks for more.
    pub longest_wait: Duration,
    /// How long a session finds its own answers again.
    pub memo_ttl: Duration,
    /// How long other sessions of the tenant are given an answer; zero for never.
    pub cache_ttl: Duration,
    /// Life of a single-flight lease; renewed while the search runs.
    pub flight_ttl: Duration,
    /// How often a waiting search looks for the answer of the one under way.
    pub flight_poll: Duration,
    /// Longest wait for another's search.
    pub flight_wait: Duration,
    /// When a provider's breaker opens.
    pub breaker: BreakerPolicy,
    /// What tenants may take.
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
