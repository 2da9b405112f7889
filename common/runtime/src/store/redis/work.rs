//! Entering and leaving a piece of work: several operations in one pipeline. Each still touches one key.

use std::time::Duration;

use bytes::Bytes;
use redis::{Pipeline, pipe};

use super::bounded::{BoundedValue, push_read};
use super::leases::{ACQUIRE, LONGEST_LEASE_MS, RELEASE, lease};
use super::values::PUT_IF_ABSENT;
use super::{RedisStore, millis};
use crate::store::{LeaseAndValue, StoreError, Work, WorkState};

impl RedisStore {
    pub(in crate::store) async fn enter(&self, work: &Work, ttl: Duration) -> Result<WorkState, StoreError> {
        // In this order: the mark before the answer. A run that ends in between leaves its mark or its answer to be seen.
        let mut pipeline = pipe();
        self.push_read_fence(&mut pipeline, &work.session).await?;
        self.push_acquire_and_get(&mut pipeline, &work.mark, &work.owner, ttl, &work.answer).await?;
        type WorkReply = (BoundedValue, u64, BoundedValue);
        if let Some((fence, left_ms, answer)) = self.link.pipeline::<WorkReply>(&pipeline).await? {
            let latest = self.latest_in(&work.session, work.life.as_ref(), fence).await?;
            let lease = lease(left_ms);
            return Ok(WorkState { latest, lease, answer: self.open(&work.answer, answer).await? });
        }
        // Singly and in the same order: this loads the script that Redis did not know.
        let latest = self.latest(&work.session, work.life.as_ref()).await?;
        let lease = self.acquire(&work.mark, &work.owner, ttl).await?;
        Ok(WorkState { latest, lease, answer: self.get(&work.answer).await? })
    }

    pub(in crate::store) async fn acquire_and_get(
        &self,
        key: &str,
        owner: &str,
        ttl: Duration,
        answer: &str,
    ) -> Result<LeaseAndValue, StoreError> {
        let mut pipeline = pipe();
        self.push_acquire_and_get(&mut pipeline, key, owner, ttl, answer).await?;
        if let Some((left_ms, found)) = self.link.pipeline::<(u64, BoundedValue)>(&pipeline).await? {
            return Ok(LeaseAndValue { lease: lease(left_ms), answer: self.open(answer, found).await? });
        }
        // As in `enter`.
        let lease = self.acquire(key, owner, ttl).await?;
        Ok(LeaseAndValue { lease, answer: self.get(answer).await? })
    }

    /// Adds the commands that take the lease `key` and read the value of `answer`.
    async fn push_acquire_and_get(
        &self,
        pipeline: &mut Pipeline,
        key: &str,
        owner: &str,
        ttl: Duration,
        answer: &str,
    ) -> Result<(), StoreError> {
        pipeline.cmd("EVALSHA").arg(ACQUIRE.get_hash()).arg(1).arg(self.lease_key(key).await?);
        pipeline.arg(owner).arg(millis(ttl)).arg(LONGEST_LEASE_MS);
        push_read(pipeline, &self.value_key(answer).await?, self.max_record_bytes());
        Ok(())
    }

    pub(in crate::store) async fn leave(&self, work: &Work, answer: Bytes, ttl: Duration) -> Result<Bytes, StoreError> {
        if answer.len() <= self.max_value_bytes {
            let mut pipeline: Pipeline = pipe();
            let sealed = self.seal(&work.answer, &answer).await?;
            // Answer before release: whoever takes the mark next must find the answer.
            pipeline.cmd("EVALSHA").arg(PUT_IF_ABSENT.get_hash()).arg(1).arg(self.value_key(&work.answer).await?);
            pipeline.arg(&sealed[..]).arg(millis(ttl)).arg(self.max_record_bytes());
            pipeline.cmd("EVALSHA").arg(RELEASE.get_hash()).arg(1).arg(self.lease_key(&work.mark).await?);
            pipeline.arg(&work.owner).ignore();
            if let Some((standing,)) = self.link.pipeline::<(BoundedValue,)>(&pipeline).await? {
                return self.standing(&work.answer, answer, standing, ttl).await;
            }
        }
        let standing = self.put_if_absent(&work.answer, answer, ttl).await?;
        self.release(&work.mark, &work.owner).await?;
        Ok(standing)
    }
}
