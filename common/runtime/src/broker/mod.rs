//! The broker interface: publish with confirms, consume and hold, reply directly.
//!
//! A [`Broker`] is one worker's connection. Its guarantees are those of RabbitMQ quorum queues; the memory implementation gives the
//! same, and survives the process if its queues are in a folder ([`MemoryBroker::open`]):
//!
//! - a publish returns after the broker has confirmed the message, and fails if no queue would receive it;
//! - a delivery not acked when its connection ends goes back to its old place in its queue, marked as redelivered, with its delivery
//!   count increased by one; above the queue's delivery limit it is dead-lettered with reason `delivery_limit`. After a broker restart it
//!   may come after messages that were waiting;
//! - a consumer holds at most `prefetch` unacked deliveries;
//! - a direct reply reaches the connection that made the request, or is lost: replies are not stored.

mod delivery;
mod error;
mod mailbox;
mod memory;
mod message;
mod rabbit;
mod reply_address;
mod topology;

pub use delivery::Delivery;
pub use error::{AckError, BrokerError};
pub use memory::{MemoryBroker, MemoryConnection, MemoryConsumer, MemoryReplies, MemorySubscription};
pub use message::{Death, Outgoing, QueueDepth};
pub use rabbit::{
    ClientCertificate, RabbitConnection, RabbitConsumer, RabbitReplies, RabbitSettings, RabbitSubscription, RabbitTls,
};
pub use reply_address::{
    Asker, DEFAULT_REPLY_QUEUES, MAX_REPLY_ADDRESS_BYTES, ReplyAddress, ReplyAddressError, ReplyAddresses,
};
pub use topology::{
    Binding, DeadLetter, Exchange, ExchangeKind, JOB_DELIVERY_LIMIT, JOB_KINDS, MAX_DELIVERIES, Queue, Route,
    SESSION_DELIVERY_LIMIT, TIERS, Topology, names,
};

use precis_proto::envelope::{Envelope, Header};

use crate::telemetry::metrics;

/// One worker's connection to the broker.
#[derive(Debug, Clone)]
pub enum Broker {
    /// Queues in this process.
    Memory(MemoryConnection),
    /// RabbitMQ.
    Rabbit(RabbitConnection),
}

