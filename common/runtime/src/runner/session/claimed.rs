//! A claimed session delivery, and its ack.

use std::time::Duration;

use precis_proto::LifeId;
use precis_proto::state::SessionState;
use tokio::time::Instant;

use crate::broker::Delivery;
use crate::runner::core::Core;

/// How long a hold outlives a dead worker.
pub(super) const HOLD: Duration = Duration::from_secs(30);
/// How long the fence remembers a session.
pub(super) const FENCE_KEPT: Duration = Duration::from_secs(48 * 3_600);

/// A claimed delivery with its state.
pub(super) struct ClaimedSession {
    pub(super) delivery: Delivery,
    /// As delivered: fields on pages are not read.
    pub(super) state: SessionState,
    pub(super) attempt: u32,
    pub(super) holder: String,
    pub(super) since: Instant,
    /// Whether it is worked on against the fence, which was wrong for too long: from here on nobody asks it.
    pub(super) is_unfenced: bool,
}

impl ClaimedSession {
    /// The life by which this run and its jobs read the fence; `None` if it does not count for them.
    pub(super) fn fenced_life(&self) -> Option<&LifeId> {
        self.state.life.as_ref().filter(|_| !self.is_unfenced)
    }

    pub(super) fn traceparent(&self) -> Option<&str> {
        self.delivery.envelope.header.traceparent.as_deref()
    }
}

/// Acks the delivery, which ends the claim: the broker deletes the message.
pub(super) async fn ack(core: &Core, delivery: Delivery) {
    core.failpoints.hit("ack.before").await;
    let _ = delivery.ack().await;
}
