//! What a broker could not do, and a delivery that is no longer ours.

/// Why the broker could not do something. All of these are transient from the caller's side, except [`BrokerError::Refused`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokerError {
    /// The connection or channel is gone; what was unacked is back in its queue.
    #[error("the broker connection is closed")]
    Closed,
    /// Nobody answered where the broker should be. Never holds the address, which may hold a password.
    #[error("the broker cannot be reached: {0}")]
    Unreachable(String),
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

/// The handle was not accepted: the connection is gone and the message is back in its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the delivery is no longer ours to settle")]
pub struct AckError;
