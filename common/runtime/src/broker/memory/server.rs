//! The handle of the in-process broker.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use precis_proto::envelope::Envelope;

use super::connection::MemoryConnection;
use super::queue::MemoryQueue;
use super::shared::SharedServer;
use crate::broker::{Topology, names};
use crate::clock::Clock;
use crate::failpoints::Failpoints;
use crate::journal::{JournalFailed, OpenJournalError};

/// An in-process broker. A clone is another handle to the same broker.
///
/// ```
/// use precis_proto::envelope::{Envelope, Header};
/// use precis_runtime::broker::{Broker, MemoryBroker, Outgoing, Route, Topology, names};
/// use precis_runtime::failpoints::Failpoints;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let server = MemoryBroker::new();
/// let worker = Broker::Memory(server.connect(Failpoints::none()));
/// worker.declare(&Topology::standard()).await.expect("nothing else is declared");
///
/// let envelope = Envelope::encode(Header::default(), &"a request").expect("small");
/// worker.publish(Outgoing { route: Route::queue(names::REQUESTS), envelope }).await.expect("the queue exists");
/// let mut requests = worker.consume(names::REQUESTS, 1).await.expect("the queue exists");
/// let delivery = requests.next().await.expect("one message");
/// assert_eq!(delivery.envelope.decode::<String>().expect("a string"), "a request");
/// delivery.ack().await.expect("still held");
/// # });
/// ```
#[derive(Clone)]
pub struct MemoryBroker {
    shared: Arc<SharedServer>,
}

impl MemoryBroker {
    /// Returns a broker without queues.
    #[must_use]
    pub fn new() -> Self {
        Self { shared: Arc::new(SharedServer::default()) }
    }

    /// Opens the broker whose queues are in `dir`, which is created if it is missing. Its confirms and acks return once they survive a
    /// power failure. Messages that somebody held come back, marked as redelivered, with their delivery counts; delayed ones keep their
    /// due time, by `clock`. What is in `topology` is declared as stated there. Needs a tokio runtime.
    ///
    /// # Errors
    /// [`OpenJournalError::InUse`] while another process has it open, and every other [`OpenJournalError`]; nothing was changed.
    pub async fn open(dir: &Path, topology: Topology, clock: Clock) -> Result<Self, OpenJournalError> {
        Ok(Self { shared: SharedServer::open(dir, topology, clock).await? })
    }

    /// Waits until the queues can no longer be kept on disk, which ends all connections; returns why. Never for a broker in memory.
    pub async fn wait_for_failure(&self) -> JournalFailed {
        match self.shared.journal() {
            Some(journal) => journal.wait_for_failure().await,
            None => std::future::pending().await,
        }
    }

    /// Ends the broker as the end of its process would: all connections end, nothing more is written, and another process may open the
    /// folder. Everything that was written by then stays. Without effect on a broker in memory. Idempotent.
    pub fn close(&self) {
        self.shared.close();
    }

    /// Opens a connection for one worker. It ends by `close`, by `kill` or by a restart of the broker; dropping it does not end it.
    #[must_use]
    pub fn connect(&self, failpoints: Failpoints) -> MemoryConnection {
        let id = self.shared.lock().open_connection();
        MemoryConnection::new(Arc::clone(&self.shared), id, failpoints)
    }

    /// Restarts the broker: connections, subscriptions and direct replies are lost; queues keep their messages, and held ones return to
    /// their old place, marked as redelivered.
    pub fn restart(&self) {
        self.shared.lock().end_all_connections();
    }

    /// Deliveries so far, of all queues.
    #[must_use]
    pub fn deliveries(&self) -> u64 {
        self.shared.lock().queues.values().map(|queue| queue.delivered).sum()
    }

    /// Returns whether no queue but those of the dead letters has a message, waiting or held. Taken under one lock: a worker acks a message
    /// only once what follows from it is published, so while a session is under way its message is in some queue at every moment.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let server = self.shared.lock();
        let live = server.queues.iter().filter(|(name, _)| ![names::DEAD, names::LAST].contains(&&***name));
        live.map(|(_, queue)| queue.depth()).all(|depth| depth == (0, 0))
    }

    /// Returns every message of `queue`, waiting or held, in order of arrival; empty if there is no such queue.
    #[must_use]
    pub fn messages(&self, queue: &str) -> Vec<Envelope> {
        let shared = self.shared.lock().queues.get(queue).map(MemoryQueue::messages).unwrap_or_default();
        shared.into_iter().map(Arc::unwrap_or_clone).collect()
    }
}

impl Default for MemoryBroker {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryBroker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryBroker").finish_non_exhaustive()
    }
}
