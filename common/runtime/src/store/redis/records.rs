//! Values that only the fleet can have written: each carries a tag of its name and its bytes.
//!
//! A value without a right tag is refused as if it were not there, counted, and overwritten by whoever does the work again.

use bytes::Bytes;
use redis::cmd;

use super::{RedisStore, millis};
use crate::store::{StoreError, family};
use crate::telemetry::metrics;

/// In front of the names of values with a tag. Workers of a version without tags neither read nor replace them.
const KEYED: &str = "k1:";

impl RedisStore {
    /// Redis' name of a value.
    pub(super) fn value_key(&self, key: &str) -> String {
        let keyed = if self.keys.is_some() { KEYED } else { "" };
        format!("{}{keyed}{key}", self.prefix)
    }

    /// `value` as it is kept under `key`.
    pub(super) async fn sealed(&self, key: &str, value: &Bytes) -> Result<Bytes, StoreError> {
        let Some(content) = &self.keys else { return Ok(value.clone()) };
        let fleet = content.fleet_key().await.map_err(|e| without_key(&e))?;
        Ok(fleet.sealed(key, value))
    }

    /// The value in what was found under `key`; `None` where the fleet did not write it.
    pub(super) async fn opened(&self, key: &str, found: Vec<u8>) -> Result<Option<Bytes>, StoreError> {
        let found = Bytes::from(found);
        let Some(content) = &self.keys else { return Ok(Some(found)) };
        let fleet = content.fleet_key().await.map_err(|e| without_key(&e))?;
        if let Some(value) = fleet.opened(key, found.clone()) {
            return Ok(Some(value));
        }
        // The content store may have been cleared, and another worker have made a new key since.
        let fleet = content.renewed_fleet_key().await.map_err(|e| without_key(&e))?;
        let value = fleet.opened(key, found);
        if value.is_none() {
            let family = family(key);
            metrics().store.refused(family);
            tracing::warn!(family, "a cache record was not written by this fleet; it is made again");
        }
        Ok(value)
    }

    /// What stands under `key` after `value` was offered: an earlier one that the fleet wrote, else `value`, which takes the place of
    /// one that it did not write.
    pub(super) async fn standing(
        &self,
        key: &str,
        value: Bytes,
        found: Option<Vec<u8>>,
        ttl: std::time::Duration,
    ) -> Result<Bytes, StoreError> {
        let Some(found) = found else { return Ok(value) };
        if let Some(earlier) = self.opened(key, found).await? {
            return Ok(earlier);
        }
        let sealed = self.sealed(key, &value).await?;
        let name = self.value_key(key);
        self.link.command::<()>(cmd("SET").arg(name).arg(&sealed[..]).arg("PX").arg(millis(ttl))).await?;
        Ok(value)
    }
}

fn without_key(error: &crate::content::ContentError) -> StoreError {
    StoreError(format!("the fleet key cannot be read: {error}"))
}
