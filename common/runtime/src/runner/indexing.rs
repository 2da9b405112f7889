//! Has collections indexed. A message only says which collection to look at: the content store tells what there is to do, so a message that
//! comes twice, or too late, changes nothing, and a worker that dies leaves the message to another one.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use precis_proto::CollectionId;

use super::core::Core;
use super::give_back::give_back;
use super::indexing_view::{IndexingView, forget, let_go};
use super::session_wait::{SessionWait, WaitReason};
use crate::broker::{Delivery, Outgoing, Route, TIERS};
use crate::clock::Clock;
use crate::collections::{
    CollectionIndex, CollectionVersion, INDEX_WAKE, IndexWake, index_of, is_collection_removed, keep_index,
    latest_version, lease_key, replace_index,
};
use crate::content::{ContentError, ContentStore};
use crate::store::Lease;

/// Collections that a worker indexes at once: each takes all parsers that there are.
pub(super) const HELD: u16 = 1;
/// Largest message that is read, in bytes: an id.
const MAX_WAKE_BYTES: usize = 4_096;
/// How long the lease of a worker that died keeps others from indexing the collection. It saves work, no more.
const LEASE: Duration = Duration::from_secs(30);
/// How often it is renewed.
const RENEW: Duration = Duration::from_secs(10);
/// How long one delivery is held: a third of the broker's consumer timeout. What was read by then is not read again.
const LONGEST: Duration = Duration::from_secs(600);
/// Attempts after a fault that may pass; afterwards a version stays unindexed until somebody asks for it.
const MAX_ATTEMPTS: u32 = 5;

/// What an indexer gets.
#[derive(Debug)]
pub struct Indexing<'a> {
    /// The collection.
    pub collection: &'a CollectionId,
    /// The version to index; it has an index after this, or the indexer failed.
    pub version: &'a CollectionVersion,
    /// The content store of the fleet.
    pub content: &'a ContentStore,
    /// The clock that dates the index.
    pub clock: &'a Clock,
}

/// Why a version could not be indexed now. A later attempt may succeed: a document that cannot be read is no such fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexingError {
    /// The content store cannot be used.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// This machine has no room, no parser, or a defect.
    #[error("{0}")]
    Failed(String),
}

/// Indexes versions of collections. Implemented by whoever knows texts.
pub trait CollectionIndexer: Send + Sync + fmt::Debug {
    /// What is written into the indexes that it makes: those with another one it makes again.
    fn reading(&self) -> String;

    /// Makes the index of a version; what it is made of is in the content store then. May be dropped at any time, and called again.
    fn index<'a>(&'a self, indexing: Indexing<'a>) -> BoxFuture<'a, Result<CollectionIndex, IndexingError>>;
}

/// Processes a delivery from the queue of collections to look at, up to its ack.
pub(super) async fn hold(core: Arc<Core>, indexer: Arc<dyn CollectionIndexer>, delivery: Delivery) {
    core.failpoints.hit("indexing.received").await;
    let envelope = &delivery.envelope;
    let wake = envelope.decode_within::<IndexWake>(MAX_WAKE_BYTES).ok();
    let Some(IndexWake { collection_id }) = wake.filter(|_| envelope.header.message_type == INDEX_WAKE) else {
        tracing::warn!(message_id = %envelope.header.message_id, "a message of the indexing queue names no collection; dropped");
        let _ = delivery.ack().await;
        return;
    };
    let (key, owner) = (lease_key(&collection_id), core.next_copy());
    // Without the store nothing is known of other workers: the first index of a version stays, whoever makes it.
    if let Ok(Lease::Held(_)) = core.store.leases().acquire(&key, &owner, LEASE).await {
        return put_off(&core, delivery, TIERS[0], None).await;
    }
    let ended = tokio::select! {
        biased;
        () = core.draining.cancelled() => None,
        () = renewing(&core, &key, &owner) => unreachable!("renewing has no end"),
        ended = tokio::time::timeout(LONGEST, index_newest(&core, indexer.as_ref(), &collection_id)) => ended.ok(),
    };
    let _ = core.store.leases().release(&key, &owner).await;
    match ended {
        Some(Ok(())) => {
            core.failpoints.hit("ack.before").await;
            let _ = delivery.ack().await;
        }
        Some(Err(error)) => handle_failure(&core, delivery, &collection_id, &error).await,
        None if core.draining.is_cancelled() => {
            let waiting = SessionWait { reason: WaitReason::Queue, until: None };
            let_go(&core.store, &collection_id, waiting, core.clock.now()).await;
            let _ = delivery.requeue().await;
        }
        None => {
            let_go(&core.store, &collection_id, retry_after(&core, TIERS[0]), core.clock.now()).await;
            put_off(&core, delivery, TIERS[0], None).await;
        }
    }
}

fn retry_after(core: &Core, delay: Duration) -> SessionWait {
    SessionWait::until(WaitReason::Retry, core.clock.now(), delay)
}

