//! The tag of a delivery: acks, requeues or rejects it.

use std::fmt;
use std::sync::Arc;

use super::queue::MessageSettlement;
use super::shared::SharedServer;
use super::state::BrokerState;
use crate::broker::AckError;

/// Identifies a held message to the broker.
pub(in crate::broker) struct MemoryTag {
    pub(super) shared: Arc<SharedServer>,
    pub(super) queue: Arc<str>,
    pub(super) sequence: u64,
    /// Never reused for another consumer, so an old tag cannot settle a message that has since been delivered to another one.
    pub(super) consumer: u64,
}

impl MemoryTag {
    pub(in crate::broker) async fn ack(&self) -> Result<(), AckError> {
        self.settle(MessageSettlement::Ack).await
    }

    pub(in crate::broker) async fn requeue(&self) -> Result<(), AckError> {
        self.settle(MessageSettlement::Requeue).await
    }

    pub(in crate::broker) async fn dead_letter(&self) -> Result<(), AckError> {
        self.settle(MessageSettlement::Reject).await
    }

    /// Settles at once, and returns when that survives a power failure.
    async fn settle(&self, how: MessageSettlement) -> Result<(), AckError> {
        let settle = |server: &mut BrokerState| server.settle(&self.queue, self.sequence, self.consumer, how);
        let (settled, position) = self.shared.change(settle);
        settled?;
        self.shared.durable(position).await.map_err(|_| AckError)
    }
}

impl fmt::Debug for MemoryTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryTag({} of {})", self.sequence, self.queue)
    }
}
