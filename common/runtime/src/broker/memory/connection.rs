//! The handles of a worker on the memory broker: its connection, and what it opened on it.

use std::fmt;
use std::sync::Arc;

use precis_proto::envelope::Envelope;

use super::queue::{Arrival, QueuedMessage};
use super::routing::BoundMailbox;
use super::shared::SharedServer;
use super::state::{Address, BrokerState, ConsumerStart};
use super::tag::MemoryTag;
use crate::broker::delivery::{Delivery, Tag};
use crate::broker::topology::Topology;
use crate::broker::{BrokerError, Outgoing, QueueDepth};
use crate::failpoints::{Failpoints, Fault};

/// One worker's connection; clones are the same connection.
#[derive(Clone)]
pub struct MemoryConnection {
    shared: Arc<SharedServer>,
    id: u64,
    failpoints: Failpoints,
}

impl MemoryConnection {
    pub(super) fn new(shared: Arc<SharedServer>, id: u64, failpoints: Failpoints) -> Self {
        Self { shared, id, failpoints }
    }

    /// Ends the connection abruptly, as a crashed process would.
    pub fn kill(&self) {
        self.shared.lock().end_connection(self.id);
    }

    pub(in crate::broker) fn close(&self) {
        self.kill();
    }

    pub(in crate::broker) async fn declare(&self, topology: &Topology) -> Result<(), BrokerError> {
        // In a block of its own: `start_timers` takes the same lock.
        {
            let mut server = self.shared.lock();
            server.check_open(self.id)?;
            server.declare(topology)?;
        }
        BrokerState::start_timers(&self.shared);
        Ok(())
    }

    pub(in crate::broker) async fn check(&self, topology: &Topology) -> Result<Vec<String>, BrokerError> {
        let server = self.shared.lock();
        server.check_open(self.id)?;
        Ok(server.faults(topology))
    }

    /// Publishes all messages before it waits for the first confirm, as a window does.
    pub(in crate::broker) async fn publish_all(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        let mut published = Vec::with_capacity(messages.len());
        let mut outcome = Ok(());
        // Where the last message of the window is on disk.
        let mut last = None;
        for Outgoing { route, envelope } in messages {
            if self.failpoints.hit("publish.before").await == Fault::Drop {
                return self.cut();
            }
            let message =
                QueuedMessage { envelope: Arc::new(envelope), routing_key: route.routing_key.into(), death: None };
            let to = Address { exchange: &route.exchange, mandatory: route.mandatory };
            let (accepted, position) = self.shared.change(|server| server.publish(self.id, to, message.clone()));
            last = last.max(position);
            match accepted {
                Ok(()) => published.push((route.exchange, message)),
                Err(BrokerError::Closed) => return Err(BrokerError::Closed),
                // A refused message does not keep the others of the window from arriving.
                Err(refused) => outcome = outcome.and(Err(refused)),
            }
        }
        for (exchange, message) in published {
            match self.failpoints.hit("publish.confirm").await {
                Fault::Drop => return self.cut(),
                Fault::Repeat => {
                    let to = Address { exchange: &exchange, mandatory: false };
                    self.shared.lock().publish(self.id, to, message)?;
                }
                Fault::None | Fault::Delay(_) | Fault::Crash => {}
            }
        }
        // One wait for the whole window.
        self.shared.durable(last).await.map_err(|_| BrokerError::Closed)?;
        // The connection may have ended at one of the awaits above: a publish without a confirm must not succeed.
        self.shared.lock().check_open(self.id)?;
        outcome
    }

    pub(in crate::broker) async fn consume(&self, queue: &str, prefetch: u16) -> Result<MemoryConsumer, BrokerError> {
        let consuming = self.shared.lock().consume(self.id, queue, prefetch)?;
        Ok(MemoryConsumer { shared: Arc::clone(&self.shared), consuming })
    }

    pub(in crate::broker) async fn get(&self, queue: &str) -> Result<Option<Delivery>, BrokerError> {
        let got = self.shared.lock().get(self.id, queue)?;
        Ok(got.map(|(queue, consumer, arrival)| new_delivery(&self.shared, &queue, consumer, arrival)))
    }

    pub(in crate::broker) async fn replies(&self) -> Result<MemoryReplies, BrokerError> {
        let (address, listener) = self.shared.lock().open_replies(self.id)?;
        Ok(MemoryReplies { connection: self.clone(), address, listener })
    }

