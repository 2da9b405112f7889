//! The limits per host of a whole fleet: one lease per concurrent request, and an evenly spaced rate. Both are in the fleet's shared
//! store; while it is unavailable, each process applies its share of them.
//!
//! This module does not know requests or responses. The store contains only the hash of a host's name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use precis_proto::source::ContentRef;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};

use crate::paid::allowance::Allowance;
use crate::store::{Amount, Lease, LimitPolicy, Store, StoreError};

/// Divisor of the concurrency limit for one process while the store is unavailable; chosen for a fleet of four, as for rates.
const SHARE: usize = 4;
/// Pause between two tries for a free lease; extended by up to half at random, so that waiting calls do not all retry at once.
const LOOK: Duration = Duration::from_millis(50);
/// Longest wait for a turn.
const LONGEST: Duration = Duration::from_secs(3_600);

/// The hosts of one process of a fleet.
#[derive(Debug)]
pub(super) struct FleetHosts {
    store: Store,
    at_once: usize,
    rate: LimitPolicy,
    /// Duration of a lease, longer than any request; a lease that is not released expires.
    lease: Duration,
    allowance: Allowance,
    /// Random id that distinguishes the leases of this process.
    process: u64,
    /// Local permits per host, used while the store is unavailable.
    alone: Mutex<BTreeMap<String, Arc<Semaphore>>>,
    /// Whether the store was unavailable at the last try, so that a change is logged once.
    is_away: Mutex<bool>,
}

/// The fleet's permit for one request; released on drop.
#[derive(Debug)]
pub(super) struct FleetPermit {
    _held: Option<HeldLease>,
    _alone: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
struct HeldLease {
    store: Store,
    key: String,
    owner: String,
}

impl FleetHosts {
    /// Limits the fleet to `at_once` concurrent requests per host, started at least `interval` apart, each at most `longest` long.
    pub(super) fn new(store: Store, at_once: usize, interval: Duration, longest: Duration) -> Self {
        // Rounded down, so that requests start no closer than `interval`.
        let a_minute = (!interval.is_zero()).then(|| ((60.0 / interval.as_secs_f64()) as u64).max(1));
        Self {
            store,
            at_once: at_once.max(1),
            rate: LimitPolicy { requests: a_minute, is_even: true, ..LimitPolicy::default() },
            lease: longest,
            allowance: Allowance::new(),
            process: rand::random(),
            alone: Mutex::default(),
            is_away: Mutex::default(),
        }
    }

    /// Waits for the permit to send a request to `host`.
    ///
    /// # Errors
    /// The expected wait, if it is more than an hour.
    pub(super) async fn turn(&self, host: &str) -> Result<FleetPermit, Duration> {
        let name = format!("fetch:{}", ContentRef::from_bytes(host.as_bytes()).hex());
        let until = Instant::now() + LONGEST;
        // The lease before the rate: a start granted first and used after a long wait would not be spaced from the others.
        let permit = self.enter(&name, until).await?;
        let one = Amount { requests: 1, ..Amount::default() };
        // Never settled: every request that is sent uses one unit of the rate.
        self.allowance.take(&self.store, &name, &self.rate, one, until).await?;
        Ok(permit)
    }

    async fn enter(&self, name: &str, until: Instant) -> Result<FleetPermit, Duration> {
        let owner = format!("{:016x}-{:016x}", self.process, rand::random::<u64>());
        loop {
            match self.lease(name, &owner).await {
                Ok(Some(held)) => {
                    self.log_change(false);
                    return Ok(FleetPermit { _held: Some(held), _alone: None });
                }
                Ok(None) if Instant::now() >= until => return Err(LONGEST),
                Ok(None) => sleep(LOOK.mul_f64(rand::random_range(1.0..1.5))).await,
                Err(error) => {
                    tracing::debug!(%error, "shared leases of a host not available, using local permits");
                    self.log_change(true);
                    let alone = self.alone(name).acquire_owned().await.expect("nobody closes it");
                    return Ok(FleetPermit { _held: None, _alone: Some(alone) });
                }
            }
        }
    }

    /// Takes the first free lease of a host; `None` if all are held.
    async fn lease(&self, name: &str, owner: &str) -> Result<Option<HeldLease>, StoreError> {
        for n in 0..self.at_once {
            let key = format!("{name}:{n}");
            // Created before the lease is acquired: if this future is dropped while waiting for the store, the lease is still released.
            let held = HeldLease { store: self.store.clone(), key, owner: owner.to_owned() };
            match self.store.leases().acquire(&held.key, owner, self.lease).await? {
                Lease::Mine => return Ok(Some(held)),
                Lease::Held(_) => held.forget(),
            }
        }
        Ok(None)
    }

