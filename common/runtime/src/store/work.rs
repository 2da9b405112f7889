//! Entering and leaving a piece of work in this process: the single operations, one after another.

use std::time::Duration;

use bytes::Bytes;

use super::{LeaseAndValue, MemoryStore, StoreError, Work, WorkState};

impl MemoryStore {
    pub(super) async fn acquire_and_get(
        &self,
        key: &str,
        owner: &str,
        ttl: Duration,
        answer: &str,
    ) -> Result<LeaseAndValue, StoreError> {
        let lease = self.acquire(key, owner, ttl).await?;
        Ok(LeaseAndValue { lease, answer: self.get(answer).await? })
    }

    pub(super) async fn enter(&self, work: &Work, ttl: Duration) -> Result<WorkState, StoreError> {
        let latest = self.latest(&work.session, work.life.as_ref()).await?;
        let LeaseAndValue { lease, answer } = self.acquire_and_get(&work.mark, &work.owner, ttl, &work.answer).await?;
        Ok(WorkState { latest, lease, answer })
    }

    pub(super) async fn leave(&self, work: &Work, answer: Bytes, ttl: Duration) -> Result<Bytes, StoreError> {
        // Answer before release: whoever takes the mark next must find the answer.
        let standing = self.put_if_absent(&work.answer, answer, ttl).await?;
        self.release(&work.mark, &work.owner).await?;
        Ok(standing)
    }
}
