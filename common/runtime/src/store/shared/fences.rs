//! Fences: the last published revision of each session, and its holder.

use std::time::Duration;

use precis_proto::SessionId;

use crate::store::handle::{Store, each};
use crate::store::{FenceClaim, StoreError};

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
    /// Claims a delivery of `session` at `revision` for `ttl`. A holder is `{copy}|{worker}`.
    ///
    /// Older than the last published revision: stale. Equal, while a live holder has another copy of it: held. Otherwise claimed, and a
    /// newer revision becomes the last published one. The same copy at another worker is taken over at once: the broker has redelivered
    /// it, so its earlier holder is dead or disconnected.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached: without a fence work may be repeated, but nothing is lost.
    pub async fn claim(
        self,
        session: &SessionId,
        revision: u64,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        each!(self.0, s => s.claim(session, revision, holder, ttl).await)
    }

    /// Renews a hold given by [`Self::claim`] for another `ttl`; stale or held if it is lost.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn renew(
        self,
        session: &SessionId,
        revision: u64,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        each!(self.0, s => s.renew(session, revision, holder, ttl).await)
    }

    /// Records that `session` was published with `revision`; never goes back. Ends a hold on an older revision; a hold on this one
    /// stays, because its next holder may have claimed it before the publisher got here. `ttl` is how long to remember it.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn advance(self, session: &SessionId, revision: u64, ttl: Duration) -> Result<(), StoreError> {
        each!(self.0, s => s.advance(session, revision, ttl).await)
    }

    /// Releases a hold without a publish (drain, crash of a task), so that the next delivery need not wait for it to expire.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn unclaim(self, session: &SessionId, revision: u64, holder: &str) -> Result<(), StoreError> {
        each!(self.0, s => s.unclaim(session, revision, holder).await)
    }

    /// Removes the record of `session` if its last published revision is `latest`.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn forget(self, session: &SessionId, latest: u64) -> Result<(), StoreError> {
        each!(self.0, s => s.forget(session, latest).await)
    }

    /// The last published revision of `session`, if known.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn latest(self, session: &SessionId) -> Result<Option<u64>, StoreError> {
        each!(self.0, s => s.latest(session).await)
    }
}
