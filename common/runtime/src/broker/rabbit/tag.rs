//! The tag of a delivery: acks, requeues or rejects it.

use std::fmt;
use std::sync::Arc;

use lapin::options::{BasicAckOptions, BasicNackOptions, BasicRejectOptions};
use lapin::{Acker, Channel};

use super::link::RabbitLink;
use crate::broker::AckError;

/// Identifies a held message to the broker.
pub(in crate::broker) struct RabbitTag {
    pub(super) acker: Acker,
    /// Kept open: a channel that ends returns its unacked deliveries, so it must outlive its consumer.
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

    /// Waits until the frame has been sent; the broker does not confirm it.
    async fn settle(&self, settling: impl Future<Output = lapin::Result<bool>>) -> Result<(), AckError> {
        match self.link.request(settling).await {
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
