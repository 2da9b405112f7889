//! The fence: one record per session, sealed with the fleet key as all values are, and changed by compare-and-set, so that the decision
//! is that of [`crate::store::fence`] in every store.
//!
//! A record that the fleet did not write is no fence, and is replaced. Whoever may write to Redis can delete records and restore earlier
//! ones; what that costs is decided where sessions are claimed.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::{LifeId, SessionId};
use redis::{cmd, pipe};

use super::bounded::{BoundedValue, push_read};
use super::values::COMPARE_AND_SET;
use super::{RedisStore, millis};
use crate::content::FleetKey;
use crate::store::StoreError;
use crate::store::fence::Fence;

/// Most bytes of a record: the ids of life and holder are far shorter.
const MAX_FENCE_BYTES: usize = 4 * 1024;
/// Tries to change a record that others change at the same time. More would let somebody else's writes delay a session.
const TRIES: u32 = 5;

impl RedisStore {
    pub(in crate::store) async fn latest(
        &self,
        session: &SessionId,
        life: Option<&LifeId>,
    ) -> Result<Option<u64>, StoreError> {
        let found = self.read(&self.fence_name(session).await?, max_record_bytes()).await?;
        self.latest_in(session, life, found).await
    }

    /// The last published revision according to what was read under [`Self::fence_name`].
    pub(super) async fn latest_in(
        &self,
        session: &SessionId,
        life: Option<&LifeId>,
        found: BoundedValue,
    ) -> Result<Option<u64>, StoreError> {
        Ok(self.fence_in(session, found).await?.and_then(|fence| fence.latest_of(life)))
    }

    /// Adds the command that reads the record of `session`.
    pub(super) async fn push_read_fence(
        &self,
        pipeline: &mut redis::Pipeline,
        session: &SessionId,
    ) -> Result<(), StoreError> {
        push_read(pipeline, &self.fence_name(session).await?, max_record_bytes());
        Ok(())
    }

    /// Changes the record of `session` as `act` does, which gets it, if it has not expired, and the time of the server.
    pub(in crate::store) async fn change_fence<T>(
        &self,
        session: &SessionId,
        act: impl Fn(&mut Option<Fence>, u64) -> T,
    ) -> Result<T, StoreError> {
        let name = self.fence_name(session).await?;
        for _ in 0..TRIES {
            let (now_ms, found) = self.timed_read(&name).await?;
            let standing = self.fence_in(session, found.clone()).await?.filter(|fence| fence.is_alive(now_ms));
            let mut fence = standing.clone();
            let done = act(&mut fence, now_ms);
            match fence {
                Some(fence) if standing.as_ref() != Some(&fence) => {
                    if self.replace_fence(session, &name, found, &fence, now_ms).await? {
                        return Ok(done);
                    }
                }
                Some(_) | None => return Ok(done),
            }
        }
        Err(StoreError(format!("the fence of the session changed at each of {TRIES} tries")))
    }

    /// Puts `fence` in the place of what was `found`; `false` if something else is there by now.
    async fn replace_fence(
        &self,
        session: &SessionId,
        name: &str,
        found: BoundedValue,
        fence: &Fence,
        now_ms: u64,
    ) -> Result<bool, StoreError> {
        let plain = Bytes::from(serde_json::to_vec(fence).expect("a fence is plain data"));
        if plain.len() > MAX_FENCE_BYTES {
            return Err(StoreError(format!("a fence must have at most {MAX_FENCE_BYTES} bytes, got {}", plain.len())));
        }
        let sealed = self.seal(&fence_key(session), &plain).await?;
        let ttl_ms = millis(Duration::from_millis(fence.needed_until_ms().saturating_sub(now_ms)));
        let expected = match found {
            BoundedValue::Absent => None,
            BoundedValue::Whole(found) => Some(found),
            // Not one of ours, and too large to compare with.
            BoundedValue::TooLarge { .. } => {
                self.link.command::<()>(cmd("SET").arg(name).arg(&sealed[..]).arg("PX").arg(ttl_ms)).await?;
                return Ok(true);
            }
        };
        let mut script = COMPARE_AND_SET.prepare_invoke();
        script.key(name).arg(&sealed[..]).arg(ttl_ms).arg(expected.as_deref());
        self.link.script(&script).await
    }

    /// The record in what was found, if the fleet wrote it.
    async fn fence_in(&self, session: &SessionId, found: BoundedValue) -> Result<Option<Fence>, StoreError> {
        let plain = self.open(&fence_key(session), found).await?;
        Ok(plain.and_then(|plain| serde_json::from_slice(&plain).ok()))
    }

    /// The time of the server, in milliseconds since the Unix epoch, and the record under `name`.
    async fn timed_read(&self, name: &str) -> Result<(u64, BoundedValue), StoreError> {
        let mut pipeline = pipe();
        pipeline.cmd("TIME");
        push_read(&mut pipeline, name, max_record_bytes());
        let (time, found): ((u64, u64), BoundedValue) = match self.link.pipeline(&pipeline).await? {
            Some(both) => both,
            // Singly: this loads the script that Redis did not know.
            None => (self.link.command(&cmd("TIME")).await?, self.read(name, max_record_bytes()).await?),
        };
        let (seconds, micros) = time;
        Ok((seconds.saturating_mul(1_000).saturating_add(micros / 1_000), found))
    }

    async fn fence_name(&self, session: &SessionId) -> Result<String, StoreError> {
        self.value_key(&fence_key(session)).await
    }
}

fn fence_key(session: &SessionId) -> String {
    format!("fence:{session}")
}

fn max_record_bytes() -> usize {
    MAX_FENCE_BYTES + FleetKey::TAG_BYTES
}
