//! The broker seam: publish and be sure, consume and hold, answer directly.
//!
//! A [`Broker`] is one worker's connection. What it promises is what RabbitMQ promises on quorum queues, and the memory
//! implementation gives the same, except outliving the process:
//!
//! - a publish returns after the broker has taken the message over (confirm), and fails where no queue would get it;
//! - a delivery not acked when its connection ends goes back to its queue, in its old place, marked redelivered, its delivery
//!   count one higher; over the queue's delivery limit it is dead-lettered with reason `delivery_limit`. After a restart of the
//!   broker it may come behind what waited;
//! - a consumer holds at most `prefetch` unacked deliveries;
//! - answers over direct reply-to reach the asking connection or nobody: they are not kept.

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
    DEFAULT_REPLY_QUEUES, MAX_REPLY_ADDRESS_BYTES, ReplyAddress, ReplyAddressError, ReplyAddresses,
};
pub use topology::{
    Binding, DeadLetter, Exchange, ExchangeKind, JOB_DELIVERY_LIMIT, JOB_KINDS, MAX_DELIVERIES, Queue, Route,
    SESSION_DELIVERY_LIMIT, TIERS, Topology, names,
};

use precis_proto::envelope::Envelope;

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
    /// The user this connection has, where that is known: what `user_id` may say on it.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::Memory(_) => None,
            Self::Rabbit(c) => c.user(),
        }
    }

    /// Declares what is missing of `topology`.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] where a queue exists with other arguments.
    pub async fn declare(&self, topology: &Topology) -> Result<(), BrokerError> {
        match self {
            Self::Memory(c) => c.declare(topology).await,
            Self::Rabbit(c) => c.declare(topology).await,
        }
    }

    /// What of `topology` is missing, differs or cannot be seen, one sentence each; none where all is well. Makes nothing.
    ///
    /// # Errors
    /// [`BrokerError::Closed`].
    pub async fn check(&self, topology: &Topology) -> Result<Vec<String>, BrokerError> {
        match self {
            Self::Memory(c) => c.check(topology).await,
            Self::Rabbit(c) => c.check(topology).await,
        }
    }

    /// Publishes one persistent message and returns when it is confirmed. A mandatory route fails where no queue would get it.
    ///
    /// # Errors
    /// Any [`BrokerError`]; after [`BrokerError::Closed`] and [`BrokerError::ConfirmTimeout`] the message may still have arrived.
    pub async fn publish(&self, message: Outgoing) -> Result<(), BrokerError> {
        self.publish_all(vec![message]).await
    }

    /// Publishes a window of messages and returns when the last one is confirmed.
    ///
    /// # Errors
    /// The first failure; the others may have arrived.
    pub async fn publish_all(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        let sent = std::time::Instant::now();
        let confirmed = match self {
            Self::Memory(c) => c.publish_all(messages).await,
            Self::Rabbit(c) => c.publish_all(messages).await,
        };
        if confirmed.is_ok() {
            metrics().broker.confirmed(sent.elapsed().as_secs_f64());
        }
        confirmed
    }

    /// Starts consuming `queue`, holding at most `prefetch` (1 or more) unacked deliveries.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] where the queue does not exist.
    pub async fn consume(&self, queue: &str, prefetch: u16) -> Result<Consumer, BrokerError> {
        match self {
            Self::Memory(c) => c.consume(queue, prefetch).await.map(Consumer::Memory),
            Self::Rabbit(c) => c.consume(queue, prefetch).await.map(|consumer| Consumer::Rabbit(Box::new(consumer))),
        }
    }

    /// Takes one message of `queue`, held like any delivery until it is settled or this connection ends; `None` where nothing
    /// waits. For operators who look at messages: a worker consumes. After a refusal all that was got is back in its queue.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] where the queue does not exist.
    pub async fn get(&self, queue: &str) -> Result<Option<Delivery>, BrokerError> {
        match self {
            Self::Memory(c) => c.get(queue).await,
            Self::Rabbit(c) => c.get(queue).await,
        }
    }

    /// Opens a channel whose messages can be answered directly.
    ///
    /// # Errors
    /// [`BrokerError::Closed`].
    pub async fn replies(&self) -> Result<Replies, BrokerError> {
        match self {
            Self::Memory(c) => c.replies().await.map(Replies::Memory),
            Self::Rabbit(c) => c.replies().await.map(Replies::Rabbit),
        }
    }

    /// Answers over direct reply-to: to the asker, or to nobody. Never fails for a lost asker.
    ///
    /// # Errors
    /// [`BrokerError::Closed`] where this connection is gone.
    pub async fn reply(&self, reply_to: &str, envelope: Envelope) -> Result<(), BrokerError> {
        match self {
            Self::Memory(c) => c.reply(reply_to, envelope).await,
            Self::Rabbit(c) => c.reply(reply_to, envelope).await,
        }
    }

    /// Answers a caller over the direct reply address it gave. Whatever the broker makes of that address, this connection goes on:
    /// RabbitMQ ends the connection that publishes to one whose node it does not know, so it is published on one of its own.
    ///
    /// # Errors
    /// [`BrokerError`] where no such connection can be made. An answer that does not arrive is no error.
    pub async fn answer_caller(&self, address: &str, envelope: Envelope) -> Result<(), BrokerError> {
        match self {
            Self::Memory(c) => c.answer_caller(address, envelope).await,
            Self::Rabbit(c) => c.answer_caller(address, envelope).await,
        }
    }

    /// Listens on `exchange` with binding `key` through a queue of its own that ends with it; nothing to ack.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] where the exchange does not exist.
    pub async fn subscribe(&self, exchange: &str, key: &str) -> Result<Subscription, BrokerError> {
        match self {
            Self::Memory(c) => c.subscribe(exchange, key).await.map(Subscription::Memory),
            Self::Rabbit(c) => c.subscribe(exchange, key).await.map(Subscription::Rabbit),
        }
    }

    /// Messages waiting in a queue and messages held by consumers.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] where the queue does not exist.
    pub async fn depth(&self, queue: &str) -> Result<QueueDepth, BrokerError> {
        match self {
            Self::Memory(c) => c.depth(queue).await,
            Self::Rabbit(c) => c.depth(queue).await,
        }
    }

    /// Ends the connection: consumers end, unacked deliveries go back. Idempotent.
    pub async fn close(&self) {
        match self {
            Self::Memory(c) => c.close(),
            Self::Rabbit(c) => c.close().await,
        }
    }
}

