//! Signs of life of the fleet's workers in the store, for operators: display only, no decision reads them. A worker that is stopped or stuck
//! stays a consumer for the broker, and gives no sign.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::Timestamp;
use serde::{Deserialize, Serialize};

use crate::clock::unix_time;
use crate::store::{Store, StoreError};

/// How long a sign is kept: a worker gives one every 15 seconds, and after about a minute the broker itself ends the connection of one that
/// is stopped.
pub const SIGN_KEPT: Duration = Duration::from_secs(40);
/// Difference between the clocks of a worker and the store from which on it is told, in milliseconds. A question takes time.
const TOLD_MS: u64 = 5_000;
/// Key of the latest sign of any worker.
const LATEST: &str = "worker:latest";
/// Key of the latest sign of a worker whose clock is wrong.
const CLOCK_WRONG: &str = "worker:clock";

/// What a worker told of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerSign {
    /// The worker.
    pub worker: String,
    /// How far the clock of its machine is ahead of the store's, in milliseconds; negative if it is behind.
    pub clock_ahead_ms: i64,
}

impl WorkerSign {
    /// Returns the latest sign of any worker within [`SIGN_KEPT`], if any.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn latest(store: &Store) -> Result<Option<Self>, StoreError> {
        read(store, LATEST).await
    }

    /// Returns the latest sign within [`SIGN_KEPT`] of a worker whose clock differs from the store's by more than 5 seconds, if any.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be reached.
    pub async fn of_wrong_clock(store: &Store) -> Result<Option<Self>, StoreError> {
        read(store, CLOCK_WRONG).await
    }

    /// The sign of `worker` at the time `shared` of the store's clock.
    pub(super) fn at(worker: &str, shared: Timestamp) -> Self {
        let own_ms = i64::try_from(unix_time().as_millis()).unwrap_or(i64::MAX);
        Self { worker: worker.to_owned(), clock_ahead_ms: own_ms.saturating_sub(shared.0) }
    }

    /// Gives the sign; best effort.
    pub(super) async fn give(&self, store: &Store) {
        let Ok(json) = serde_json::to_vec(self) else { return };
        let _ = store.values().put(LATEST, Bytes::from(json.clone()), SIGN_KEPT).await;
        if self.clock_ahead_ms.unsigned_abs() > TOLD_MS {
            let _ = store.values().put(CLOCK_WRONG, Bytes::from(json), SIGN_KEPT).await;
        }
    }
}

async fn read(store: &Store, key: &str) -> Result<Option<WorkerSign>, StoreError> {
    let found = store.values().get(key).await?;
    Ok(found.and_then(|json| serde_json::from_slice(&json).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    #[tokio::test(start_paused = true)]
    async fn a_sign_of_life_ends_by_itself() {
        let store = Store::Memory(MemoryStore::new());
        assert_eq!(WorkerSign::latest(&store).await.expect("in memory"), None);
        let sign = WorkerSign { worker: "w".to_owned(), clock_ahead_ms: 0 };
        sign.give(&store).await;
        tokio::time::sleep(SIGN_KEPT - Duration::from_secs(1)).await;
        assert_eq!(WorkerSign::latest(&store).await.expect("in memory"), Some(sign));
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(WorkerSign::latest(&store).await.expect("in memory"), None);
    }

    #[tokio::test]
    async fn only_a_wrong_clock_is_reported_as_wrong() {
        for (clock_ahead_ms, is_told) in [(0, false), (4_999, false), (5_000, false), (5_001, true), (-5_001, true)] {
            let store = Store::Memory(MemoryStore::new());
            WorkerSign { worker: "w".to_owned(), clock_ahead_ms }.give(&store).await;
            let told = WorkerSign::of_wrong_clock(&store).await.expect("in memory");
            assert_eq!(told.is_some(), is_told, "{clock_ahead_ms}");
        }
    }
}
