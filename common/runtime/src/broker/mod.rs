//! The broker seam: publish and be sure, consume and hold, answer directly.
//!
//! A [`Broker`] is one worker's connection. What it promises is what RabbitMQ promises on quorum queues, and the memory
//! implementation gives the same, except outliving the process:
//!
//! - a publish returns after the broker has taken the message over (confirm), and fails where no queue would get it;
//! - a delivery not acked when its connection ends goes back to its queue, in its old place, marked redelivered, its delivery
//!   count one higher; over the queue's delivery limit it is dead-lettered with reason `delivery_limit`;
//! - a consumer holds at most `prefetch` unacked deliveries;
//! - answers over direct reply-to reach the asking connection or nobody: they are not kept.

mod delivery;
mod memory;
mod topology;

pub use delivery::{AckError, Death, Delivery};
pub use memory::{MemoryBroker, MemoryConnection, MemoryConsumer, MemoryReplies, MemorySubscription};
pub use topology::{
    Binding, DeadLetter, Exchange, ExchangeKind, JOB_DELIVERY_LIMIT, JOB_KINDS, Queue, Route, SESSION_DELIVERY_LIMIT,
    TIERS, Topology, names,
};

use precis_proto::envelope::Envelope;

/// Why the broker could not do something. All of these are transient from the caller's side, except [`BrokerError::Refused`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokerError {
    /// The connection or channel is gone; what was unacked is back in its queue.
    #[error("the broker connection is closed")]
    Closed,
    /// No queue would get the message.
    #[error("no queue for exchange `{exchange}` key `{routing_key}`")]
    Unroutable {
        /// Exchange published to.
        exchange: String,
        /// Key published with.
        routing_key: String,
    },
    /// The broker said no: missing queue, other arguments, no permission, a full queue.
    #[error("the broker refused: {0}")]
    Refused(String),
    /// No confirm within the deadline; the message may or may not have arrived.
    #[error("no confirm within {0} ms")]
    ConfirmTimeout(u64),
}

/// A message and where it goes.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// Where.
    pub route: Route,
    /// What.
    pub envelope: Envelope,
}

/// One worker's connection to the broker.
#[derive(Debug, Clone)]
pub enum Broker {
    /// Queues in this process.
    Memory(MemoryConnection),
}

impl Broker {
    /// Declares what is missing of `topology`.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] where a queue exists with other arguments.
    pub async fn declare(&self, topology: &Topology) -> Result<(), BrokerError> {
        match self {
            Self::Memory(c) => c.declare(topology).await,
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
        match self {
            Self::Memory(c) => c.publish_all(messages).await,
        }
    }

    /// Starts consuming `queue`, holding at most `prefetch` (1 or more) unacked deliveries.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] where the queue does not exist.
    pub async fn consume(&self, queue: &str, prefetch: u16) -> Result<Consumer, BrokerError> {
        match self {
            Self::Memory(c) => c.consume(queue, prefetch).await.map(Consumer::Memory),
        }
    }

    /// Opens a channel whose messages can be answered directly.
    ///
    /// # Errors
    /// [`BrokerError::Closed`].
    pub async fn replies(&self) -> Result<Replies, BrokerError> {
        match self {
            Self::Memory(c) => c.replies().await.map(Replies::Memory),
        }
    }

    /// Answers over direct reply-to: to the asker, or to nobody. Never fails for a lost asker.
    ///
    /// # Errors
    /// [`BrokerError::Closed`] where this connection is gone.
    pub async fn reply(&self, reply_to: &str, envelope: Envelope) -> Result<(), BrokerError> {
        match self {
            Self::Memory(c) => c.reply(reply_to, envelope).await,
        }
    }

    /// Listens on `exchange` with binding `key` through a queue of its own that ends with it; nothing to ack.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] where the exchange does not exist.
    pub async fn subscribe(&self, exchange: &str, key: &str) -> Result<Subscription, BrokerError> {
        match self {
            Self::Memory(c) => c.subscribe(exchange, key).await.map(Subscription::Memory),
        }
    }

    /// Messages waiting in a queue and messages held by consumers.
    ///
    /// # Errors
    /// [`BrokerError::Refused`] where the queue does not exist.
    pub async fn depth(&self, queue: &str) -> Result<Depth, BrokerError> {
        match self {
            Self::Memory(c) => c.depth(queue).await,
        }
    }

    /// Ends the connection: consumers end, unacked deliveries go back. Idempotent.
    pub async fn close(&self) {
        match self {
            Self::Memory(c) => c.close(),
        }
    }
}

/// Depth of a queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Depth {
    /// Waiting.
    pub ready: u64,
    /// Held by consumers.
    pub unacked: u64,
}

/// Deliveries of one queue.
#[derive(Debug)]
pub enum Consumer {
    /// Of a memory queue.
    Memory(MemoryConsumer),
}

impl Consumer {
    /// The next delivery; `None` when the connection is gone. Cancel-safe. Dropping the consumer stops deliveries but keeps the
    /// unacked ones with their holders.
    pub async fn next(&mut self) -> Option<Delivery> {
        match self {
            Self::Memory(c) => c.next().await,
        }
    }
}

/// A channel with a direct reply-to address.
#[derive(Debug)]
pub enum Replies {
    /// In this process.
    Memory(MemoryReplies),
}

impl Replies {
    /// What to write into `reply_to` of messages published with [`Replies::publish_all`].
    #[must_use]
    pub fn address(&self) -> &str {
        match self {
            Self::Memory(r) => r.address(),
        }
    }

    /// Publishes a window on this channel and returns when the last one is confirmed.
    ///
    /// # Errors
    /// As [`Broker::publish_all`].
    pub async fn publish_all(&self, messages: Vec<Outgoing>) -> Result<(), BrokerError> {
        match self {
            Self::Memory(r) => r.publish_all(messages).await,
        }
    }

    /// The next answer; `None` when the connection is gone. Cancel-safe.
    pub async fn next(&self) -> Option<Envelope> {
        match self {
            Self::Memory(r) => r.next().await,
        }
    }
}

/// Messages of an exchange.
#[derive(Debug)]
pub enum Subscription {
    /// In this process.
    Memory(MemorySubscription),
}

impl Subscription {
    /// The next message; `None` when the connection is gone. Cancel-safe.
    pub async fn next(&mut self) -> Option<Envelope> {
        match self {
            Self::Memory(s) => s.next().await,
        }
    }
}
