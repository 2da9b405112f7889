//! Leases: one owner of a key at a time, and pieces of work that are done once under a lease.

use std::time::Duration;

use bytes::Bytes;

use crate::key_family::family;
use crate::store::handle::{Store, each};
use crate::store::{Lease, LeaseAndValue, StoreError, Work, WorkState};
use crate::telemetry::metrics;

/// Access to the leases of a store. They save work; correctness never depends on them.
#[derive(Debug, Clone, Copy)]
pub struct SharedLeases<'a>(&'a Store);

impl Store {
    /// The leases of this store.
    #[must_use]
    pub fn leases(&self) -> SharedLeases<'_> {
        SharedLeases(self)
    }
}

impl SharedLeases<'_> {
    /// Takes the lease `key` for `owner` if no other owner holds it; the owner renews by taking it again.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn acquire(self, key: &str, owner: &str, ttl: Duration) -> Result<Lease, StoreError> {
        each!(self.0, s => s.acquire(key, owner, ttl).await)
    }

    /// Takes the lease `key` as [`Self::acquire`], then reads the value of `answer` as
    /// [`SharedValues::get`](crate::store::SharedValues::get), in one exchange: a holder that stores the answer and releases the lease in
    /// between leaves one of the two to be seen.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached; the lease may have been taken.
    pub async fn acquire_and_get(
        self,
        key: &str,
        owner: &str,
        ttl: Duration,
        answer: &str,
    ) -> Result<LeaseAndValue, StoreError> {
        let taken = each!(self.0, s => s.acquire_and_get(key, owner, ttl, answer).await);
        looked_up(answer, taken.as_ref().map(|taken| taken.answer.is_some()));
        taken
    }

    /// Releases the lease if `owner` holds it.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn release(self, key: &str, owner: &str) -> Result<(), StoreError> {
        each!(self.0, s => s.release(key, owner).await)
    }

    /// Whether any owner holds the lease `key`.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn is_held(self, key: &str) -> Result<bool, StoreError> {
        each!(self.0, s => s.is_held(key).await)
    }

    /// Marks `work` as running and returns its state, in one exchange: as
    /// [`SharedFences::latest`](crate::store::SharedFences::latest), [`Self::acquire`] and
    /// [`SharedValues::get`](crate::store::SharedValues::get) in this order. The mark comes before the answer, so that a run that ends in
    /// between leaves either its mark or its answer to be seen.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn enter(self, work: &Work, ttl: Duration) -> Result<WorkState, StoreError> {
        let entry = each!(self.0, s => s.enter(work, ttl).await);
        looked_up(&work.answer, entry.as_ref().map(|entry| entry.answer.is_some()));
        entry
    }

    /// Keeps the answer of `work` for `ttl` unless there is one, then ends its mark, in one exchange; returns the kept answer.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn leave(self, work: &Work, answer: Bytes, ttl: Duration) -> Result<Bytes, StoreError> {
        each!(self.0, s => s.leave(work, answer, ttl).await)
    }
}

/// Counts a look for the value of `key`, by whether it was found.
fn looked_up<E>(key: &str, found: Result<bool, E>) {
    let result = found.map_or("error", |is_found| if is_found { "hit" } else { "miss" });
    metrics().store.looked_up(family(key), result);
}
