//! One arrival of a message, and what can be done with it: exactly one of ack, requeue, dead-letter.

use precis_proto::envelope::Envelope;

use super::error::AckError;
use super::memory::MemoryTag;
use super::message::Death;
use super::rabbit::RabbitTag;

/// A message held by this worker. Settling consumes it, so settling twice cannot be written; dropping it settles nothing.
#[derive(Debug)]
pub struct Delivery {
    /// The message.
    pub envelope: Envelope,
    /// The queue it came from.
    pub queue: String,
    /// Whether it was delivered before.
    pub redelivered: bool,
    /// How often it came back without an ack; 0 on the first delivery.
    pub delivery_count: u32,
    /// Why the broker dead-lettered it, where it did: `delivery_limit`, `rejected`, `expired`; and from which queue.
    pub death: Option<Death>,
    pub(super) tag: Tag,
}

#[derive(Debug)]
pub(super) enum Tag {
    Memory(MemoryTag),
    Rabbit(RabbitTag),
}

impl Delivery {
    /// Done with it: the broker forgets it.
    ///
    /// # Errors
    /// [`AckError`] where the connection was lost first: the message will come again.
    pub async fn ack(self) -> Result<(), AckError> {
        match self.tag {
            Tag::Memory(tag) => tag.ack(),
            Tag::Rabbit(tag) => tag.ack().await,
        }
    }

    /// Back into its queue, at once, one delivery counted. Only for a worker that cannot begin.
    ///
    /// # Errors
    /// As [`Delivery::ack`].
    pub async fn requeue(self) -> Result<(), AckError> {
        match self.tag {
            Tag::Memory(tag) => tag.requeue(),
            Tag::Rabbit(tag) => tag.requeue().await,
        }
    }

    /// To the queue's dead-letter route with reason `rejected`.
    ///
    /// # Errors
    /// As [`Delivery::ack`].
    pub async fn dead_letter(self) -> Result<(), AckError> {
        match self.tag {
            Tag::Memory(tag) => tag.dead_letter(),
            Tag::Rabbit(tag) => tag.dead_letter().await,
        }
    }
}
