//! Leases: a key with its owner as value, which expires.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{Script, cmd};

use super::{RedisStore, millis};
use crate::store::{Lease, StoreError};

pub(super) static ACQUIRE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("acquire.lua")));
pub(super) static RELEASE: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("release.lua")));

/// Longest time to live of a lease that is believed, in milliseconds: far longer than any that workers take, which last seconds. A longer
/// one is somebody else's, and would make workers wait for nothing.
pub(super) const LONGEST_LEASE_MS: u64 = 3_600_000;

impl RedisStore {
    pub(in crate::store) async fn acquire(&self, key: &str, owner: &str, ttl: Duration) -> Result<Lease, StoreError> {
        let mut script = ACQUIRE.prepare_invoke();
        script.key(self.lease_key(key).await?).arg(owner).arg(millis(ttl)).arg(LONGEST_LEASE_MS);
        let left_ms: u64 = self.link.script(&script).await?;
        Ok(lease(left_ms))
    }

    pub(in crate::store) async fn release(&self, key: &str, owner: &str) -> Result<(), StoreError> {
        let mut script = RELEASE.prepare_invoke();
        script.key(self.lease_key(key).await?).arg(owner);
        self.link.script(&script).await
    }

    pub(in crate::store) async fn is_held(&self, key: &str) -> Result<bool, StoreError> {
        self.link.command(cmd("EXISTS").arg(self.lease_key(key).await?)).await
    }
}

/// Reads the reply of [`ACQUIRE`]: zero, or the milliseconds for which another owner holds the lease.
pub(super) fn lease(left_ms: u64) -> Lease {
    if left_ms == 0 { Lease::Mine } else { Lease::Held(Duration::from_millis(left_ms)) }
}
