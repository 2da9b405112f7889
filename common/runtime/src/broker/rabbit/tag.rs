//! The tag of a delivery: what acks, gives back or rejects it.

use std::fmt;
use std::sync::Arc;

use lapin::options::{BasicAckOptions, BasicNackOptions, BasicRejectOptions};
use lapin::{Acker, Channel};

use super::link::RabbitLink;
use crate::broker::AckError;

/// Names a held message to the broker.
pub(in crate::broker) struct RabbitTag {
    pub(super) acker: Acker,
    /// A channel that ends gives back what it held: it must outlive its consumer.
    pub(super) _channel: Channel,
    pub(super) link: Arc<RabbitLink>,
}

impl RabbitTag {
    pub(in crate::broker) async fn ack(self) -> Result<(), AckError> {
        self.settle(self.acker.ack(BasicAckOptions::default())).await
    }

    pub(in crate::broker) async fn requeue(self) -> Result<(), AckError> {
        self.settle(self.acker.nack(BasicNackOptions { multiple: false, requeue: true })).await
    }

    pub(in crate::broker) async fn dead_letter(self) -> Result<(), AckError> {
        self.settle(self.acker.reject(BasicRejectOptions { requeue: false })).await
    }

    /// Waits until the frame has left this process; the broker does not answer it.
    async fn settle(&self, settling: impl Future<Output = lapin::Result<bool>>) -> Result<(), AckError> {
        match self.link.ask(settling).await {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(AckError),
        }
    }
}

impl fmt::Debug for RabbitTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RabbitTag").finish_non_exhaustive()
    }
}