/// Indexes the newest version until the newest one is indexed.
async fn index_newest(
    core: &Core,
    indexer: &dyn CollectionIndexer,
    collection: &CollectionId,
) -> Result<(), IndexingError> {
    let content = &core.services.content;
    loop {
        if is_collection_removed(content, collection).await? {
            return Ok(());
        }
        let Some(version) = latest_version(content, collection).await? else { return Ok(()) };
        let known = index_of(content, collection, version.version).await?;
        if known.as_ref().is_some_and(|known| known.reading == indexer.reading()) {
            return Ok(());
        }
        let view = IndexingView { version: version.version, since: core.clock.now(), waiting: None };
        view.write(&core.store, collection).await;
        let indexing = Indexing { collection, version: &version, content, clock: &core.clock };
        let index = indexer.index(indexing).await?;
        core.failpoints.hit("indexing.indexed").await;
        let kept = match known {
            Some(_) => replace_index(content, collection, &index).await.map(|()| index)?,
            None => keep_index(content, collection, &index).await?,
        };
        tracing::info!(
            collection_id = %collection, version = kept.version, documents = kept.documents, unread = kept.unread.len(),
            "a version of a collection is indexed"
        );
        if kept.reading != indexer.reading() {
            // Made meanwhile by a worker of another version of the program: it is made again when somebody looks again.
            return Ok(());
        }
    }
}

async fn renewing(core: &Core, key: &str, owner: &str) {
    loop {
        tokio::time::sleep(RENEW).await;
        let _ = core.store.leases().acquire(key, owner, LEASE).await;
    }
}

async fn handle_failure(core: &Core, delivery: Delivery, collection: &CollectionId, error: &IndexingError) {
    let attempt = delivery.envelope.header.attempt.max(1);
    let is_away = matches!(error, IndexingError::Content(fault) if fault.is_outage());
    if attempt >= MAX_ATTEMPTS && !is_away {
        tracing::error!(collection_id = %collection, %error, "a collection could not be indexed; it is tried again when somebody asks for it");
        forget(&core.store, collection).await;
        let _ = delivery.ack().await;
        return;
    }
    tracing::warn!(collection_id = %collection, attempt, %error, "a collection could not be indexed; it is tried again");
    // While the store is away no attempt counts.
    let (next, tier) = if is_away { (attempt, 1) } else { (attempt + 1, attempt as usize) };
    let delay = TIERS[tier.min(TIERS.len() - 1)];
    let_go(&core.store, collection, retry_after(core, delay), core.clock.now()).await;
    put_off(core, delivery, delay, Some(next)).await;
}

