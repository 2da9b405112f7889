//! Authenticated values: each carries a tag over its name and its bytes under the fleet key.
//!
//! A value without a valid tag is treated as absent, counted, and overwritten by whoever repeats the work.
//!
//! Names derived from texts, such as those of calls and searches, are salted with the same key: someone who can read the names in Redis
//! cannot test whether a guessed question was asked.

use bytes::Bytes;
use redis::cmd;

use super::bounded::BoundedValue;
use super::{RedisStore, millis};
use crate::content::FleetKey;
use crate::key_family::{DERIVED_FROM_TEXTS, family};
use crate::store::StoreError;
use crate::telemetry::metrics;

/// Prefix of the names of tagged values. Workers of a version without tags neither read nor replace them.
const KEYED: &str = "k1:";
/// The same, if the name after the family is salted.
const SALTED: &str = "k2:";

impl RedisStore {
    /// Returns the Redis key of a value.
    pub(super) async fn value_key(&self, key: &str) -> Result<String, StoreError> {
        let (keyed, name) = (if self.keys.is_some() { KEYED } else { "" }, self.salted_name(key).await?);
        Ok(match name {
            Some(salted) => format!("{}{SALTED}{salted}", self.prefix),
            None => format!("{}{keyed}{key}", self.prefix),
        })
    }

    /// Returns the Redis key of a lease.
    pub(super) async fn lease_key(&self, key: &str) -> Result<String, StoreError> {
        let salted = self.salted_name(key).await?;
        Ok(self.key_in("lease", salted.as_deref().unwrap_or(key)))
    }

    /// Returns the salted name of `key`, if its family is derived from texts and there is a fleet key.
    async fn salted_name(&self, key: &str) -> Result<Option<String>, StoreError> {
        let family = family(key);
        let Some(content) = self.keys.as_ref().filter(|_| DERIVED_FROM_TEXTS.contains(&family)) else {
            return Ok(None);
        };
        let fleet = content.fleet_key().await.map_err(|e| no_fleet_key(&e))?;
        Ok(Some(format!("{family}:{}", fleet.name(key))))
    }

    /// Whether the fleet key has changed since `name` was derived: the value may now be under another name.
    pub(super) async fn is_renamed(&self, key: &str, name: &str) -> Result<bool, StoreError> {
        let Some(content) = self.keys.as_ref().filter(|_| DERIVED_FROM_TEXTS.contains(&family(key))) else {
            return Ok(false);
        };
        content.renewed_fleet_key().await.map_err(|e| no_fleet_key(&e))?;
        Ok(self.value_key(key).await? != name)
    }

    /// Returns `value` as it is stored under `key`.
    pub(super) async fn seal(&self, key: &str, value: &Bytes) -> Result<Bytes, StoreError> {
        let Some(content) = &self.keys else { return Ok(value.clone()) };
        let fleet = content.fleet_key().await.map_err(|e| no_fleet_key(&e))?;
        Ok(fleet.seal(key, value))
    }

    /// Most bytes of a record that are read: a value at the limit with its tag.
    pub(super) fn max_record_bytes(&self) -> usize {
        self.max_value_bytes.saturating_add(if self.keys.is_some() { FleetKey::TAG_BYTES } else { 0 })
    }

    /// Verifies what was found under `key`; `None` if there is nothing, or the fleet did not write it.
    pub(super) async fn open(&self, key: &str, found: BoundedValue) -> Result<Option<Bytes>, StoreError> {
        let found = match found {
            BoundedValue::Absent => return Ok(None),
            BoundedValue::Whole(found) => found,
            BoundedValue::TooLarge { size_bytes } => {
                let family = family(key);
                metrics().store.count_refused(family);
                tracing::warn!(family, size_bytes, "cached value is larger than any of this fleet; ignored");
                return Ok(None);
            }
        };
        let Some(content) = &self.keys else { return Ok(Some(found)) };
        let fleet = content.fleet_key().await.map_err(|e| no_fleet_key(&e))?;
        if let Some(value) = fleet.open(key, found.clone()) {
            return Ok(Some(value));
        }
        // The content store may have been cleared, and another worker may have created a new key since.
        let fleet = content.renewed_fleet_key().await.map_err(|e| no_fleet_key(&e))?;
        let value = fleet.open(key, found);
        if value.is_none() {
            let family = family(key);
            metrics().store.count_refused(family);
            tracing::warn!(family, "cached value was not written by this fleet; ignored");
        }
        Ok(value)
    }

    /// Returns the value kept under `key` after `value` was offered: an earlier one if the fleet wrote it, otherwise `value`, which
    /// then replaces it.
    pub(super) async fn standing(
        &self,
        key: &str,
        value: Bytes,
        found: BoundedValue,
        ttl: std::time::Duration,
    ) -> Result<Bytes, StoreError> {
        if found == BoundedValue::Absent {
            return Ok(value);
        }
        if let Some(earlier) = self.open(key, found).await? {
            return Ok(earlier);
        }
        let sealed = self.seal(key, &value).await?;
        let name = self.value_key(key).await?;
        // Unconditional: if two workers replace the same foreign value at once, the later one stays.
        self.link.command::<()>(cmd("SET").arg(name).arg(&sealed[..]).arg("PX").arg(millis(ttl))).await?;
        Ok(value)
    }
}

fn no_fleet_key(error: &crate::content::ContentError) -> StoreError {
    StoreError(format!("cannot read the fleet key: {error}"))
}
