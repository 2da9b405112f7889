//! The fences of the store in memory: one per session, never evicted before it expires.

use std::time::Duration;

use precis_proto::SessionId;
use tokio::time::Instant;

use super::{MemoryState, MemoryStore, later};
use crate::store::fence::{FENCE_MEMORY, Fence};
use crate::store::{FenceClaim, StoreError};

impl MemoryStore {
    pub(in crate::store) async fn renew(
        &self,
        session: &SessionId,
        revision: u64,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        self.run(|state, now| {
            let (hold_until, remember_until) = (later(now, ttl), later(now, ttl.max(FENCE_MEMORY)));
            // Removes an expired record first.
            let _ = state.fence(session, now);
            let fence = state.fences.entry(session.clone()).or_insert_with(|| Fence::new(revision, remember_until));
            fence.renew(revision, holder, now, hold_until)
        })
        .await
    }

    pub(in crate::store) async fn claim(
        &self,
        session: &SessionId,
        revision: u64,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        self.run(|state, now| {
            let (hold_until, remember_until) = (later(now, ttl), later(now, ttl.max(FENCE_MEMORY)));
            let first = state.fence(session, now).is_none();
            let fence = state.fences.entry(session.clone()).or_insert_with(|| Fence::new(revision, remember_until));
            let claim = match fence.claim(revision, holder, now, hold_until, remember_until) {
                FenceClaim::Claimed { .. } => FenceClaim::Claimed { first },
                refused => refused,
            };
            state.clear_expired_sometimes(now);
            claim
        })
        .await
    }

    pub(in crate::store) async fn advance(
        &self,
        session: &SessionId,
        revision: u64,
        ttl: Duration,
    ) -> Result<(), StoreError> {
        self.run(|state, now| {
            let remember_until = later(now, ttl);
            match state.fence(session, now) {
                Some(fence) => fence.advance(revision, remember_until),
                None => {
                    state.fences.insert(session.clone(), Fence::new(revision, remember_until));
                }
            }
            state.clear_expired_sometimes(now);
        })
        .await
    }

    pub(in crate::store) async fn unclaim(
        &self,
        session: &SessionId,
        revision: u64,
        holder: &str,
    ) -> Result<(), StoreError> {
        self.run(|state, now| {
            if let Some(fence) = state.fence(session, now) {
                fence.unclaim(revision, holder);
            }
        })
        .await
    }

    pub(in crate::store) async fn forget(&self, session: &SessionId, latest: u64) -> Result<(), StoreError> {
        self.run(|state, now| {
            if state.fence(session, now).is_some_and(|fence| fence.revision() == latest) {
                state.fences.remove(session);
            }
        })
        .await
    }

    pub(in crate::store) async fn latest(&self, session: &SessionId) -> Result<Option<u64>, StoreError> {
        self.run(|state, now| state.fence(session, now).map(|f| f.revision())).await
    }
}

impl MemoryState {
    /// The record of `session`, if it has not expired.
    fn fence(&mut self, session: &SessionId, now: Instant) -> Option<&mut Fence> {
        if self.fences.get(session).is_some_and(|f| !f.is_alive(now)) {
            self.fences.remove(session);
        }
        self.fences.get_mut(session)
    }
}
