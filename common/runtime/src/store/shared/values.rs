//! Cached values and views, each kept under its key until it expires.

use std::time::Duration;

use bytes::Bytes;

use crate::key_family::family;
use crate::store::StoreError;
use crate::store::handle::{Store, each};
use crate::telemetry::metrics;

/// Access to the cached values of a store; each key starts with its family.
#[derive(Debug, Clone, Copy)]
pub struct SharedValues<'a>(&'a Store);

impl Store {
    /// The values of this store.
    #[must_use]
    pub fn values(&self) -> SharedValues<'_> {
        SharedValues(self)
    }
}

impl SharedValues<'_> {
    /// Returns the value of `key`, unless it has expired.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached; callers treat it as a miss and count it.
    pub async fn get(self, key: &str) -> Result<Option<Bytes>, StoreError> {
        let found = each!(self.0, s => s.get(key).await);
        let result = match &found {
            Ok(Some(_)) => "hit",
            Ok(None) => "miss",
            Err(_) => "error",
        };
        metrics().store.looked_up(family(key), result);
        found
    }

    /// Writes `value` unless `key` has one; returns the value `key` has afterwards.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn put_if_absent(self, key: &str, value: Bytes, ttl: Duration) -> Result<Bytes, StoreError> {
        each!(self.0, s => s.put_if_absent(key, value, ttl).await)
    }

    /// Writes `value`, replacing any other. For views that no decision depends on; never written to the cache directory.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn put(self, key: &str, value: Bytes, ttl: Duration) -> Result<(), StoreError> {
        each!(self.0, s => s.put(key, value, ttl).await)
    }

    /// Replaces the value by `new` if it is `expected` (`None`: absent); returns whether it did.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn compare_and_set(
        self,
        key: &str,
        expected: Option<&[u8]>,
        new: Bytes,
        ttl: Duration,
    ) -> Result<bool, StoreError> {
        each!(self.0, s => s.compare_and_set(key, expected, new, ttl).await)
    }

    /// Deletes the value of `key`.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn delete(self, key: &str) -> Result<(), StoreError> {
        each!(self.0, s => s.delete(key).await)
    }
}