/// Publishes the message once more for later, and only then acks it.
async fn put_off(core: &Core, delivery: Delivery, delay: Duration, attempt: Option<u32>) {
    let mut envelope = core.again(&delivery.envelope);
    envelope.header.attempt = attempt.unwrap_or(envelope.header.attempt);
    let message = Outgoing { route: Route::after_delay(delay, delivery.queue.clone()), envelope };
    match core.broker.publish(message).await {
        Ok(()) => {
            let _ = delivery.ack().await;
        }
        Err(_) => give_back(delivery).await,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use bytes::Bytes;
    use precis_proto::envelope::{Envelope, Header};
    use precis_proto::source::ContentRef;
    use tokio::time::Instant;

    use super::*;
    use crate::broker::{MemoryBroker, Topology, names};
    use crate::collections::{CollectionFile, FileChange, change_files, wake_message};
    use crate::runner::core::tests::{core, take_delivery};

    /// Makes indexes out of nothing, after some failures.
    #[derive(Debug, Default)]
    struct Indexer {
        failures: u32,
        reading: &'static str,
        made: AtomicU32,
    }

    impl CollectionIndexer for Indexer {
        fn reading(&self) -> String {
            self.reading.to_owned()
        }

        fn index<'a>(&'a self, indexing: Indexing<'a>) -> BoxFuture<'a, Result<CollectionIndex, IndexingError>> {
            Box::pin(async move {
                if self.made.fetch_add(1, Ordering::Relaxed) < self.failures {
                    return Err(IndexingError::Failed("no room".to_owned()));
                }
                Ok(CollectionIndex {
                    schema_version: 1,
                    version: indexing.version.version,
                    at: indexing.clock.now(),
                    reading: self.reading.to_owned(),
                    manifest: ContentRef::from_bytes(b"index"),
                    documents: 1,
                    unread: Vec::new(),
                    keeps: Vec::new(),
                })
            })
        }
    }

    fn id() -> CollectionId {
        CollectionId::new("c").expect("an id")
    }

    async fn world() -> Arc<Core> {
        let core = core(&MemoryBroker::new()).await;
        core.broker.declare(&Topology::standard()).await.expect("declared");
        let file = CollectionFile { name: "a".to_owned(), content: ContentRef::from_bytes(b"a"), bytes: 1 };
        let change = FileChange::Add(vec![file]);
        change_files(&core.services.content, &id(), &change, 9, &core.clock).await.expect("changed");
        core
    }

    async fn wake(core: &Core) {
        core.broker.publish(wake_message(&id(), None)).await.expect("published");
    }

    async fn indexed_by(core: &Core) -> Option<String> {
        index_of(&core.services.content, &id(), 1).await.expect("read").map(|index| index.reading)
    }

    #[tokio::test]
    async fn a_version_is_indexed_once_however_often_it_is_announced() {
        let (core, indexer) = (world().await, Arc::new(Indexer::default()));
        for _ in 0..3 {
            wake(&core).await;
            hold(Arc::clone(&core), Arc::clone(&indexer) as _, take_delivery(&core, names::INDEXING).await).await;
        }
        assert_eq!((indexed_by(&core).await.as_deref(), indexer.made.load(Ordering::Relaxed)), (Some(""), 1));
        // One of another version of the program cannot be searched, and is made again.
        let other = Arc::new(Indexer { reading: "other", ..Indexer::default() });
        wake(&core).await;
        hold(Arc::clone(&core), Arc::clone(&other) as _, take_delivery(&core, names::INDEXING).await).await;
        assert_eq!(indexed_by(&core).await.as_deref(), Some("other"));
        assert_eq!(core.broker.depth(names::INDEXING).await.expect("declared").ready, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_transient_fault_is_retried_a_limited_number_of_times() {
        for (failures, is_indexed) in [(MAX_ATTEMPTS - 1, true), (MAX_ATTEMPTS, false), (MAX_ATTEMPTS + 1, false)] {
            let (core, indexer) = (world().await, Arc::new(Indexer { failures, ..Indexer::default() }));
            wake(&core).await;
            for _ in 0..MAX_ATTEMPTS {
                while core.broker.depth(names::INDEXING).await.expect("declared").ready == 0 {
                    tokio::time::sleep(Duration::from_secs(10)).await;
                }
                hold(Arc::clone(&core), Arc::clone(&indexer) as _, take_delivery(&core, names::INDEXING).await).await;
            }
            assert_eq!(indexed_by(&core).await.is_some(), is_indexed, "{failures}");
            tokio::time::sleep(Duration::from_secs(7_200)).await;
            assert_eq!(core.broker.depth(names::INDEXING).await.expect("declared").ready, 0, "{failures}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_version_says_what_it_waits_for_until_given_up() {
        let (core, indexer) = (world().await, Arc::new(Indexer { failures: u32::MAX, ..Indexer::default() }));
        let view = async || IndexingView::read(&core.store, &id()).await.expect("in memory");
        assert_eq!(view().await, None, "no worker has begun with it");
        wake(&core).await;
        for attempt in 1..=MAX_ATTEMPTS {
            while core.broker.depth(names::INDEXING).await.expect("declared").ready == 0 {
                tokio::time::sleep(Duration::from_secs(10)).await;
            }
            hold(Arc::clone(&core), Arc::clone(&indexer) as _, take_delivery(&core, names::INDEXING).await).await;
            let now = core.clock.now();
            let delay = TIERS[(attempt as usize).min(TIERS.len() - 1)];
            let waits = SessionWait::until(WaitReason::Retry, now, delay);
            let expected = IndexingView { version: 1, since: now, waiting: Some(waits) };
            assert_eq!(view().await, (attempt < MAX_ATTEMPTS).then_some(expected), "{attempt}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_another_worker_indexes_is_looked_at_later() {
        let (core, indexer) = (world().await, Arc::new(Indexer::default()));
        let key = lease_key(&id());
        core.store.leases().acquire(&key, "another", LEASE).await.expect("in memory");
        wake(&core).await;
        hold(Arc::clone(&core), Arc::clone(&indexer) as _, take_delivery(&core, names::INDEXING).await).await;
        assert_eq!(indexer.made.load(Ordering::Relaxed), 0);
        // That worker died: its lease ends, and the message is there still.
        let since = Instant::now();
        while indexed_by(&core).await.is_none() {
            assert!(since.elapsed() < Duration::from_secs(120));
            tokio::time::sleep(Duration::from_secs(1)).await;
            if core.broker.depth(names::INDEXING).await.expect("declared").ready > 0 {
                hold(Arc::clone(&core), Arc::clone(&indexer) as _, take_delivery(&core, names::INDEXING).await).await;
            }
        }
        assert!(since.elapsed() >= TIERS[0]);
    }

    #[tokio::test]
    async fn a_message_that_names_no_collection_is_dropped() {
        let (core, indexer) = (world().await, Arc::new(Indexer::default()));
        for (kind, body) in [(INDEX_WAKE, "{"), (INDEX_WAKE, "{}"), ("other", "{\"collection_id\": \"c\"}")] {
            let header = Header { message_type: kind.to_owned(), ..Header::default() };
            let envelope = Envelope { header, body: Bytes::from(body) };
            core.broker.publish(Outgoing { route: Route::queue(names::INDEXING), envelope }).await.expect("published");
            hold(Arc::clone(&core), Arc::clone(&indexer) as _, take_delivery(&core, names::INDEXING).await).await;
        }
        assert_eq!(
            (core.broker.depth(names::INDEXING).await.expect("declared").ready, indexed_by(&core).await),
            (0, None)
        );
    }
}