    fn alone(&self, name: &str) -> Arc<Semaphore> {
        let mut alone = self.alone.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever holds a permit or waits for one keeps the semaphore: only unused ones are dropped.
        alone.retain(|_, turns| Arc::strong_count(turns) > 1);
        let share = (self.at_once / SHARE).max(1);
        alone.entry(name.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(share))).clone()
    }

    /// Logs once when the store becomes unavailable, and once when it is back.
    fn log_change(&self, is_away: bool) {
        let mut was_away = self.is_away.lock().unwrap_or_else(PoisonError::into_inner);
        match (*was_away, is_away) {
            (false, true) => {
                tracing::warn!("the store does not answer: this process applies its share of the limits per host")
            }
            (true, false) => tracing::info!("the store answers again: limits per host are shared by the fleet"),
            (false, false) | (true, true) => {}
        }
        *was_away = is_away;
    }

    /// Whether the store was unavailable at the last try.
    #[cfg(test)]
    fn is_away(&self) -> bool {
        *self.is_away.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldLease {
    /// Drops a lease that another process holds, without releasing it.
    fn forget(mut self) {
        self.key.clear();
    }
}

impl Drop for HeldLease {
    /// Releases the lease; if that fails, it expires.
    fn drop(&mut self) {
        let (store, key, owner) = (self.store.clone(), std::mem::take(&mut self.key), std::mem::take(&mut self.owner));
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if !key.is_empty() {
            // Spawned, because a drop cannot wait.
            runtime.spawn(async move {
                let _ = store.leases().release(&key, &owner).await;
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;
    use crate::store::MemoryStore;

    const SOON: Duration = Duration::from_secs(1);
    const LEASE: Duration = Duration::from_secs(60);

    fn two(memory: &MemoryStore, at_once: usize, interval: Duration) -> [FleetHosts; 2] {
        [(); 2].map(|()| FleetHosts::new(Store::Memory(memory.clone()), at_once, interval, LEASE))
    }

    #[tokio::test(start_paused = true)]
    async fn two_processes_have_as_many_requests_at_once_as_one() {
        for limit in [1, 3] {
            let [one, other] = two(&MemoryStore::new(), limit, Duration::ZERO);
            let mut held = Vec::new();
            for n in 1..=limit + 1 {
                let process = if n % 2 == 0 { &one } else { &other };
                let turn = timeout(SOON, process.turn("a.org")).await;
                assert_eq!(turn.is_ok(), n <= limit, "request {n} of {limit}");
                held.extend(turn);
            }
            assert!(timeout(SOON, one.turn("b.org")).await.is_ok(), "another host has its own");
            held.pop();
            assert!(timeout(SOON, other.turn("a.org")).await.is_ok(), "one has ended");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn two_processes_start_requests_an_interval_apart() {
        let [one, other] = two(&MemoryStore::new(), 8, Duration::from_millis(200));
        let start = Instant::now();
        for n in 0..6_u64 {
            let process = if n % 2 == 0 { &one } else { &other };
            drop(process.turn("a.org").await.expect("a turn"));
            assert!(start.elapsed() >= Duration::from_millis(200 * n), "{n} {:?}", start.elapsed());
        }
        assert!(start.elapsed() < Duration::from_millis(1_400), "{:?}", start.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn an_unreturned_lease_ends_by_itself() {
        let [one, other] = two(&MemoryStore::new(), 1, Duration::ZERO);
        let held = one.turn("a.org").await.expect("a turn");
        let started = Instant::now();
        std::mem::forget(held);
        assert!(timeout(LEASE * 2, other.turn("a.org")).await.is_ok());
        assert!(started.elapsed() >= LEASE - SOON, "{:?}", started.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn without_the_store_a_process_keeps_its_share_and_says_so() {
        for (limit, share) in [(1, 1), (7, 1), (8, 2)] {
            let memory = MemoryStore::new();
            let [one, other] = two(&memory, limit, Duration::ZERO);
            memory.set_available(false);
            let mut held = Vec::new();
            for n in 1..=share + 1 {
                let turn = timeout(SOON, one.turn("a.org")).await;
                assert_eq!(turn.is_ok(), n <= share, "request {n} of {share}");
                held.extend(turn);
            }
            assert!(one.is_away() && timeout(SOON, other.turn("a.org")).await.is_ok(), "each has its share");
            memory.set_available(true);
            assert!(timeout(SOON, one.turn("a.org")).await.is_ok() && !one.is_away(), "the fleet's are free");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_rate_of_a_process_alone_is_its_share() {
        let memory = MemoryStore::new();
        let [one, _] = two(&memory, 8, Duration::from_millis(200));
        memory.set_available(false);
        let start = Instant::now();
        for _ in 0..3 {
            drop(one.turn("a.org").await.expect("a turn"));
        }
        assert!(start.elapsed() >= Duration::from_millis(1_600), "{:?}", start.elapsed());
    }
}
