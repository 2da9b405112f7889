//! Leases: one owner of a key at a time, and the pieces of work that are done under one.

use std::time::Duration;

use bytes::Bytes;

use crate::store::family::family;
use crate::store::handle::{Store, each};
use crate::store::{Lease, StoreError, Work, WorkState};
use crate::telemetry::metrics;

/// The leases of a store. They save work; correctness never rests on them.
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
    /// Takes the lease `key` for `owner` where nobody else holds it; the owner renews by taking it again.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn acquire(self, key: &str, owner: &str, ttl: Duration) -> Result<Lease, StoreError> {
        each!(self.0, s => s.acquire(key, owner, ttl).await)
    }

    /// Gives the lease up where `owner` holds it.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn release(self, key: &str, owner: &str) -> Result<(), StoreError> {
        each!(self.0, s => s.release(key, owner).await)
    }

    /// Whether somebody holds the lease `key`.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn is_held(self, key: &str) -> Result<bool, StoreError> {
        each!(self.0, s => s.is_held(key).await)
    }

    /// Marks `work` as under way and asks where it stands, in one exchange: what [`SharedFences::latest`](crate::store::SharedFences::latest), [`Self::acquire`] and
    /// [`SharedValues::get`](crate::store::SharedValues::get) say in this order, so that no other run of it ends in between.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn enter(self, work: &Work, ttl: Duration) -> Result<WorkState, StoreError> {
        let entry = each!(self.0, s => s.enter(work, ttl).await);
        let result = entry.as_ref().map_or("error", |entry| if entry.answer.is_some() { "hit" } else { "miss" });
        metrics().store.looked_up(family(&work.answer), result);
        entry
    }

    /// Keeps the answer of `work` for `ttl` unless there is one, and ends its mark, in one exchange; returns the answer that stands.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn leave(self, work: &Work, answer: Bytes, ttl: Duration) -> Result<Bytes, StoreError> {
        each!(self.0, s => s.leave(work, answer, ttl).await)
    }
}
