//! Entering and leaving a piece of work in this process: the single operations, one after another.

use std::time::Duration;

use bytes::Bytes;

use super::{MemoryStore, StoreError, Work, WorkState};

impl MemoryStore {
    pub(super) async fn enter(&self, work: &Work, ttl: Duration) -> Result<WorkState, StoreError> {
        let latest = self.latest(&work.session).await?;
        let lease = self.acquire(&work.mark, &work.owner, ttl).await?;
        let answer = self.get(&work.answer).await?;
        Ok(WorkState { latest, lease, answer })
    }

    pub(super) async fn leave(&self, work: &Work, answer: Bytes, ttl: Duration) -> Result<Bytes, StoreError> {
        // Answer before release: whoever takes the mark next must find the answer.
        let standing = self.put_if_absent(&work.answer, answer, ttl).await?;
        self.release(&work.mark, &work.owner).await?;
        Ok(standing)
    }
}
