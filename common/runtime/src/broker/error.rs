//! Errors of the broker, and of settling a delivery that is no longer held.

/// Why a broker operation failed. All of these are transient for the caller, except [`BrokerError::Refused`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokerError {
    /// The connection or channel has ended; its unacked deliveries are back in their queues.
    #[error("the broker connection is closed")]
    Closed,
    /// No broker answered at the address. Never contains the address, which may hold a password.
    #[error("the broker cannot be reached: {0}")]
    Unreachable(String),
    /// No queue would receive the message.
    #[error("no queue is bound for exchange `{exchange}`, routing key `{routing_key}`")]
    Unroutable {
        /// Exchange published to.
        exchange: String,
        /// Key published with.
        routing_key: String,
    },
    /// The broker refused: missing queue or exchange, different arguments, no permission, a message that is too large.
    #[error("the broker refused: {0}")]
    Refused(String),
    /// A queue that the message was routed to did not take it, because it is full or has failed; others may have it. The channel stays
    /// open.
    #[error("a queue for exchange `{exchange}`, routing key `{routing_key}` did not take the message; it may be full")]
    Nacked {
        /// Exchange published to.
        exchange: String,
        /// Key published with.
        routing_key: String,
    },
    /// An alarm of the broker, for memory or disk: it reads no messages until the alarm ends, so one that was sent may arrive later.
    #[error("the broker accepts no messages because it is {0}")]
    Blocked(String),
    /// No confirm within the time limit; the message may or may not have arrived.
    #[error("no confirm from the broker within {0} ms")]
    ConfirmTimeout(u64),
}

/// The delivery could not be settled: its connection has ended and the message is back in its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the delivery is no longer held by this connection")]
pub struct AckError;
