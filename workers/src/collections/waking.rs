//! Has collections looked at whose newest version has no index, or one of another version of the program: when a worker begins, and every
//! hour. So a message that was lost, and an upgrade, leave no collection behind.

use std::time::Duration;

use precis_corpus::fingerprint;
use precis_proto::CollectionId;
use precis_runtime::broker::{Broker, Outgoing, Route, names};
use precis_runtime::collections::{collection_ids, index_of, latest_version, wake_message};
use precis_runtime::content::{ContentError, ContentStore};

/// How often a worker looks.
const LOOK: Duration = Duration::from_secs(3_600);

/// Looks, and looks again. Never ends.
pub(crate) async fn keep_waking(broker: &Broker, content: &ContentStore) {
    loop {
        match wake_all(broker, content).await {
            Ok(0) => {}
            Ok(woken) => tracing::info!(woken, "collections wait to be indexed"),
            Err(error) => tracing::warn!(%error, "collections could not be looked at"),
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Sends a message for each collection that is to be indexed; returns how many. A message that is not taken is sent at the next look.
async fn wake_all(broker: &Broker, content: &ContentStore) -> Result<usize, ContentError> {
    let (mut woken, reading) = (0, fingerprint());
    for id in collection_ids(content).await? {
        if needs_index(content, &id, &reading).await? {
            let user = broker.user().map(str::to_owned);
            let message = Outgoing { route: Route::queue(names::INDEXING), ..wake_message(&id, user) };
            let sent = broker.unless_blocked(broker.publish(message)).await;
            woken += usize::from(sent.is_ok());
        }
    }
    Ok(woken)
}

async fn needs_index(content: &ContentStore, id: &CollectionId, reading: &str) -> Result<bool, ContentError> {
    let Some(latest) = latest_version(content, id).await? else { return Ok(false) };
    let index = index_of(content, id, latest.version).await?;
    Ok(index.is_none_or(|index| index.reading != reading))
}
