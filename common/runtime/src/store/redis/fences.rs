//! The fence: one hash per session, changed by scripts as [`Fence`](crate::store::fence::Fence) is in memory.

use std::sync::LazyLock;
use std::time::Duration;

use precis_proto::SessionId;
use redis::{Script, cmd};

use super::{RedisStore, millis, timed};
use crate::store::fence::{FENCE_MEMORY, copy_of};
use crate::store::{FenceClaim, StoreError};

static CLAIM: LazyLock<Script> = LazyLock::new(|| timed(include_str!("claim.lua")));
static RENEW: LazyLock<Script> = LazyLock::new(|| timed(include_str!("renew.lua")));
static ADVANCE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("advance.lua")));
static FORGET: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("forget.lua")));
static UNCLAIM: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("unclaim.lua")));

impl RedisStore {
    pub(in crate::store) async fn claim(
        &self,
        session: &SessionId,
        revision: u64,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        self.hold(&CLAIM, session, revision, holder, ttl).await
    }

    pub(in crate::store) async fn renew(
        &self,
        session: &SessionId,
        revision: u64,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        self.hold(&RENEW, session, revision, holder, ttl).await
    }

    async fn hold(
        &self,
        script: &Script,
        session: &SessionId,
        revision: u64,
        holder: &str,
        ttl: Duration,
    ) -> Result<FenceClaim, StoreError> {
        let mut script = script.prepare_invoke();
        script.key(self.fence(session)).arg(revision).arg(holder).arg(copy_of(holder));
        script.arg(millis(ttl)).arg(millis(ttl.max(FENCE_MEMORY)));
        let (word, number): (String, u64) = self.link.script(&script).await?;
        match word.as_str() {
            "claimed" => Ok(FenceClaim::Claimed { first: number == 1 }),
            "stale" => Ok(FenceClaim::Stale { latest: number }),
            "held" => Ok(FenceClaim::Held),
            _ => Err(StoreError("the fence script returned an unknown result".to_owned())),
        }
    }

    pub(in crate::store) async fn advance(
        &self,
        session: &SessionId,
        revision: u64,
        ttl: Duration,
    ) -> Result<(), StoreError> {
        let mut script = ADVANCE.prepare_invoke();
        script.key(self.fence(session)).arg(revision).arg(millis(ttl));
        self.link.script(&script).await
    }

    pub(in crate::store) async fn unclaim(
        &self,
        session: &SessionId,
        revision: u64,
        holder: &str,
    ) -> Result<(), StoreError> {
        let mut script = UNCLAIM.prepare_invoke();
        script.key(self.fence(session)).arg(revision).arg(holder);
        self.link.script(&script).await
    }

    pub(in crate::store) async fn forget(&self, session: &SessionId, latest: u64) -> Result<(), StoreError> {
        let mut script = FORGET.prepare_invoke();
        script.key(self.fence(session)).arg(latest);
        self.link.script(&script).await
    }

    pub(in crate::store) async fn latest(&self, session: &SessionId) -> Result<Option<u64>, StoreError> {
        self.link.command(cmd("HGET").arg(self.fence(session)).arg("revision")).await
    }

    pub(super) fn fence(&self, session: &SessionId) -> String {
        self.key_in("fence", session.as_str())
    }
}
