//! The store interface: what the fleet shares and may lose at any time. Every failure here counts as a miss, never as an error of a
//! job.
//!
//! Writes of results are first-writer-wins, so that all readers of a key see the same text. Locks here are for efficiency only;
//! correctness never depends on them.

mod breaker;
mod breakers;
mod ceiling;
mod disk;
mod error;
mod family;
mod fence;
mod lease;
mod limit;
mod memory;
mod record;
mod redis;
mod values;
mod work;

use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;

use self::family::family;
use crate::telemetry::metrics;

pub use breaker::{Admission, Breaker, BreakerPolicy, BreakerState, CallOutcome, OutcomeWindow, ReportResult};
pub use breakers::{BreakerPermit, Breakers, SharedBreakers};
pub use ceiling::{Ceiling, CeilingHold, CeilingPolicy, Spending};
pub use disk::DiskCache;
pub use error::StoreError;
pub(crate) use family::FAMILIES;
pub use fence::FenceClaim;
pub use lease::{Lease, Work, WorkState};
pub use limit::{Amount, Limit, LimitPolicy, Measure, Reservation};
pub use memory::MemoryStore;
pub use redis::{ClientIdentity, RedisSettings, RedisSettingsError, RedisStore};

/// The shared store. Keys start with their family (`digest:…`, `call:…`); times are those of the store's own clock.
#[derive(Debug, Clone)]
pub enum Store {
    /// In this process; cache families optionally on disk.
    Memory(MemoryStore),
    /// Shared by a fleet.
    Redis(RedisStore),
}

/// Counts a failed operation; callers treat the failure as a miss.
fn counted<T>(result: Result<T, StoreError>) -> Result<T, StoreError> {
    if result.is_err() {
        metrics().store.failed();
    }
    result
}

macro_rules! each {
    ($self:ident, $s:ident => $body:expr) => {
        counted(match $self {
            Self::Memory($s) => $body,
            Self::Redis($s) => $body,
        })
    };
}

impl Store {
    /// Returns the value of `key`, unless it has expired.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached; callers treat it as a miss and count it.
    pub async fn get(&self, key: &str) -> Result<Option<Bytes>, StoreError> {
        let found = each!(self, s => s.get(key).await);
        let result = match &found {
            Ok(Some(_)) => "hit",
            Ok(None) => "miss",
            Err(_) => "error",
        };
        metrics().store.looked_up(family(key), result);
        found
    }

