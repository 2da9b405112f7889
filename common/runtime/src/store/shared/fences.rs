//! The fences: the last published revision of each session and who works on it.

use std::time::Duration;

use precis_proto::SessionId;

use crate::store::handle::{Store, each};
use crate::store::{FenceClaim, StoreError};

/// The fences of a store, one for each session.
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
    /// Asks the fence for a delivery of `session` at `revision`, held for `ttl`. A holder is `{copy}|{worker}`.
    ///
    /// Older than the last published revision: stale. Equal, and another copy of it held by a live holder: held. Otherwise
    /// claimed, and a newer revision than known becomes the last published one. The same copy at another worker is taken over
    /// at once: the broker has returned it, so its earlier holder is dead or cut off.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached: without a fence work may repeat, nothing is lost.
    pub async fn claim(
        self,
        session: &SessionId,
        revision: u64,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        each!(self.0, s => s.claim(session, revision, holder, ttl).await)
    }

    /// Keeps a hold that [`Self::claim`] gave for another `ttl`; stale or held where it is lost.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn renew(
        self,
        session: &SessionId,
        revision: u64,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        each!(self.0, s => s.renew(session, revision, holder, ttl).await)
    }

    /// Records that `session` was published with `revision`; never goes back. A hold on an older revision ends with it; a hold on
    /// this one stays, because its holder may have claimed it before the publisher got here. `ttl` is how long to remember.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn advance(self, session: &SessionId, revision: u64, ttl: Duration) -> Result<(), StoreError> {
        each!(self.0, s => s.advance(session, revision, ttl).await)
    }

    /// Lets go of a hold without a publish (drain, crash of a task), so that the next delivery need not wait for it to expire.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn unclaim(self, session: &SessionId, revision: u64, holder: &str) -> Result<(), StoreError> {
        each!(self.0, s => s.unclaim(session, revision, holder).await)
    }

    /// The last published revision of `session`, if known.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn latest(self, session: &SessionId) -> Result<Option<u64>, StoreError> {
        each!(self.0, s => s.latest(session).await)
    }
}
