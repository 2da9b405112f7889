//! The in-process store: same operations and results as Redis, except that it does not survive the process; its caches may be on disk, and
//! with [`MemoryStore::open`] also its records and events.
//!
//! Time is tokio's, so that tests can pause and advance it; only what is on disk expires by the wall clock.

mod event_logs;
mod events;
mod fences;
mod kept;
mod kept_events;
mod opening;
mod records;
mod state;
mod tamper;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use precis_proto::Timestamp;
use tokio::time::Instant;

use self::state::{LONGEST, MemoryState, OwnedLease, later};
pub use self::tamper::{RecordName, StoredRecord};
use super::values::ValueLimits;
use super::{
    Admission, Amount, BreakerPolicy, CallOutcome, CeilingHold, CeilingPolicy, DiskCache, Lease, LimitPolicy,
    ReportResult, Reservation, Spending, StoreError,
};
use crate::clock::Clock;
use crate::failpoints::{Failpoints, Fault};

/// An in-process store. A clone is another handle to the same store.
#[derive(Clone)]
pub struct MemoryStore {
    shared: Arc<Mutex<MemoryState>>,
    disk: Option<DiskCache>,
    failpoints: Failpoints,
    /// The clock of the server that this store stands in for.
    clock: Option<Clock>,
}

impl MemoryStore {
    /// Returns an empty, available store without a disk cache.
    #[must_use]
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Mutex::new(MemoryState::new())),
            disk: None,
            failpoints: Failpoints::none(),
            clock: None,
        }
    }

    /// Returns this store with its cache families read and written through `disk`.
    #[must_use]
    pub fn with_disk(self, disk: DiskCache) -> Self {
        Self { disk: Some(disk), ..self }
    }

    /// Returns a handle to this store with the failpoints of one worker.
    #[must_use]
    pub fn with_failpoints(self, failpoints: Failpoints) -> Self {
        Self { failpoints, ..self }
    }

    /// Returns this store with a clock, as a server has one.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// Returns this store with these limits on cached values and their bytes.
    #[must_use]
    pub fn with_limits(self, entries: usize, bytes: usize) -> Self {
        self.lock().values.limit(ValueLimits { entries, bytes });
        self
    }

    /// Makes every operation of every handle fail, or work again; the contents stay.
    pub fn set_available(&self, available: bool) {
        self.lock().available = available;
    }

    /// Deletes everything in memory, as `FLUSHALL` does, and on disk. Blocks if there is a disk cache.
    pub fn wipe(&self) {
        // The disk first: a reader in between would otherwise load its values into the memory just cleared.
        if let Some(disk) = &self.disk {
            disk.clear();
        }
        let mut state = self.lock();
        state.values.clear();
        state.leases.clear();
        state.fences.clear();
        state.events.clear();
        state.breakers.clear();
        state.limits.clear();
        state.ceilings.clear();
        state.keep_nothing();
    }

    pub(super) async fn get(&self, key: &str) -> Result<Option<Bytes>, StoreError> {
        self.before().await?;
        let found = match self.act(|state, now| state.values.get(key, now))? {
            Some(value) => Some(value),
            None => self.read_disk(key).await?,
        };
        self.after(found).await
    }

    pub(super) async fn put_if_absent(&self, key: &str, value: Bytes, ttl: Duration) -> Result<Bytes, StoreError> {
        self.before().await?;
        let kept = match self.disk_of(key) {
            None => self.act(|state, now| state.put_if_absent(key, value, now, ttl))?,
            Some(disk) => match self.act(|state, now| state.values.get(key, now))? {
                Some(kept) => kept,
                None => {
                    // The disk outlives this process and is shared with others: the value there wins.
                    let (kept, left) = disk.put_if_absent(key, value, ttl.min(LONGEST)).await;
                    self.act(|state, now| state.put_if_absent(key, kept, now, left))?
                }
            },
        };
        self.after(kept).await
    }

    pub(super) async fn put(&self, key: &str, value: Bytes, ttl: Duration) -> Result<(), StoreError> {
        self.before().await?;
        self.act(|state, now| state.values.set(key, value.clone(), later(now, ttl), now))?;
        // Memory before disk, as for a comparison: the file only follows.
        if let Some(disk) = self.disk_of(key) {
            disk.remove(key).await;
            disk.put_if_absent(key, value, ttl.min(LONGEST)).await;
        }
        self.after(()).await
    }

    pub(super) async fn compare_and_set(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        new: Bytes,
        ttl: Duration,
    ) -> Result<bool, StoreError> {
        self.before().await?;
        // Loaded first if it is on disk only: the comparison below sees memory alone.
        if self.act(|state, now| state.values.get(key, now))?.is_none() {
            self.read_disk(key).await?;
        }
        let written = self.act(|state, now| {
            let matches = state.values.get(key, now).as_deref() == expected;
            if matches {
                state.values.set(key, new.clone(), later(now, ttl), now);
            }
            matches
        })?;
        // Memory before disk: within this process the lock on memory decides the race; the file only follows.
        if written && let Some(disk) = self.disk_of(key) {
            disk.remove(key).await;
            disk.put_if_absent(key, new, ttl.min(LONGEST)).await;
        }
        self.after(written).await
    }

    pub(super) async fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.before().await?;
        // The disk first: a reader in between would otherwise load the value from there into the memory again.
        if let Some(disk) = self.disk_of(key) {
            disk.remove(key).await;
        }
        self.act(|state, _| state.values.remove(key))?;
        self.after(()).await
    }

    pub(super) async fn acquire(&self, key: &str, owner: &str, ttl: Duration) -> Result<Lease, StoreError> {
        let shared = self.disk.as_ref().filter(|_| DiskCache::shares(key));
        self.run(|state, now| {
            if let Some(held) = state.leases.get(key).filter(|l| l.owner != owner && l.expires > now) {
                return Lease::Held(held.expires - now);
            }
            // Held under the state's lock; opening and trying a lock file does not wait and takes microseconds.
            if shared.is_some_and(|disk| !disk.lock(key)) {
                return Lease::Held(ttl);
            }
            let owned = OwnedLease { owner: owner.to_owned(), expires: later(now, ttl) };
            state.leases.insert(key.to_owned(), owned);
            state.keep_mark(key, now);
            state.clear_expired_sometimes(now);
            Lease::Mine
        })
        .await
    }

    pub(super) async fn release(&self, key: &str, owner: &str) -> Result<(), StoreError> {
        self.run(|state, now| {
            if state.leases.get(key).is_some_and(|l| l.owner == owner) {
                state.leases.remove(key);
                state.keep_mark(key, now);
                if let Some(disk) = self.disk.as_ref().filter(|_| DiskCache::shares(key)) {
                    disk.unlock(key);
                }
            }
        })
        .await
    }

    pub(super) async fn is_held(&self, key: &str) -> Result<bool, StoreError> {
        self.run(|state, now| state.leases.get(key).is_some_and(|l| l.expires > now)).await
    }

    pub(super) async fn is_of_this_fleet(&self) -> Result<bool, StoreError> {
        self.run(|_, _| true).await
    }

    pub(super) async fn time(&self) -> Result<Option<Timestamp>, StoreError> {
        let clock = self.clock.clone();
        self.run(|_, _| clock.map(|clock| clock.now())).await
    }

    pub(super) async fn admit(&self, name: &str, policy: &BreakerPolicy) -> Result<Admission, StoreError> {
        self.run(|state, now| {
            let now_ms = state.clock_ms(now);
            state.breakers.entry(name.to_owned()).or_default().admit(policy, now_ms)
        })
        .await
    }

    pub(super) async fn admit_early(&self, name: &str, policy: &BreakerPolicy) -> Result<Admission, StoreError> {
        self.run(|state, now| {
            let now_ms = state.clock_ms(now);
            state.breakers.entry(name.to_owned()).or_default().admit_early(policy, now_ms)
        })
        .await
    }

    pub(super) async fn report(
        &self,
        name: &str,
        policy: &BreakerPolicy,
        generation: u64,
        outcome: CallOutcome,
    ) -> Result<ReportResult, StoreError> {
        self.run(|state, now| {
            let now_ms = state.clock_ms(now);
            state.breakers.entry(name.to_owned()).or_default().report(policy, now_ms, generation, outcome)
        })
        .await
    }

    pub(super) async fn reserve(
        &self,
        name: &str,
        policy: &LimitPolicy,
        amount: &Amount,
    ) -> Result<Reservation, StoreError> {
        self.run(|state, now| {
            let now_us = state.clock_us(now);
            state.limits.entry(name.to_owned()).or_default().reserve(policy, now_us, amount)
        })
        .await
    }

    pub(super) async fn settle(
        &self,
        name: &str,
        policy: &LimitPolicy,
        reserved: &Amount,
        used: &Amount,
    ) -> Result<(), StoreError> {
        self.run(|state, now| {
            let now_us = state.clock_us(now);
            state.limits.entry(name.to_owned()).or_default().settle(policy, now_us, reserved, used);
        })
        .await
    }

    pub(super) async fn set_aside(
        &self,
        name: &str,
        policy: &CeilingPolicy,
        hold: &CeilingHold,
        spent: &Amount,
    ) -> Result<Spending, StoreError> {
        self.run(|state, now| {
            let now_us = state.clock_us(now);
            let set_aside = state.ceiling(name, policy, now).set_aside(policy, now_us, hold, spent);
            state.keep_ceiling(name, now);
            set_aside
        })
        .await
    }

    pub(super) async fn spend(
        &self,
        name: &str,
        policy: &CeilingPolicy,
        window: u64,
        id: &str,
        used: &Amount,
    ) -> Result<(), StoreError> {
        self.run(|state, now| {
            state.ceiling(name, policy, now).spend(window, id, used);
            state.keep_ceiling(name, now);
        })
        .await
    }

    async fn run<T>(&self, act: impl FnOnce(&mut MemoryState, Instant) -> T) -> Result<T, StoreError> {
        self.before().await?;
        let done = self.act(act)?;
        self.after(done).await
    }

    /// Runs one step under the lock, if the store is available.
    fn act<T>(&self, act: impl FnOnce(&mut MemoryState, Instant) -> T) -> Result<T, StoreError> {
        let mut state = self.lock();
        if !state.available {
            return Err(StoreError("switched off".to_owned()));
        }
        Ok(act(&mut state, Instant::now()))
    }

    async fn before(&self) -> Result<(), StoreError> {
        match self.failpoints.hit("store.before").await {
            Fault::Drop => Err(StoreError("the request was lost".to_owned())),
            Fault::None | Fault::Delay(_) | Fault::Crash | Fault::Repeat => Ok(()),
        }
    }

    async fn after<T>(&self, done: T) -> Result<T, StoreError> {
        match self.failpoints.hit("store.after").await {
            Fault::Drop => Err(StoreError("the answer was lost".to_owned())),
            Fault::None | Fault::Delay(_) | Fault::Crash | Fault::Repeat => Ok(done),
        }
    }

    fn disk_of(&self, key: &str) -> Option<&DiskCache> {
        self.disk.as_ref().filter(|disk| disk.keeps(key))
    }

    /// Reads `key` from disk into memory.
    async fn read_disk(&self, key: &str) -> Result<Option<Bytes>, StoreError> {
        let Some(disk) = self.disk_of(key) else { return Ok(None) };
        match disk.get(key).await {
            Some((value, left)) => self.act(|state, now| Some(state.put_if_absent(key, value, now, left))),
            None => Ok(None),
        }
    }

    fn lock(&self) -> MutexGuard<'_, MemoryState> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("disk", &self.disk).finish_non_exhaustive()
    }
}