impl Broker {
    /// The user of this connection, if known: the only `user_id` the broker accepts on it.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::Memory(_) => None,
            Self::Rabbit(c) => c.user(),
        }
    }

    /// The messaging system, as traces name it.
    #[must_use]
    pub fn system(&self) -> &'static str {
        match self {
            Self::Memory(_) => "precis",
            Self::Rabbit(_) => "rabbitmq",
        }
    }

    /// Declares the parts of `topology` that do not exist yet.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] if a queue exists with other arguments.
    pub async fn declare(&self, topology: &Topology) -> Result<(), BrokerError> {
        match self {
            Self::Memory(c) => c.declare(topology).await,
            Self::Rabbit(c) => c.declare(topology).await,
        }
    }

    /// Returns what is missing from `topology`, differs or cannot be checked, one sentence each; empty if all is well. Declares
    /// nothing.
    ///
    /// # Errors
    /// [`BrokerError::Closed`].
    pub async fn check(&self, topology: &Topology) -> Result<Vec<String>, BrokerError> {
        match self {
            Self::Memory(c) => c.check(topology).await,
            Self::Rabbit(c) => c.check(topology).await,
        }
    }

    /// Publishes one persistent message and returns when it is confirmed. Fails on a mandatory route if no queue would receive it.
    ///
    /// # Errors
    /// Any [`BrokerError`]; after [`BrokerError::Closed`] and [`BrokerError::ConfirmTimeout`] the message may have arrived all the
    /// same.
    pub async fn publish(&self, message: Outgoing) -> Result<(), BrokerError> {
        self.publish_all(vec![message]).await
    }

    /// Publishes a window of messages and returns when the last one is confirmed.
    ///
    /// # Errors
    /// The first failure; the other messages may have arrived.
    pub async fn publish_all(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        let sent = std::time::Instant::now();
        let confirmed = self.send(messages).await;
        if confirmed.is_ok() {
            metrics().broker.record_confirm(sent.elapsed().as_secs_f64());
        }
        confirmed
    }

    async fn send(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        match self {
            Self::Memory(c) => c.publish_all(messages).await,
            Self::Rabbit(c) => c.publish_all(messages).await,
        }
    }

    /// Starts consuming `queue`, holding at most `prefetch` (1 or more) unacked deliveries.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] if the queue does not exist.
    pub async fn consume(&self, queue: &str, prefetch: u16) -> Result<Consumer, BrokerError> {
        match self {
            Self::Memory(c) => c.consume(queue, prefetch).await.map(Consumer::Memory),
            Self::Rabbit(c) => c.consume(queue, prefetch).await.map(|consumer| Consumer::Rabbit(Box::new(consumer))),
        }
    }

    /// Takes one message from `queue`, held like any delivery until it is settled or this connection ends; `None` if the queue is
    /// empty. For operators who inspect messages; workers consume. A refused get returns all messages got so far to their queues.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] if the queue does not exist.
    pub async fn get(&self, queue: &str) -> Result<Option<Delivery>, BrokerError> {
        match self {
            Self::Memory(c) => c.get(queue).await,
            Self::Rabbit(c) => c.get(queue).await,
        }
    }

    /// Opens a channel that receives direct replies to the messages it publishes.
    ///
    /// # Errors
    /// [`BrokerError::Closed`].
    pub async fn replies(&self) -> Result<Replies, BrokerError> {
        match self {
            Self::Memory(c) => c.replies().await.map(Replies::Memory),
            Self::Rabbit(c) => c.replies().await.map(Replies::Rabbit),
        }
    }

    /// Sends a direct reply; it reaches the requester or is lost. A requester that is gone is not an error.
    ///
    /// # Errors
    /// [`BrokerError::Closed`] if this connection has ended.
    pub async fn reply(&self, reply_to: &str, envelope: Envelope) -> Result<(), BrokerError> {
        match self {
            Self::Memory(c) => c.reply(reply_to, envelope).await,
            Self::Rabbit(c) => c.reply(reply_to, envelope).await,
        }
    }

    /// Sends a reply to the direct reply address a caller gave. Uses a connection of its own, because RabbitMQ closes the connection
    /// that publishes to an address of a node it does not know; this connection is unaffected.
    ///
    /// # Errors
    /// [`BrokerError`] if that connection cannot be opened. A reply that does not arrive is not an error.
    pub async fn answer_caller(&self, address: &str, envelope: Envelope) -> Result<(), BrokerError> {
        match self {
            Self::Memory(c) => c.answer_caller(address, envelope).await,
            Self::Rabbit(c) => c.answer_caller(address, envelope).await,
        }
    }

    /// Subscribes to `exchange` with binding `key`, through a queue that is deleted with the subscription; nothing to ack.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] if the exchange does not exist.
    pub async fn subscribe(&self, exchange: &str, key: &str) -> Result<Subscription, BrokerError> {
        match self {
            Self::Memory(c) => c.subscribe(exchange, key).await.map(Subscription::Memory),
            Self::Rabbit(c) => c.subscribe(exchange, key).await.map(Subscription::Rabbit),
        }
    }

    /// Returns the number of waiting and of unacked messages, and of consumers.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] if the queue does not exist.
    pub async fn depth(&self, queue: &str) -> Result<QueueDepth, BrokerError> {
        match self {
            Self::Memory(c) => c.depth(queue).await,
            Self::Rabbit(c) => c.depth(queue).await,
        }
    }

    /// Waits until the broker accepts no messages on this connection, because of an alarm; returns its reason, such as `low on memory`.
    /// RabbitMQ says so only after a message was published.
    pub async fn wait_until_blocked(&self) -> String {
        match self {
            Self::Memory(_) => std::future::pending().await,
            Self::Rabbit(c) => c.wait_until_blocked().await,
        }
    }

    /// Waits until the broker accepts messages, as far as this connection knows.
    pub async fn wait_until_unblocked(&self) {
        match self {
            Self::Memory(_) => {}
            Self::Rabbit(c) => c.wait_until_unblocked().await,
        }
    }

    /// Publishes messages that no queue receives, by `exchange`, and returns when they are confirmed: then no alarm is on.
    ///
    /// # Errors
    /// [`BrokerError::Blocked`] if an alarm is on, otherwise as [`Broker::publish`].
    pub async fn probe(&self, exchange: &str) -> Result<(), BrokerError> {
        let route = Route { exchange: exchange.to_owned(), routing_key: names::PROBE_KEY.to_owned(), mandatory: false };
        let envelope = Envelope { header: Header::default(), body: bytes::Bytes::new() };
        // Two, because RabbitMQ blocks a connection by its first message, which it still takes and may confirm before it says so.
        for _ in 0..2 {
            let message = Outgoing { route: route.clone(), envelope: envelope.clone() };
            // Not measured: no queue has to store them, so they are confirmed faster than any other message.
            self.unless_blocked(self.send(vec![message])).await?;
        }
        Ok(())
    }

    /// Awaits `publish`, and gives up when the broker says that it accepts no messages.
    ///
    /// # Errors
    /// [`BrokerError::Blocked`], after which the message may arrive all the same; otherwise that of `publish`.
    pub async fn unless_blocked(
        &self,
        publish: impl Future<Output = Result<(), BrokerError>>,
    ) -> Result<(), BrokerError> {
        tokio::select! {
            // Biased: a confirm that has arrived counts.
            biased;
            published = publish => published,
            reason = self.wait_until_blocked() => Err(BrokerError::Blocked(reason)),
        }
    }

    /// Ends the connection: consumers end, unacked deliveries go back to their queues. Idempotent.
    pub async fn close(&self) {
        match self {
            Self::Memory(c) => c.close(),
            Self::Rabbit(c) => c.close().await,
        }
    }
}

