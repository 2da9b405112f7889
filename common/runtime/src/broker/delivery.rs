//! One delivery of a message, settled exactly once: ack, requeue or dead-letter.

use precis_proto::envelope::Envelope;

use super::error::AckError;
use super::memory::MemoryTag;
use super::message::Death;
use super::rabbit::RabbitTag;

/// A message held by this worker. Settling consumes it, so it cannot be settled twice; dropping it settles nothing.
#[derive(Debug)]
pub struct Delivery {
    /// The message.
    pub envelope: Envelope,
    /// The queue it came from.
    pub queue: String,
    /// Whether it was delivered before.
    pub redelivered: bool,
    /// How often it was redelivered; 0 on the first delivery.
    pub delivery_count: u32,
    /// Why and from which queue the broker dead-lettered it, if it did: `delivery_limit`, `rejected`, `expired`.
    pub death: Option<Death>,
    pub(super) tag: Tag,
}

#[derive(Debug)]
pub(super) enum Tag {
    Memory(MemoryTag),
    Rabbit(RabbitTag),
}

impl Delivery {
    /// Acks it: the broker deletes the message.
    ///
    /// # Errors
    /// [`AckError`] if the connection was lost first: the message will be redelivered.
    pub async fn ack(self) -> Result<(), AckError> {
        match self.tag {
            Tag::Memory(tag) => tag.ack().await,
            Tag::Rabbit(tag) => tag.ack().await,
        }
    }

    /// Returns it to its queue at once; counts as a delivery. Only for a worker that cannot start on it.
    ///
    /// # Errors
    /// As [`Delivery::ack`].
    pub async fn requeue(self) -> Result<(), AckError> {
        match self.tag {
            Tag::Memory(tag) => tag.requeue().await,
            Tag::Rabbit(tag) => tag.requeue().await,
        }
    }

    /// Sends it along the queue's dead-letter route with reason `rejected`.
    ///
    /// # Errors
    /// As [`Delivery::ack`].
    pub async fn dead_letter(self) -> Result<(), AckError> {
        match self.tag {
            Tag::Memory(tag) => tag.dead_letter().await,
            Tag::Rabbit(tag) => tag.dead_letter().await,
        }
    }
}
