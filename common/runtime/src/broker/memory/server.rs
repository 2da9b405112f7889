//! The broker as its owner holds it.

use std::fmt;
use std::sync::Arc;

use precis_proto::envelope::Envelope;

use super::connection::MemoryConnection;
use super::queue::MemoryQueue;
use super::shared::SharedServer;
use crate::failpoints::Failpoints;

/// A broker in this process. Cloning gives another handle to the same one.
///
/// ```
/// use precis_runtime::broker::{Broker, MemoryBroker, Topology};
/// use precis_runtime::failpoints::Failpoints;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let server = MemoryBroker::new();
/// let worker = Broker::Memory(server.connect(Failpoints::none()));
/// worker.declare(&Topology::standard()).await.expect("nothing else is declared");
/// # });
/// ```
#[derive(Clone)]
pub struct MemoryBroker {
    shared: Arc<SharedServer>,
}

impl MemoryBroker {
    /// A broker without queues.
    #[must_use]
    pub fn new() -> Self {
        Self { shared: Arc::new(SharedServer::default()) }
    }

    /// Opens a connection: one worker's. It ends by `close`, by `kill` or by a restart of the broker, not by being dropped.
    #[must_use]
    pub fn connect(&self, failpoints: Failpoints) -> MemoryConnection {
        let id = self.shared.lock().open_connection();
        MemoryConnection::new(Arc::clone(&self.shared), id, failpoints)
    }

    /// The broker goes down and comes back: connections, subscriptions and direct replies are gone; queues keep their messages,
    /// held ones in their old place, redelivered, with one more delivery counted.
    pub fn restart(&self) {
        self.shared.lock().end_all_connections();
    }

    /// Deliveries made so far, of all queues.
    #[must_use]
    pub fn deliveries(&self) -> u64 {
        self.shared.lock().queues.values().map(|queue| queue.delivered).sum()
    }

    /// Every message of `queue`, waiting or held, in order of arrival; none where there is no such queue.
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
