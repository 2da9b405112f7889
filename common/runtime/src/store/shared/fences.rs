//! Fences: the last published revision of each session, and its holder.

use std::time::Duration;

use precis_proto::{LifeId, SessionId};

use crate::store::fence::{self, Claimant, Fence};
use crate::store::handle::{Store, each};
use crate::store::{FenceClaim, Revision, StoreError};

/// Access to the fences of a store, one per session.
#[derive(Debug, Clone, Copy)]
pub struct SharedFences<'a>(&'a Store);

impl Store {
    /// The fences of this store.
    #[must_use]
    pub fn fences(&self) -> SharedFences<'_> {
        SharedFences(self)
    }
}

impl SharedFences<'_> {
    /// Claims a delivery for `ttl`. A holder is `{copy}|{worker}`.
    ///
    /// Of another life than the fence: other. Older than the last published revision: stale. Equal, while a live holder has another copy
    /// of it: held. Otherwise claimed, and a newer revision becomes the last published one. The same copy at another worker is taken over
    /// at once: the broker has redelivered it, so its earlier holder is dead or disconnected.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached: without a fence work may be repeated, but nothing is lost.
    pub async fn claim(self, at: Revision<'_>, holder: &str, ttl: Duration) -> Result<FenceClaim, StoreError> {
        self.change(at, |slot, now_ms| fence::claim(slot, at, Claimant { holder, now_ms, ttl })).await
    }

    /// Claims a delivery whatever the fence says.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn take(self, at: Revision<'_>, holder: &str, ttl: Duration) -> Result<(), StoreError> {
        self.change(at, |slot, now_ms| fence::take(slot, at, Claimant { holder, now_ms, ttl })).await
    }

    /// Renews a hold given by [`Self::claim`] for another `ttl`; stale or held if it is lost. A fence of another life is replaced.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn renew(self, at: Revision<'_>, holder: &str, ttl: Duration) -> Result<FenceClaim, StoreError> {
        self.change(at, |slot, now_ms| fence::renew(slot, at, Claimant { holder, now_ms, ttl })).await
    }

    /// Records that a revision was published; never goes back within a life, and replaces the fence of another one. Ends a hold on an
    /// older revision; a hold on this one stays, because its next holder may have claimed it before the publisher got here. `ttl` is how
    /// long to remember it.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn advance(self, at: Revision<'_>, ttl: Duration) -> Result<(), StoreError> {
        self.change(at, |slot, now_ms| fence::advance(slot, at, now_ms, ttl)).await
    }

    /// Releases a hold without a publish (drain, crash of a task), so that the next delivery need not wait for it to expire.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn unclaim(self, at: Revision<'_>, holder: &str) -> Result<(), StoreError> {
        self.change(at, |slot, _| fence::unclaim(slot, at, holder)).await
    }

    /// The last published revision of this life of `session`; `None` if it is not known, or the life is not.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn latest(self, session: &SessionId, life: Option<&LifeId>) -> Result<Option<u64>, StoreError> {
        each!(self.0, s => s.latest(session, life).await)
    }

    /// Changes the fence of a session by one of the decisions of [`fence`], which gets the record and the time of the store.
    async fn change<T>(self, at: Revision<'_>, act: impl Fn(&mut Option<Fence>, u64) -> T) -> Result<T, StoreError> {
        each!(self.0, s => s.change_fence(at.session, act).await)
    }
}
