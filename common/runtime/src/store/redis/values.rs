//! Cached values: plain keys that expire and that Redis may evict.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use redis::{Script, cmd};

use super::bounded::BoundedValue;
use super::{RedisStore, millis};
use crate::store::StoreError;

pub(super) static PUT_IF_ABSENT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("put_if_absent.lua")));
pub(super) static COMPARE_AND_SET: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("compare_and_set.lua")));

impl RedisStore {
    pub(in crate::store) async fn get(&self, key: &str) -> Result<Option<Bytes>, StoreError> {
        let name = self.value_key(key).await?;
        let mut found = self.read(&name, self.max_record_bytes()).await?;
        if found == BoundedValue::Absent && self.is_renamed(key, &name).await? {
            found = self.read(&self.value_key(key).await?, self.max_record_bytes()).await?;
        }
        self.open(key, found).await
    }

    /// A value above the limit is not kept, as in memory: later readers repeat the work.
    pub(in crate::store) async fn put_if_absent(
        &self,
        key: &str,
        value: Bytes,
        ttl: Duration,
    ) -> Result<Bytes, StoreError> {
        if value.len() > self.max_value_bytes {
            tracing::debug!(size_bytes = value.len(), "value too large for the store; not kept");
            return Ok(self.get(key).await?.unwrap_or(value));
        }
        let mut script = PUT_IF_ABSENT.prepare_invoke();
        let sealed = self.seal(key, &value).await?;
        script.key(self.value_key(key).await?).arg(&sealed[..]).arg(millis(ttl)).arg(self.max_record_bytes());
        let kept: BoundedValue = self.link.script(&script).await?;
        self.standing(key, value, kept, ttl).await
    }

    pub(in crate::store) async fn put(&self, key: &str, value: Bytes, ttl: Duration) -> Result<(), StoreError> {
        if value.len() > self.max_value_bytes {
            return Err(StoreError(format!(
                "a value must have at most {} bytes, got {}",
                self.max_value_bytes,
                value.len()
            )));
        }
        let sealed = self.seal(key, &value).await?;
        let name = self.value_key(key).await?;
        self.link.command(cmd("SET").arg(name).arg(&sealed[..]).arg("PX").arg(millis(ttl))).await
    }

    pub(in crate::store) async fn compare_and_set(
        &self,
        key: &str,
        expected: Option<&[u8]>,
        new: Bytes,
        ttl: Duration,
    ) -> Result<bool, StoreError> {
        if new.len() > self.max_value_bytes {
            return Err(StoreError(format!(
                "a value must have at most {} bytes, got {}",
                self.max_value_bytes,
                new.len()
            )));
        }
        let mut script = COMPARE_AND_SET.prepare_invoke();
        let new = self.seal(key, &new).await?;
        // The tag depends only on fleet key, name and value: equal values are equal bytes, which is what the script compares.
        let expected = match expected {
            Some(expected) => Some(self.seal(key, &Bytes::copy_from_slice(expected)).await?),
            None => None,
        };
        script.key(self.value_key(key).await?).arg(&new[..]).arg(millis(ttl)).arg(expected.as_deref());
        self.link.script(&script).await
    }

    pub(in crate::store) async fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.link.command(cmd("UNLINK").arg(self.value_key(key).await?)).await
    }
}
