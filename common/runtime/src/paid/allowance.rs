//! Reservations under a provider's rate limits: made before a request, settled with the actual usage afterwards. The limits are
//! shared by the fleet through the store; while the store is unavailable, each process applies a share of them locally.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::store::{Amount, Limit, LimitPolicy, Reservation, Store};

/// Each wait is extended by up to this share at random, so that waiting calls do not all retry at once.
const SPREAD: f64 = 0.1;

/// The rate limits as one process sees them.
#[derive(Debug)]
pub(crate) struct Allowance {
    /// Local limits, used while the store is unavailable; they count only the requests made then.
    own: Mutex<BTreeMap<String, Limit>>,
    /// Start of the local limits' clock.
    started: Instant,
}

/// The reservation of one request under one limit; must be settled.
#[derive(Debug)]
pub(crate) struct RateReservation {
    name: String,
    policy: LimitPolicy,
    reserved: Amount,
    is_shared: bool,
}

impl Allowance {
    pub(crate) fn new() -> Self {
        Self { own: Mutex::new(BTreeMap::new()), started: Instant::now() }
    }

    /// Reserves `amount` under the limits `name`, waiting until `deadline` for room. Dropping the future while it
    /// waits reserves nothing; dropped while the store answers, it may leave `amount` reserved, which is then never settled and only
    /// time gives back.
    ///
    /// # Errors
    /// The time until there may be room, if that is after the deadline.
    pub(crate) async fn take(
        &self,
        store: &Store,
        name: &str,
        policy: &LimitPolicy,
        amount: Amount,
        deadline: Instant,
    ) -> Result<RateReservation, Duration> {
        let mut taken = RateReservation { name: name.to_owned(), policy: *policy, reserved: amount, is_shared: false };
        loop {
            let wait = match self.reserve(store, &mut taken).await {
                Reservation::Granted => return Ok(taken),
                Reservation::Wait(wait) => wait,
            };
            // The wait for a limit of zero is `Duration::MAX`: adding it to a clock would overflow.
            if Instant::now().checked_add(wait).is_none_or(|at| at > deadline) {
                return Err(wait);
            }
            tracing::debug!(name, wait_ms = wait.as_millis(), "waiting for room under the limit");
            sleep(wait.mul_f64(1.0 + rand::random_range(0.0..SPREAD))).await;
        }
    }

    /// Settles a reservation with the actual usage: returns the unused part, or charges the excess.
    pub(crate) async fn settle(&self, store: &Store, taken: RateReservation, used: Amount) {
        // Settled where it was reserved: the shared and the local limit know nothing of each other.
        if !taken.is_shared {
            let policy = taken.policy.alone();
            self.with_own(&taken.name, |l, now| l.settle(&policy, now, &taken.reserved, &used));
        } else if let Err(error) = store.limits().settle(&taken.name, &taken.policy, &taken.reserved, &used).await {
            tracing::debug!(%error, "limit not settled");
        }
    }

    async fn reserve(&self, store: &Store, taken: &mut RateReservation) -> Reservation {
        if !taken.policy.is_limited() {
            return Reservation::Granted;
        }
        match store.limits().reserve(&taken.name, &taken.policy, &taken.reserved).await {
            Ok(reservation) => {
                taken.is_shared = true;
                reservation
            }
            Err(error) => {
                tracing::debug!(%error, "shared limit not available, using the local one");
                taken.is_shared = false;
                let policy = taken.policy.alone();
                self.with_own(&taken.name, |l, now| l.reserve(&policy, now, &taken.reserved))
            }
        }
    }

    fn with_own<T>(&self, name: &str, act: impl FnOnce(&mut Limit, i64) -> T) -> T {
        let now = i64::try_from(self.started.elapsed().as_micros()).unwrap_or(i64::MAX);
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        act(own.entry(name.to_owned()).or_default(), now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    const CALL: Amount = Amount { requests: 1, tokens: 0, micro_usd: 0 };

    fn limit(requests: u64) -> LimitPolicy {
        LimitPolicy { requests: Some(requests), ..LimitPolicy::default() }
    }

    #[tokio::test(start_paused = true)]
    async fn two_processes_share_a_limit_and_each_waits_for_its_turn() {
        let store = Store::Memory(MemoryStore::new());
        let (one, two) = (Allowance::new(), Allowance::new());
        let (started, deadline) = (Instant::now(), Instant::now() + Duration::from_secs(3_600));
        for n in 0..6 {
            let who = if n % 2 == 0 { &one } else { &two };
            assert!(who.take(&store, "p", &limit(6), CALL, deadline).await.is_ok());
        }
        assert!(started.elapsed() >= Duration::from_secs(50));
        assert!(started.elapsed() < Duration::from_secs(57));
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_past_the_deadline_is_reported_at_once() {
        let store = Store::Memory(MemoryStore::new());
        let allowance = Allowance::new();
        let deadline = Instant::now() + Duration::from_secs(5);
        assert!(allowance.take(&store, "p", &limit(6), CALL, deadline).await.is_ok());
        let wait = allowance.take(&store, "p", &limit(6), CALL, deadline).await.expect_err("is too long");
        assert_eq!(wait, Duration::from_secs(10));
        assert!(allowance.take(&store, "q", &limit(6), CALL, deadline).await.is_ok(), "each provider has its own");
        assert!(allowance.take(&store, "r", &limit(0), CALL, deadline).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn while_the_store_is_away_a_process_takes_its_share() {
        let memory = MemoryStore::new();
        memory.set_available(false);
        let (store, allowance) = (Store::Memory(memory.clone()), Allowance::new());
        let soon = Instant::now() + Duration::from_secs(1);
        let taken = allowance.take(&store, "p", &limit(8), CALL, soon).await.expect("the first");
        let wait = allowance.take(&store, "p", &limit(8), CALL, soon).await.expect_err("a quarter of 8 a minute");
        assert_eq!(wait, Duration::from_secs(30));
        allowance.settle(&store, taken, Amount::default()).await;
        assert!(allowance.take(&store, "p", &limit(8), CALL, soon).await.is_ok(), "it was given back");
        memory.set_available(true);
        assert!(allowance.take(&store, "p", &limit(8), CALL, soon).await.is_ok(), "the shared one has heard nothing");
    }
}
