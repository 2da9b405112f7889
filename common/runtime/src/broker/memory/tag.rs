//! The tag of a delivery: acks, requeues or rejects it.

use std::fmt;
use std::sync::Arc;

use super::queue::MessageSettlement;
use super::shared::SharedServer;
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
    pub(in crate::broker) fn ack(&self) -> Result<(), AckError> {
        self.settle(MessageSettlement::Ack)
    }

    pub(in crate::broker) fn requeue(&self) -> Result<(), AckError> {
        self.settle(MessageSettlement::Requeue)
    }

    pub(in crate::broker) fn dead_letter(&self) -> Result<(), AckError> {
        self.settle(MessageSettlement::Reject)
    }

    fn settle(&self, how: MessageSettlement) -> Result<(), AckError> {
        self.shared.lock().settle(&self.queue, self.sequence, self.consumer, how)
    }
}

impl fmt::Debug for MemoryTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryTag({} of {})", self.sequence, self.queue)
    }
}
