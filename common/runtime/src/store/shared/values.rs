//! Cached values and views: what is under a key until it expires.

use std::time::Duration;

use bytes::Bytes;

use crate::store::StoreError;
use crate::store::family::family;
use crate::store::handle::{Store, each};
use crate::telemetry::metrics;

/// The cached values of a store, each under a key with its family.
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
    /// The value of `key`, unless it has expired.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached; callers treat it as a miss and count it.
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

    /// Writes `value` unless `key` has one; returns what stands there now.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn put_if_absent(self, key: &str, value: Bytes, ttl: Duration) -> Result<Bytes, StoreError> {
        each!(self.0, s => s.put_if_absent(key, value, ttl).await)
    }

    /// Writes `value`, whatever `key` has now. For views that nothing decides by; kept in no cache directory.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn put(self, key: &str, value: Bytes, ttl: Duration) -> Result<(), StoreError> {
        each!(self.0, s => s.put(key, value, ttl).await)
    }

    /// Replaces the value by `new` where it is now `expected` (`None`: absent); says whether it did.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn compare_and_set(
        self,
        key: &str,
        expected: Option<&[u8]>,
        new: Bytes,
        ttl: Duration,
    ) -> Result<bool, StoreError> {
        each!(self.0, s => s.compare_and_set(key, expected, new, ttl).await)
    }

    /// Forgets `key`.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be reached.
    pub async fn delete(self, key: &str) -> Result<(), StoreError> {
        each!(self.0, s => s.delete(key).await)
    }
}
