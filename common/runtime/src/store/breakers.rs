//! The breakers as one process sees them: shared through the store, and its own while the store is away.
//!
//! Guards calls of any kind, each by its name; which outcome counts as a failure is for the caller to say.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::{Admission, Breaker, BreakerPolicy, BreakerState, CallOutcome, OutcomeWindow, SharedBreakers, StoreError};
use crate::telemetry::metrics;

/// The breakers as one process sees them.
#[derive(Debug)]
pub struct Breakers {
    policy: BreakerPolicy,
    /// Used while the store is away; hears only what happens then.
    own: Mutex<BTreeMap<String, Breaker>>,
    /// The zero of our own breakers' clock.
    started: Instant,
}

/// Leave to make one call; to be handed back with its outcome.
#[derive(Debug)]
pub struct BreakerPermit {
    name: String,
    generation: u64,
    is_shared: bool,
}

impl Breakers {
    /// Breakers that all follow `policy`.
    #[must_use]
    pub fn new(policy: BreakerPolicy) -> Self {
        Self { policy, own: Mutex::new(BTreeMap::new()), started: Instant::now() }
    }

    /// Leave to make a call that the breaker `name` guards.
    ///
    /// # Errors
    /// The time until it may be asked again, where the breaker is open.
    pub async fn ask<'a>(&self, shared: impl Into<SharedBreakers<'a>>, name: &str) -> Result<BreakerPermit, Duration> {
        let asked = shared.into().admit(name, &self.policy).await;
        self.asked(name, asked, Breaker::admit)
    }

    /// Leave for whoever need not wait until an open breaker's time is over, as a new iteration of a session: the probe, unless somebody is.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub async fn ask_early<'a>(
        &self,
        shared: impl Into<SharedBreakers<'a>>,
        name: &str,
    ) -> Result<BreakerPermit, Duration> {
        let asked = shared.into().admit_early(name, &self.policy).await;
        self.asked(name, asked, Breaker::admit_early)
    }

    fn asked(
        &self,
        name: &str,
        asked: Result<Admission, StoreError>,
        own: impl FnOnce(&mut Breaker, &BreakerPolicy, u64) -> Admission,
    ) -> Result<BreakerPermit, Duration> {
        let (admission, is_shared) = match asked {
            Ok(admission) => (admission, true),
            Err(error) => {
                tracing::debug!(%error, breaker = name, "shared breaker not asked");
                (self.with_own(name, |b, now| own(b, &self.policy, now)), false)
            }
        };
        match admission {
            Admission::Allowed { .. } => metrics().store.breaker(name, 0),
            Admission::Probe { .. } => metrics().store.breaker(name, 1),
            Admission::Open { retry_after } => metrics().store.breaker_open(name, retry_after),
        }
        match admission {
            Admission::Allowed { generation } | Admission::Probe { generation } => {
                Ok(BreakerPermit { name: name.to_owned(), generation, is_shared })
            }
            Admission::Open { retry_after } => Err(retry_after),
        }
    }

    /// Tells how the call ended; returns what opened the breaker, where this did.
    pub async fn tell<'a>(
        &self,
        shared: impl Into<SharedBreakers<'a>>,
        leave: BreakerPermit,
        outcome: CallOutcome,
    ) -> Option<OutcomeWindow> {
        let BreakerPermit { name, generation, is_shared } = leave;
        let opened = if is_shared {
            match shared.into().report(&name, &self.policy, generation, outcome).await {
                Ok(reported) => {
                    // A probe that went well closes it, and the next call may be far.
                    if reported.state == BreakerState::Closed {
                        metrics().store.breaker(&name, 0);
                    }
                    reported.opened
                }
                Err(error) => {
                    tracing::debug!(%error, breaker = name, "outcome of a call not reported");
                    None
                }
            }
        } else {
            self.with_own(&name, |b, now| b.report(&self.policy, now, generation, outcome)).opened
        };
        if opened.is_some() {
            metrics().store.breaker_open(&name, Duration::from_millis(self.policy.open_ms));
        }
        opened
    }

    fn with_own<T>(&self, name: &str, act: impl FnOnce(&mut Breaker, u64) -> T) -> T {
        let now = self.started.elapsed().as_millis() as u64;
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        act(own.entry(name.to_owned()).or_default(), now)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MemoryStore, Store};
    use super::*;

    async fn fail(breakers: &Breakers, store: &Store, name: &str, times: usize) -> Vec<Option<OutcomeWindow>> {
        let mut told = Vec::new();
        for _ in 0..times {
            let leave = breakers.ask(store, name).await.expect("is closed");
            told.push(breakers.tell(store, leave, CallOutcome::Failure).await);
        }
        told
    }

    #[tokio::test]
    async fn our_own_breaker_guards_while_the_store_is_away() {
        let memory = MemoryStore::new();
        memory.set_available(false);
        let store = Store::Memory(memory.clone());
        let breakers = Breakers::new(BreakerPolicy::default());
        let told = fail(&breakers, &store, "p", 5).await;
        assert_eq!(told.last(), Some(&Some(OutcomeWindow { failures: 5, size: 5 })));
        assert!(breakers.ask(&store, "p").await.expect_err("is open") > Duration::from_secs(50));
        assert!(breakers.ask(&store, "q").await.is_ok(), "each name has its own");
        memory.set_available(true);
        assert!(breakers.ask(&store, "p").await.is_ok(), "the shared one has heard nothing");
    }

    #[tokio::test]
    async fn after_the_store_returns_the_shared_breaker_decides_again_and_what_it_knew_holds() {
        let memory = MemoryStore::new();
        let store = Store::Memory(memory.clone());
        let breakers = Breakers::new(BreakerPolicy::default());
        fail(&breakers, &store, "p", 5).await;
        memory.set_available(false);
        let leave = breakers.ask(&store, "p").await.expect("our own has heard nothing");
        memory.set_available(true);
        assert!(breakers.ask(&store, "p").await.is_err(), "the shared one is open still");
        assert_eq!(breakers.tell(&store, leave, CallOutcome::Failure).await, None, "and counts nothing from elsewhere");
        assert!(breakers.ask(&store, "p").await.is_err());
    }
}
