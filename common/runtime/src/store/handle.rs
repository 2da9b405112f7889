//! [`Store`]: the one handle to what a fleet shares, in this process or on Redis.

use super::StoreError;
use super::memory::MemoryStore;
use super::redis::RedisStore;
use crate::telemetry::metrics;

/// The shared store. Keys carry their family as prefix (`digest:…`, `call:…`); times are the store's own clock.
#[derive(Debug, Clone)]
pub enum Store {
    /// In this process, cache families optionally on disk.
    Memory(MemoryStore),
    /// Shared by a fleet.
    Redis(RedisStore),
}

/// Counts an operation that failed, wherever it is forgiven.
pub(super) fn counted<T>(result: Result<T, StoreError>) -> Result<T, StoreError> {
    if result.is_err() {
        metrics().store.failed();
    }
    result
}

/// Does the same on either kind of store.
macro_rules! each {
    ($store:expr, $s:ident => $body:expr) => {
        $crate::store::handle::counted(match $store {
            $crate::store::Store::Memory($s) => $body,
            $crate::store::Store::Redis($s) => $body,
        })
    };
}
pub(super) use each;
