//! The memo of paid requests: the stored answer of a key, looked up before a request is sent and written by the caller that paid. The first
//! writer wins.
//!
//! If the store is unavailable, reads miss and writes are dropped: the request is made, and may be made again later.

use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep};
use tokio_util::task::TaskTracker;

use crate::store::{Store, StoreError};

/// First pause before a failed write is repeated, and how long it is repeated.
const SOON: Duration = Duration::from_millis(100);
const LATEST: Duration = Duration::from_secs(10);

/// Returns the stored answer of `key`; `None` if there is none or it cannot be read. A failed read is repeated once, because a miss costs
/// a paid call.
pub(crate) async fn look_up<T: DeserializeOwned>(store: &Store, key: &str) -> Option<T> {
    let mut found = store.values().get(key).await;
    if found.is_err() {
        found = store.values().get(key).await;
    }
    match found {
        Ok(found) => found.and_then(|bytes| serde_json::from_slice(&bytes).ok()),
        Err(error) => {
            tracing::debug!(%error, "memo of paid requests not read");
            None
        }
    }
}

/// Stores `paid` under `key` unless an answer exists; returns the stored one, so that all readers see one text.
///
/// # Errors
/// As [`SharedValues::put_if_absent`](crate::store::SharedValues::put_if_absent): nothing was written.
pub(crate) async fn keep<T>(store: &Store, key: &str, paid: &T, ttl: Duration) -> Result<T, StoreError>
where
    T: Serialize + DeserializeOwned + Clone,
{
    let Ok(bytes) = serde_json::to_vec(paid) else { return Ok(paid.clone()) };
    let standing = store.values().put_if_absent(key, Bytes::from(bytes), ttl).await?;
    Ok(serde_json::from_slice(&standing).unwrap_or_else(|_| paid.clone()))
}

/// As [`keep`], for an answer that must not be lost: if the store is unavailable, returns `paid`, and a task of `tasks` writes it soon.
pub(crate) async fn keep_now_or_soon<T>(store: &Store, tasks: &TaskTracker, key: &str, paid: T, ttl: Duration) -> T
where
    T: Serialize + DeserializeOwned + Clone + Send + Sync + 'static,
{
    match keep(store, key, &paid, ttl).await {
        Ok(standing) => standing,
        Err(_) => {
            tasks.spawn(keep_soon(store.clone(), key.to_owned(), paid.clone(), ttl));
            paid
        }
    }
}

/// Repeats a failed write for [`LATEST`], so that an answer that was paid for is not lost.
async fn keep_soon<T>(store: Store, key: String, paid: T, ttl: Duration)
where
    T: Serialize + DeserializeOwned + Clone,
{
    let until = Instant::now() + LATEST;
    let mut pause = SOON;
    while Instant::now() < until {
        sleep(pause).await;
        pause *= 2;
        if keep(&store, &key, &paid, ttl).await.is_ok() {
            return;
        }
    }
    tracing::debug!("memo of paid requests not written");
}
