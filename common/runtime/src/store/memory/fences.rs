//! The fences of the store in memory: one per session, never evicted before it expires.

use std::time::Duration;

use precis_proto::{LifeId, SessionId};

use super::MemoryStore;
use crate::store::fence::{self, Claimant, Fence};
use crate::store::{FenceClaim, Revision, StoreError};

impl MemoryStore {
    pub(in crate::store) async fn claim(
        &self,
        at: Revision<'_>,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        self.change(at.session, |slot, now_ms| fence::claim(slot, at, Claimant { holder, now_ms, ttl })).await
    }

    pub(in crate::store) async fn take(&self, at: Revision<'_>, holder: &str, ttl: Duration) -> Result<(), StoreError> {
        self.change(at.session, |slot, now_ms| fence::take(slot, at, Claimant { holder, now_ms, ttl })).await
    }

    pub(in crate::store) async fn renew(
        &self,
        at: Revision<'_>,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        self.change(at.session, |slot, now_ms| fence::renew(slot, at, Claimant { holder, now_ms, ttl })).await
    }

    pub(in crate::store) async fn advance(&self, at: Revision<'_>, ttl: Duration) -> Result<(), StoreError> {
        self.change(at.session, |slot, now_ms| fence::advance(slot, at, now_ms, ttl)).await
    }

    pub(in crate::store) async fn unclaim(&self, at: Revision<'_>, holder: &str) -> Result<(), StoreError> {
        self.change(at.session, |slot, _| fence::unclaim(slot, at, holder)).await
    }

    pub(in crate::store) async fn latest(
        &self,
        session: &SessionId,
        life: Option<&LifeId>,
    ) -> Result<Option<u64>, StoreError> {
        self.change(session, |slot, _| slot.as_ref().and_then(|fence| fence.latest_of(life))).await
    }

    /// Changes the record of `session` as `act` does, which gets it, if it has not expired, and the time of this store.
    async fn change<T>(
        &self,
        session: &SessionId,
        act: impl FnOnce(&mut Option<Fence>, u64) -> T,
    ) -> Result<T, StoreError> {
        self.run(|state, now| {
            let now_ms = state.clock_ms(now);
            let mut slot = state.fences.remove(session).filter(|fence| fence.is_alive(now_ms));
            let done = act(&mut slot, now_ms);
            if let Some(fence) = slot {
                state.fences.insert(session.clone(), fence);
            }
            state.clear_expired_sometimes(now);
            done
        })
        .await
    }
}
