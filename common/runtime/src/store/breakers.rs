//! The breakers of a process: shared through the store, and local while the store is unavailable.
//!
//! They guard calls of any kind, each by its name; the caller decides which outcome counts as a failure.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::{Admission, Breaker, BreakerPolicy, BreakerState, CallOutcome, OutcomeWindow, SharedBreakers, StoreError};
use crate::telemetry::metrics;

/// The breakers of a process.
#[derive(Debug)]
pub struct Breakers {
    policy: BreakerPolicy,
    /// Used while the store is unavailable; sees only the calls made then.
    local: Mutex<BTreeMap<String, Breaker>>,
    /// The zero of the local breakers' clock.
    started: Instant,
}

/// Permission to make one call; returned with its outcome.
#[derive(Debug)]
pub struct BreakerPermit {
    name: String,
    generation: u64,
    is_shared: bool,
}

impl Breakers {
    /// Returns breakers that all follow `policy`.
    #[must_use]
    pub fn new(policy: BreakerPolicy) -> Self {
        Self { policy, local: Mutex::new(BTreeMap::new()), started: Instant::now() }
    }

    /// Requests permission for a call guarded by the breaker `name`.
    ///
    /// # Errors
    /// The time to wait before the next request, if the breaker is open.
    pub async fn ask<'a>(&self, shared: impl Into<SharedBreakers<'a>>, name: &str) -> Result<BreakerPermit, Duration> {
        let admitted = shared.into().admit(name, &self.policy).await;
        self.settle_admission(name, admitted, Breaker::admit)
    }

    /// As [`Self::ask`], for a caller that need not wait for an open breaker, such as a new iteration of a session: it becomes the
    /// probe, unless one is under way.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub async fn ask_early<'a>(
        &self,
        shared: impl Into<SharedBreakers<'a>>,
        name: &str,
    ) -> Result<BreakerPermit, Duration> {
        let admitted = shared.into().admit_early(name, &self.policy).await;
        self.settle_admission(name, admitted, Breaker::admit_early)
    }

    fn settle_admission(
        &self,
        name: &str,
        admitted: Result<Admission, StoreError>,
        local: impl FnOnce(&mut Breaker, &BreakerPolicy, u64) -> Admission,
    ) -> Result<BreakerPermit, Duration> {
        let (admission, is_shared) = match admitted {
            Ok(admission) => (admission, true),
            Err(error) => {
                tracing::debug!(%error, breaker = name, "shared breaker unavailable; using the local one");
                (self.with_local(name, |b, now| local(b, &self.policy, now)), false)
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

    /// Reports how the call ended; returns the outcomes that opened the breaker, if this report did.
    pub async fn tell<'a>(
        &self,
        shared: impl Into<SharedBreakers<'a>>,
        permit: BreakerPermit,
        outcome: CallOutcome,
    ) -> Option<OutcomeWindow> {
        let BreakerPermit { name, generation, is_shared } = permit;
        // Reported where it was admitted: generations of the shared and the local breaker have nothing to do with each other.
        let opened = if is_shared {
            match shared.into().report(&name, &self.policy, generation, outcome).await {
                Ok(reported) => {
                    // A successful probe closes it; the next call may be far off, so the metric is set now.
                    if reported.state == BreakerState::Closed {
                        metrics().store.breaker(&name, 0);
                    }
                    reported.opened
                }
                // The outcome is lost; if this was the probe, another one is admitted after `probe_ms`.
                Err(error) => {
                    tracing::debug!(%error, breaker = name, "could not report the outcome of a call");
                    None
                }
            }
        } else {
            self.with_local(&name, |b, now| b.report(&self.policy, now, generation, outcome)).opened
        };
        if opened.is_some() {
            metrics().store.breaker_open(&name, Duration::from_millis(self.policy.open_ms));
        }
        opened
    }

    fn with_local<T>(&self, name: &str, act: impl FnOnce(&mut Breaker, u64) -> T) -> T {
        let now = self.started.elapsed().as_millis() as u64;
        let mut local = self.local.lock().unwrap_or_else(PoisonError::into_inner);
        act(local.entry(name.to_owned()).or_default(), now)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MemoryStore, Store};
    use super::*;

    async fn fail(breakers: &Breakers, store: &Store, name: &str, times: usize) -> Vec<Option<OutcomeWindow>> {
        let mut opened = Vec::new();
        for _ in 0..times {
            let permit = breakers.ask(store, name).await.expect("is closed");
            opened.push(breakers.tell(store, permit, CallOutcome::Failure).await);
        }
        opened
    }

    #[tokio::test]
    async fn our_own_breaker_guards_while_the_store_is_away() {
        let memory = MemoryStore::new();
        memory.set_available(false);
        let store = Store::Memory(memory.clone());
        let breakers = Breakers::new(BreakerPolicy::default());
        let opened = fail(&breakers, &store, "p", 5).await;
        assert_eq!(opened.last(), Some(&Some(OutcomeWindow { failures: 5, size: 5 })));
        assert!(breakers.ask(&store, "p").await.expect_err("is open") > Duration::from_secs(50));
        assert!(breakers.ask(&store, "q").await.is_ok(), "each name has its own");
        memory.set_available(true);
        assert!(breakers.ask(&store, "p").await.is_ok(), "the shared one has heard nothing");
    }

    #[tokio::test]
    async fn the_shared_breaker_decides_again_after_the_store_returns() {
        let memory = MemoryStore::new();
        let store = Store::Memory(memory.clone());
        let breakers = Breakers::new(BreakerPolicy::default());
        fail(&breakers, &store, "p", 5).await;
        memory.set_available(false);
        let permit = breakers.ask(&store, "p").await.expect("our own has heard nothing");
        memory.set_available(true);
        assert!(breakers.ask(&store, "p").await.is_err(), "the shared one is open still");
        assert_eq!(
            breakers.tell(&store, permit, CallOutcome::Failure).await,
            None,
            "and counts nothing from elsewhere"
        );
        assert!(breakers.ask(&store, "p").await.is_err());
    }
}
