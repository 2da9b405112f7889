//! A session's delivery that is held: the claim at the fence, and the ack that ends it.

use std::time::Duration;

use precis_proto::state::SessionState;
use tokio::time::Instant;

use crate::broker::Delivery;
use crate::runner::core::Core;

/// How long a hold outlives its worker.
pub(super) const HOLD: Duration = Duration::from_secs(30);
/// How long the fence remembers a session.
pub(super) const FENCE_KEPT: Duration = Duration::from_secs(48 * 3_600);

/// A delivery with its state, claimed.
pub(super) struct ClaimedSession {
    pub(super) delivery: Delivery,
    /// As it came: what it refers to stays on its pages.
    pub(super) state: SessionState,
    pub(super) attempt: u32,
    pub(super) holder: String,
    pub(super) since: Instant,
}

impl ClaimedSession {
    pub(super) fn traceparent(&self) -> Option<&str> {
        self.delivery.envelope.header.traceparent.as_deref()
    }
}

/// Ends the hold: the broker forgets the delivery.
pub(super) async fn ack(core: &Core, delivery: Delivery) {
    core.failpoints.hit("ack.before").await;
    let _ = delivery.ack().await;
}