    pub(in crate::broker) async fn reply(&self, reply_to: &str, envelope: Envelope) -> Result<(), BrokerError> {
        let times = match self.failpoints.hit("reply.send").await {
            Fault::Drop => 0,
            Fault::Repeat => 2,
            Fault::None | Fault::Delay(_) | Fault::Crash => 1,
        };
        let message = QueuedMessage { envelope: Arc::new(envelope), routing_key: reply_to.into(), death: None };
        let mut server = self.shared.lock();
        server.check_open(self.id)?;
        for _ in 0..times {
            server.publish(self.id, Address { exchange: "", mandatory: false }, message.clone())?;
        }
        Ok(())
    }

    pub(in crate::broker) async fn answer_caller(&self, address: &str, envelope: Envelope) -> Result<(), BrokerError> {
        self.shared.lock().check_open(self.id)?;
        let id = self.shared.lock().open_connection();
        let answering = Self::new(Arc::clone(&self.shared), id, self.failpoints.clone());
        // Errors are ignored: an address that ends the connection has no requester.
        let _ = answering.reply(address, envelope).await;
        answering.close();
        Ok(())
    }

    pub(in crate::broker) async fn subscribe(
        &self,
        exchange: &str,
        key: &str,
    ) -> Result<MemorySubscription, BrokerError> {
        let listener = self.shared.lock().subscribe(self.id, exchange, key)?;
        Ok(MemorySubscription { shared: Arc::clone(&self.shared), exchange: exchange.to_owned(), listener })
    }

    pub(in crate::broker) async fn depth(&self, queue: &str) -> Result<QueueDepth, BrokerError> {
        let server = self.shared.lock();
        server.check_open(self.id)?;
        server.depth(queue)
    }

    /// Ends the connection in the middle of a publish.
    fn cut(&self) -> Result<(), BrokerError> {
        self.kill();
        Err(BrokerError::Closed)
    }
}

impl fmt::Debug for MemoryConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryConnection").field("id", &self.id).finish_non_exhaustive()
    }
}

/// A consumer of one queue. Dropping it stops deliveries: those not taken go back to the queue, those taken stay held.
pub struct MemoryConsumer {
    shared: Arc<SharedServer>,
    consuming: ConsumerStart,
}

impl MemoryConsumer {
    pub(in crate::broker) async fn next(&mut self) -> Option<Delivery> {
        let arrival = self.consuming.mailbox.next().await?;
        Some(new_delivery(&self.shared, &self.consuming.queue, self.consuming.id, arrival))
    }
}

fn new_delivery(shared: &Arc<SharedServer>, queue: &Arc<str>, consumer: u64, arrival: Arrival) -> Delivery {
    let Arrival { message, sequence, returns } = arrival;
    Delivery {
        envelope: (*message.envelope).clone(),
        queue: queue.to_string(),
        redelivered: returns > 0,
        delivery_count: returns,
        death: message.death.as_deref().cloned(),
        tag: Tag::Memory(MemoryTag { shared: Arc::clone(shared), queue: Arc::clone(queue), sequence, consumer }),
    }
}

impl Drop for MemoryConsumer {
    fn drop(&mut self) {
        self.shared.lock().cancel(&self.consuming.queue, self.consuming.id);
    }
}

impl fmt::Debug for MemoryConsumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryConsumer").field("queue", &self.consuming.queue).finish_non_exhaustive()
    }
}

/// A channel with a direct reply-to address, which ends with it.
pub struct MemoryReplies {
    connection: MemoryConnection,
    address: String,
    listener: BoundMailbox,
}

impl MemoryReplies {
    pub(in crate::broker) fn address(&self) -> &str {
        &self.address
    }

    pub(in crate::broker) async fn publish_all(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        self.connection.publish_all(messages).await
    }

    pub(in crate::broker) async fn next(&self) -> Option<Envelope> {
        self.listener.mailbox.next().await.map(Arc::unwrap_or_clone)
    }
}

impl Drop for MemoryReplies {
    fn drop(&mut self) {
        self.connection.shared.lock().close_replies(&self.address);
    }
}

impl fmt::Debug for MemoryReplies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryReplies").field("address", &self.address).finish_non_exhaustive()
    }
}

/// A subscription to an exchange; ends with its connection.
pub struct MemorySubscription {
    shared: Arc<SharedServer>,
    exchange: String,
    listener: BoundMailbox,
}

impl MemorySubscription {
    pub(in crate::broker) async fn next(&mut self) -> Option<Envelope> {
        self.listener.mailbox.next().await.map(Arc::unwrap_or_clone)
    }
}

impl Drop for MemorySubscription {
    fn drop(&mut self) {
        self.shared.lock().unsubscribe(&self.exchange, self.listener.id);
    }
}

impl fmt::Debug for MemorySubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemorySubscription").field("exchange", &self.exchange).finish_non_exhaustive()
    }
}
