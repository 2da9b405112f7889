//! The fences of the store in memory: one per session, never evicted before it expires.

use precis_proto::{LifeId, SessionId};

use super::MemoryStore;
use crate::store::StoreError;
use crate::store::fence::Fence;

impl MemoryStore {
    pub(in crate::store) async fn latest(
        &self,
        session: &SessionId,
        life: Option<&LifeId>,
    ) -> Result<Option<u64>, StoreError> {
        self.change_fence(session, |slot, _| slot.as_ref().and_then(|fence| fence.latest_of(life))).await
    }

    /// Changes the record of `session` as `act` does, which gets it, if it has not expired, and the time of this store.
    pub(in crate::store) async fn change_fence<T>(
        &self,
        session: &SessionId,
        act: impl Fn(&mut Option<Fence>, u64) -> T,
    ) -> Result<T, StoreError> {
        self.run(|state, now| {
            let now_ms = state.clock_ms(now);
            let mut slot = state.fences.remove(session).filter(|fence| fence.is_alive(now_ms));
            let before = slot.clone();
            let done = act(&mut slot, now_ms);
            let is_changed = slot != before;
            if let Some(fence) = slot {
                state.fences.insert(session.clone(), fence);
            }
            // Not for a fence that was only read.
            if is_changed {
                state.keep_fence(session, now);
            }
            state.clear_expired_sometimes(now);
            done
        })
        .await
    }
}
