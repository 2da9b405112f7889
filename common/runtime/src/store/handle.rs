//! [`Store`]: the handle of the shared store, in this process or on Redis.

use super::StoreError;
use super::memory::MemoryStore;
use super::redis::RedisStore;
use crate::telemetry::metrics;

/// The shared store. Keys start with their family (`digest:…`, `call:…`); times are those of the store's own clock.
#[derive(Debug, Clone)]
pub enum Store {
    /// In this process; cache families optionally on disk.
    Memory(MemoryStore),
    /// Shared by a fleet.
    Redis(RedisStore),
}

/// Counts a failed operation; callers treat the failure as a miss.
pub(super) fn count_failure<T>(result: Result<T, StoreError>) -> Result<T, StoreError> {
    if result.is_err() {
        metrics().store.count_failure();
    }
    result
}

/// Runs the same operation on either kind of store, and counts a failure.
macro_rules! each {
    ($store:expr, $s:ident => $body:expr) => {
        $crate::store::handle::count_failure(match $store {
            $crate::store::Store::Memory($s) => $body,
            $crate::store::Store::Redis($s) => $body,
        })
    };
}
pub(super) use each;