    /// Writes `value` unless `key` has one; returns the value `key` has afterwards.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn put_if_absent(&self, key: &str, value: Bytes, ttl: Duration) -> Result<Bytes, StoreError> {
        each!(self, s => s.put_if_absent(key, value, ttl).await)
    }

    /// Writes `value`, replacing any other. For views that no decision depends on; never written to the cache directory.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn put(&self, key: &str, value: Bytes, ttl: Duration) -> Result<(), StoreError> {
        each!(self, s => s.put(key, value, ttl).await)
    }

    /// Replaces the value by `new` if it is `expected` (`None`: absent); returns whether it did.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn compare_and_set(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        new: Bytes,
        ttl: Duration,
    ) -> Result<bool, StoreError> {
        each!(self, s => s.compare_and_set(key, expected, new, ttl).await)
    }

    /// Deletes the value of `key`.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn delete(&self, key: &str) -> Result<(), StoreError> {
        each!(self, s => s.delete(key).await)
    }

    /// Takes the lease `key` for `owner` if no other owner holds it; the owner renews by taking it again.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn acquire(&self, key: &str, owner: &str, ttl: Duration) -> Result<Lease, StoreError> {
        each!(self, s => s.acquire(key, owner, ttl).await)
    }

    /// Releases the lease if `owner` holds it.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn release(&self, key: &str, owner: &str) -> Result<(), StoreError> {
        each!(self, s => s.release(key, owner).await)
    }

    /// Whether any owner holds the lease `key`.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn is_held(&self, key: &str) -> Result<bool, StoreError> {
        each!(self, s => s.is_held(key).await)
    }

    /// Marks `work` as running and returns its state, in one exchange: as [`Store::latest`], [`Store::acquire`] and [`Store::get`] in
    /// this order. The mark comes before the answer, so that a run that ends in between leaves either its mark or its answer to be
    /// seen.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn enter(&self, work: &Work, ttl: Duration) -> Result<WorkState, StoreError> {
        let entry = each!(self, s => s.enter(work, ttl).await);
        let result = entry.as_ref().map_or("error", |entry| if entry.answer.is_some() { "hit" } else { "miss" });
        metrics().store.looked_up(family(&work.answer), result);
        entry
    }

    /// Keeps the answer of `work` for `ttl` unless there is one, then ends its mark, in one exchange; returns the kept answer.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn leave(&self, work: &Work, answer: Bytes, ttl: Duration) -> Result<Bytes, StoreError> {
        each!(self, s => s.leave(work, answer, ttl).await)
    }

    /// Renews a hold given by [`Store::claim`] for another `ttl`; stale or held if it is lost.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn renew(
        &self,
        session: &SessionId,
        revision: u64,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        each!(self, s => s.renew(session, revision, holder, ttl).await)
    }

    /// Claims a delivery of `session` at `revision` for `ttl`. A holder is `{copy}|{worker}`.
    ///
    /// Older than the last published revision: stale. Equal, while a live holder has another copy of it: held. Otherwise claimed, and a
    /// newer revision becomes the last published one. The same copy at another worker is taken over at once: the broker has redelivered
    /// it, so its earlier holder is dead or disconnected.
    ///
    /// # Errors
    /// As [`Store::get`]: without a fence work may be repeated, but nothing is lost.
    pub async fn claim(
        &self,
        session: &SessionId,
        revision: u64,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        each!(self, s => s.claim(session, revision, holder, ttl).await)
    }

    /// Records that `session` was published with `revision`; never goes back. Ends a hold on an older revision; a hold on this one
    /// stays, because its next holder may have claimed it before the publisher got here. `ttl` is how long to remember it.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn advance(&self, session: &SessionId, revision: u64, ttl: Duration) -> Result<(), StoreError> {
        each!(self, s => s.advance(session, revision, ttl).await)
    }

    /// Releases a hold without a publish (drain, crash of a task), so that the next delivery need not wait for it to expire.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn unclaim(&self, session: &SessionId, revision: u64, holder: &str) -> Result<(), StoreError> {
        each!(self, s => s.unclaim(session, revision, holder).await)
    }

    /// The last published revision of `session`, if known.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn latest(&self, session: &SessionId) -> Result<Option<u64>, StoreError> {
        each!(self, s => s.latest(session).await)
    }

    /// Asks the breaker `name` whether a call may be made now.
    ///
    /// # Errors
    /// As [`Store::get`]; callers fall back to a local breaker.
    pub async fn admit(&self, name: &str, policy: &BreakerPolicy) -> Result<Admission, StoreError> {
        each!(self, s => s.admit(name, policy).await)
    }

    /// As [`Store::admit`], for a caller that need not wait for an open breaker: it becomes the probe, unless one is under way.
    ///
    /// # Errors
    /// As [`Store::admit`].
    pub async fn admit_early(&self, name: &str, policy: &BreakerPolicy) -> Result<Admission, StoreError> {
        each!(self, s => s.admit_early(name, policy).await)
    }

    /// Reports to the breaker `name` how an admitted call ended; a report of an older generation is ignored. Returns the new state, and
    /// the outcomes that opened the breaker if this report did.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn report(
        &self,
        name: &str,
        policy: &BreakerPolicy,
        generation: u64,
        outcome: CallOutcome,
    ) -> Result<ReportResult, StoreError> {
        each!(self, s => s.report(name, policy, generation, outcome).await)
    }

    /// Takes `amount` from the limit `name`, or returns how long to wait; then nothing was taken.
    ///
    /// # Errors
    /// As [`Store::get`]; callers fall back to their share of the limit.
    pub async fn reserve(&self, name: &str, policy: &LimitPolicy, amount: &Amount) -> Result<Reservation, StoreError> {
        each!(self, s => s.reserve(name, policy, amount).await)
    }

    /// Corrects what [`Store::reserve`] took from `name` to what was `used`: returns the rest, or takes what was missing.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub async fn settle(
        &self,
        name: &str,
        policy: &LimitPolicy,
        reserved: &Amount,
        used: &Amount,
    ) -> Result<(), StoreError> {
        each!(self, s => s.settle(name, policy, reserved, used).await)
    }

    /// Sets `hold` aside under the ceiling `name`, or returns why not; then nothing was set aside. It is released when its lease ends.
    ///
    /// `spent` is what the caller knows to be spent already: a store that was wiped continues from there.
    ///
    /// # Errors
    /// As [`Store::get`]; callers fall back to their share of the rest.
    pub async fn set_aside(
        &self,
        name: &str,
        policy: &CeilingPolicy,
        hold: &CeilingHold,
        spent: &Amount,
    ) -> Result<Spending, StoreError> {
        each!(self, s => s.set_aside(name, policy, hold, spent).await)
    }

    /// Ends what [`Store::set_aside`] began under `name` in `window`: releases the hold `id` and counts `used` as spent, even if the
    /// lease has ended. Does nothing if that window is over.
    ///
    /// # Errors
    /// As [`Store::get`]; the amount then stays set aside until its lease ends.
    pub async fn spend(
        &self,
        name: &str,
        policy: &CeilingPolicy,
        window: u64,
        id: &str,
        used: &Amount,
    ) -> Result<(), StoreError> {
        each!(self, s => s.spend(name, policy, window, id, used).await)
    }
}
