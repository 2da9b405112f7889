//! Values that only the fleet can have written: each carries a tag of its name and its bytes.
//!
//! A value without a right tag is refused as if it were not there, counted, and overwritten by whoever does the work again.
//!
//! Names that are made of texts, such as those of calls and searches, are salted with the same key: whoever reads the names in Redis
//! cannot try whether somebody asked what they guess.

use bytes::Bytes;
use redis::cmd;

use super::{RedisStore, millis};
use crate::store::{StoreError, family};
use crate::telemetry::metrics;

/// In front of the names of values with a tag. Workers of a version without tags neither read nor replace them.
const KEYED: &str = "k1:";
/// The same where the name behind the family is salted.
const SALTED: &str = "k2:";
/// Families whose names are hashes of texts, or of what is asked about them.
const OF_TEXTS: [&str; 6] = ["call", "search", "digest", "summary", "extract", "tokens"];

impl RedisStore {
    /// Redis' name of a value.
    pub(super) async fn value_key(&self, key: &str) -> Result<String, StoreError> {
        let (keyed, name) = (if self.keys.is_some() { KEYED } else { "" }, self.salted(key).await?);
        Ok(match name {
            Some(salted) => format!("{}{SALTED}{salted}", self.prefix),
            None => format!("{}{keyed}{key}", self.prefix),
        })
    }

    /// Redis' name of a lease.
    pub(super) async fn lease_key(&self, key: &str) -> Result<String, StoreError> {
        let salted = self.salted(key).await?;
        Ok(self.key_in("lease", salted.as_deref().unwrap_or(key)))
    }

    /// The name of `key` behind its family where it is made of texts, and there is a key to salt it with.
    async fn salted(&self, key: &str) -> Result<Option<String>, StoreError> {
        let family = family(key);
        let Some(content) = self.keys.as_ref().filter(|_| OF_TEXTS.contains(&family)) else { return Ok(None) };
        let fleet = content.fleet_key().await.map_err(|e| without_key(&e))?;
        Ok(Some(format!("{family}:{}", fleet.name(key))))
    }

    /// Whether the key of the fleet is another than the one that `name` was made with: a value may lie under another name by now.
    pub(super) async fn is_renamed(&self, key: &str, name: &str) -> Result<bool, StoreError> {
        let Some(content) = self.keys.as_ref().filter(|_| OF_TEXTS.contains(&family(key))) else { return Ok(false) };
        content.renewed_fleet_key().await.map_err(|e| without_key(&e))?;
        Ok(self.value_key(key).await? != name)
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
        let name = self.value_key(key).await?;
        self.link.command::<()>(cmd("SET").arg(name).arg(&sealed[..]).arg("PX").arg(millis(ttl))).await?;
        Ok(value)
    }
}

fn without_key(error: &crate::content::ContentError) -> StoreError {
    StoreError(format!("the fleet key cannot be read: {error}"))
}