/// A consumer of one queue.
#[derive(Debug)]
pub enum Consumer {
    /// A consumer of a memory queue.
    Memory(MemoryConsumer),
    /// A consumer of a RabbitMQ queue.
    Rabbit(Box<RabbitConsumer>),
}

impl Consumer {
    /// Returns the next delivery; `None` when the connection has ended. Cancel-safe. Dropping the consumer stops deliveries; those
    /// already taken stay held.
    pub async fn next(&mut self) -> Option<Delivery> {
        match self {
            Self::Memory(c) => c.next().await,
            Self::Rabbit(c) => c.next().await,
        }
    }
}

/// A channel with a direct reply-to address.
#[derive(Debug)]
pub enum Replies {
    /// In this process.
    Memory(MemoryReplies),
    /// On RabbitMQ.
    Rabbit(RabbitReplies),
}

impl Replies {
    /// The `reply_to` address for messages published with [`Replies::publish_all`].
    #[must_use]
    pub fn address(&self) -> &str {
        match self {
            Self::Memory(r) => r.address(),
            Self::Rabbit(r) => r.address(),
        }
    }

    /// Publishes a window on this channel and returns when the last message is confirmed.
    ///
    /// # Errors
    /// As [`Broker::publish_all`].
    pub async fn publish_all(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        match self {
            Self::Memory(r) => r.publish_all(messages).await,
            Self::Rabbit(r) => r.publish_all(messages).await,
        }
    }

    /// Returns the next reply; `None` when the connection has ended. Cancel-safe.
    pub async fn next(&self) -> Option<Envelope> {
        match self {
            Self::Memory(r) => r.next().await,
            Self::Rabbit(r) => r.next().await,
        }
    }
}

/// A subscription to an exchange.
#[derive(Debug)]
pub enum Subscription {
    /// In this process.
    Memory(MemorySubscription),
    /// On RabbitMQ.
    Rabbit(RabbitSubscription),
}

impl Subscription {
    /// Returns the next message; `None` when the connection has ended. Cancel-safe.
    pub async fn next(&mut self) -> Option<Envelope> {
        match self {
            Self::Memory(s) => s.next().await,
            Self::Rabbit(s) => s.next().await,
        }
    }
}
