//! The limits of a host for a whole fleet: as many leases as there may be requests at once, and a rate that is even. Both lie in the
//! store that the fleet shares; while it is away, a process keeps to its share of them.
//!
//! What is asked, and what a host says, is not known here. The store sees the hash of a host's name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use precis_proto::source::ContentRef;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};

use crate::model::allowance::Allowance;
use crate::store::{Amount, Lease, LimitPolicy, Store, StoreError};

/// Share of the requests at once that a process takes by itself while the store is away; chosen for a fleet of four, as for rates.
const SHARE: usize = 4;
/// Time between two looks for a free lease; a wait is up to half as long again, so that those who wait do not all look at once.
const LOOK: Duration = Duration::from_millis(50);
/// Longest time a turn is waited for.
const LONGEST: Duration = Duration::from_secs(3_600);

/// The hosts of one process of a fleet.
#[derive(Debug)]
pub(super) struct FleetHosts {
    store: Store,
    at_once: usize,
    rate: LimitPolicy,
    /// How long a request may last: a lease that nobody gives back ends by itself.
    lease: Duration,
    allowance: Allowance,
    /// What tells the leases of this process from those of others.
    process: u64,
    /// Requests of this process to a host while the store is away, for hosts that are being asked.
    alone: Mutex<BTreeMap<String, Arc<Semaphore>>>,
    /// Whether the store was away when it was last asked, so that it is told once.
    is_away: Mutex<bool>,
}

/// Leave of the fleet for one request; ends with the value.
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
    /// At most `at_once` requests of the fleet to a host at a time, their starts at least `interval` apart, each at most `longest` long.
    pub(super) fn new(store: Store, at_once: usize, interval: Duration, longest: Duration) -> Self {
        // Rounded down, so that starts are no closer than asked for.
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

    /// Waits for leave to send a request to `host`.
    ///
    /// # Errors
    /// How long it would take where that is more than an hour.
    pub(super) async fn turn(&self, host: &str) -> Result<FleetPermit, Duration> {
        let name = format!("fetch:{}", ContentRef::from_bytes(host.as_bytes()).hex());
        let until = Instant::now() + LONGEST;
        let permit = self.enter(&name, until).await?;
        let one = Amount { requests: 1, ..Amount::default() };
        // Kept, never settled: a request that was sent was one.
        self.allowance.take(&self.store, &name, &self.rate, one, until).await?;
        Ok(permit)
    }

    async fn enter(&self, name: &str, until: Instant) -> Result<FleetPermit, Duration> {
        let owner = format!("{:016x}-{:016x}", self.process, rand::random::<u64>());
        loop {
            match self.lease(name, &owner).await {
                Ok(Some(held)) => {
                    self.tell(false);
                    return Ok(FleetPermit { _held: Some(held), _alone: None });
                }
                Ok(None) if Instant::now() >= until => return Err(LONGEST),
                Ok(None) => sleep(LOOK.mul_f64(rand::random_range(1.0..1.5))).await,
                Err(error) => {
                    tracing::debug!(%error, "leases of a host not asked");
                    self.tell(true);
                    let alone = self.alone(name).acquire_owned().await.expect("nobody closes it");
                    return Ok(FleetPermit { _held: None, _alone: Some(alone) });
                }
            }
        }
    }

    /// The first lease of a host that nobody holds; `None` where all are held.
    async fn lease(&self, name: &str, owner: &str) -> Result<Option<HeldLease>, StoreError> {
        for n in 0..self.at_once {
            let key = format!("{name}:{n}");
            // Made before the lease is asked for: a request that is dropped while it waits for the answer gives it back as well.
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
        alone.retain(|_, turns| Arc::strong_count(turns) > 1);
        let share = (self.at_once / SHARE).max(1);
        alone.entry(name.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(share))).clone()
    }

    /// Says once that the store is away, and once that it is back.
    fn tell(&self, is_away: bool) {
        let mut was_away = self.is_away.lock().unwrap_or_else(PoisonError::into_inner);
        match (*was_away, is_away) {
            (false, true) => tracing::warn!("limits per host are this process's share: the store does not answer"),
            (true, false) => tracing::info!("limits per host are the fleet's again"),
            (false, false) | (true, true) => {}
        }
        *was_away = is_away;
    }

    /// Whether the store was away when it was last asked.
    #[cfg(test)]
    fn is_away(&self) -> bool {
        *self.is_away.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldLease {
    /// It is somebody else's: there is nothing to give back.
    fn forget(mut self) {
        self.key.clear();
    }
}

impl Drop for HeldLease {
    /// Gives the lease back; where that fails it ends by itself.
    fn drop(&mut self) {
        let (store, key, owner) = (self.store.clone(), std::mem::take(&mut self.key), std::mem::take(&mut self.owner));
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if !key.is_empty() {
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
    async fn a_lease_that_nobody_gives_back_ends_by_itself() {
        let [one, other] = two(&MemoryStore::new(), 1, Duration::ZERO);
        let held = one.turn("a.org").await.expect("a turn");
        let started = Instant::now();
        std::mem::forget(held);
        assert!(timeout(LEASE * 2, other.turn("a.org")).await.is_ok());
        assert!(started.elapsed() >= LEASE - SOON, "{:?}", started.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn while_the_store_is_away_a_process_keeps_to_its_share_and_says_so() {
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
