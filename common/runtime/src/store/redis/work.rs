//! Entering and leaving a piece of work: several operations in one pipeline. Each still touches one key.

use std::time::Duration;

use bytes::Bytes;
use redis::{Pipeline, pipe};

use super::leases::{ACQUIRE, RELEASE};
use super::values::PUT_IF_ABSENT;
use super::{RedisStore, millis};
use crate::store::{Lease, StoreError, Work, WorkState};

impl RedisStore {
    pub(in crate::store) async fn enter(&self, work: &Work, ttl: Duration) -> Result<WorkState, StoreError> {
        // In this order: the mark before the answer. A run that ends in between leaves its mark or its answer to be seen.
        let mut pipeline = pipe();
        pipeline.cmd("HGET").arg(self.fence(&work.session)).arg("revision");
        pipeline.cmd("EVALSHA").arg(ACQUIRE.get_hash()).arg(1).arg(self.lease_key(&work.mark).await?);
        pipeline.arg(&work.owner).arg(millis(ttl));
        pipeline.cmd("GET").arg(self.value_key(&work.answer).await?);
        type WorkReply = (Option<u64>, u64, Option<Vec<u8>>);
        if let Some((latest, left_ms, answer)) = self.link.pipeline::<WorkReply>(&pipeline).await? {
            let lease = if left_ms == 0 { Lease::Mine } else { Lease::Held(Duration::from_millis(left_ms)) };
            let answer = match answer {
                Some(found) => self.opened(&work.answer, found).await?,
                None => None,
            };
            return Ok(WorkState { latest, lease, answer });
        }
        // Singly and in the same order: this loads the script that Redis did not know.
        let latest = self.latest(&work.session).await?;
        let lease = self.acquire(&work.mark, &work.owner, ttl).await?;
        Ok(WorkState { latest, lease, answer: self.get(&work.answer).await? })
    }

    pub(in crate::store) async fn leave(&self, work: &Work, answer: Bytes, ttl: Duration) -> Result<Bytes, StoreError> {
        if answer.len() <= self.max_value_bytes {
            let mut pipeline: Pipeline = pipe();
            let sealed = self.sealed(&work.answer, &answer).await?;
            // Answer before release: whoever takes the mark next must find the answer.
            pipeline.cmd("EVALSHA").arg(PUT_IF_ABSENT.get_hash()).arg(1).arg(self.value_key(&work.answer).await?);
            pipeline.arg(&sealed[..]).arg(millis(ttl));
            pipeline.cmd("EVALSHA").arg(RELEASE.get_hash()).arg(1).arg(self.lease_key(&work.mark).await?);
            pipeline.arg(&work.owner).ignore();
            if let Some((standing,)) = self.link.pipeline::<(Option<Vec<u8>>,)>(&pipeline).await? {
                return self.standing(&work.answer, answer, standing, ttl).await;
            }
        }
        let standing = self.put_if_absent(&work.answer, answer, ttl).await?;
        self.release(&work.mark, &work.owner).await?;
        Ok(standing)
    }
}
