//! The breaker of each provider: shared through the store, and one of our own while the store is away.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::store::{Admission, Breaker, BreakerPolicy, Outcome, Store};
use crate::telemetry::metrics;

/// The breakers as one process sees them.
#[derive(Debug)]
pub(super) struct Health {
    policy: BreakerPolicy,
    /// Used while the store is away; hears only what happens then.
    own: Mutex<BTreeMap<String, Breaker>>,
    /// The zero of our own breakers' clock.
    started: Instant,
}

/// Leave to make one call; to be handed back with its outcome.
#[derive(Debug)]
pub(super) struct Leave {
    name: String,
    generation: u64,
    is_shared: bool,
}

impl Health {
    pub(super) fn new(policy: BreakerPolicy) -> Self {
        Self { policy, own: Mutex::new(BTreeMap::new()), started: Instant::now() }
    }

    /// Leave to call `provider`.
    ///
    /// # Errors
    /// The time until it may be asked again, where its breaker is open.
    pub(super) async fn ask(&self, store: &Store, provider: &str) -> Result<Leave, Duration> {
        let name = format!("model:{provider}");
        let (admission, is_shared) = match store.admit(&name, &self.policy).await {
            Ok(admission) => (admission, true),
            Err(error) => {
                tracing::debug!(%error, provider, "shared breaker not asked");
                (self.with_own(&name, |b, now| b.admit(&self.policy, now)), false)
            }
        };
        metrics().store.breaker(
            &name,
            match admission {
                Admission::Allowed { .. } => 0,
                Admission::Probe { .. } => 1,
                Admission::Open { .. } => 2,
            },
        );
        match admission {
            Admission::Allowed { generation } | Admission::Probe { generation } => {
                Ok(Leave { name, generation, is_shared })
            }
            Admission::Open { retry_after } => Err(retry_after),
        }
    }

    /// Tells how the call ended.
    pub(super) async fn tell(&self, store: &Store, leave: Leave, outcome: Outcome) {
        if !leave.is_shared {
            self.with_own(&leave.name, |b, now| b.report(&self.policy, now, leave.generation, outcome));
        } else if let Err(error) = store.report(&leave.name, &self.policy, leave.generation, outcome).await {
            tracing::debug!(%error, "outcome of a model call not reported");
        }
    }

    fn with_own<T>(&self, name: &str, act: impl FnOnce(&mut Breaker, u64) -> T) -> T {
        let now = self.started.elapsed().as_millis() as u64;
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        act(own.entry(name.to_owned()).or_default(), now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    #[tokio::test]
    async fn our_own_breaker_guards_while_the_store_is_away() {
        let memory = MemoryStore::new();
        memory.set_available(false);
        let store = Store::Memory(memory.clone());
        let health = Health::new(BreakerPolicy::default());
        for _ in 0..5 {
            let leave = health.ask(&store, "p").await.expect("is closed");
            health.tell(&store, leave, Outcome::Failure).await;
        }
        assert!(health.ask(&store, "p").await.expect_err("is open") > Duration::from_secs(50));
        assert!(health.ask(&store, "q").await.is_ok(), "each provider has its own");
        memory.set_available(true);
        assert!(health.ask(&store, "p").await.is_ok(), "the shared one has heard nothing");
    }
}