/// Deliveries of one queue.
#[derive(Debug)]
pub enum Consumer {
    /// Of a memory queue.
    Memory(MemoryConsumer),
    /// Of a queue on RabbitMQ.
    Rabbit(Box<RabbitConsumer>),
}

impl Consumer {
    /// The next delivery; `None` when the connection is gone. Cancel-safe. Dropping the consumer stops deliveries but keeps the
    /// unacked ones with their holders.
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
    /// What to write into `reply_to` of messages published with [`Replies::publish_all`].
    #[must_use]
    pub fn address(&self) -> &str {
        match self {
            Self::Memory(r) => r.address(),
            Self::Rabbit(r) => r.address(),
        }
    }

    /// Publishes a window on this channel and returns when the last one is confirmed.
    ///
    /// # Errors
    /// As [`Broker::publish_all`].
    pub async fn publish_all(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        match self {
            Self::Memory(r) => r.publish_all(messages).await,
            Self::Rabbit(r) => r.publish_all(messages).await,
        }
    }

    /// The next answer; `None` when the connection is gone. Cancel-safe.
    pub async fn next(&self) -> Option<Envelope> {
        match self {
            Self::Memory(r) => r.next().await,
            Self::Rabbit(r) => r.next().await,
        }
    }
}

/// Messages of an exchange.
#[derive(Debug)]
pub enum Subscription {
    /// In this process.
    Memory(MemorySubscription),
    /// On RabbitMQ.
    Rabbit(RabbitSubscription),
}

impl Subscription {
    /// The next message; `None` when the connection is gone. Cancel-safe.
    pub async fn next(&mut self) -> Option<Envelope> {
        match self {
            Self::Memory(s) => s.next().await,
            Self::Rabbit(s) => s.next().await,
        }
    }
}
