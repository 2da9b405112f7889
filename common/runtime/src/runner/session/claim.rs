//! Whose a delivery is: asks the fence, and settles what is a duplicate, somebody else's or of the future.

use std::time::Duration;

use precis_proto::envelope::MAX_STATE_BYTES;
use precis_proto::state::{SessionState, StateError};
use tokio::time::Instant;

use super::claimed::{ClaimedSession, FENCE_KEPT, HOLD, ack};
use crate::broker::{Delivery, Outgoing, Route, TIERS};
use crate::runner::core::Core;
use crate::store::FenceClaim;
use crate::telemetry::metrics;

/// How long a state of a newer version waits for a newer worker before it is looked at again.
const PARKED: Duration = TIERS[2];

/// The state in a delivery, of whatever version this worker reads; what it refers to is not read yet.
pub(super) fn read(delivery: &Delivery) -> Result<SessionState, StateError> {
    let value = delivery.envelope.decode_within(MAX_STATE_BYTES).map_err(|e| StateError::Unreadable(e.to_string()))?;
    precis_proto::state::open(value)
}

/// A state from the future waits for a newer worker; published unchanged before it is acked.
pub(super) async fn park(core: &Core, delivery: Delivery, version: u64) {
    tracing::warn!(version, queue = %delivery.queue, "state of a newer version parked");
    let message =
        Outgoing { route: Route::delayed(PARKED, delivery.queue.clone()), envelope: delivery.envelope.clone() };
    if core.broker.publish(message).await.is_ok() {
        let _ = delivery.ack().await;
    }
}

/// Asks the fence. `None` where the delivery is a duplicate or somebody else's and has been settled.
pub(super) async fn claim(core: &Core, delivery: Delivery, state: SessionState) -> Option<ClaimedSession> {
    let copy = &delivery.envelope.header.copy;
    let holder = format!("{copy}|{}", core.worker_id);
    let claimed = core.store.fences().claim(&state.session_id, state.revision, &holder, HOLD).await;
    let first = match claimed {
        Ok(FenceClaim::Claimed { first }) => first,
        Ok(FenceClaim::Stale { latest }) => {
            tracing::debug!(session_id = %state.session_id, revision = state.revision, latest, "duplicate delivery");
            metrics().broker.duplicate();
            ack(core, delivery).await;
            return None;
        }
        Ok(FenceClaim::Held) => {
            stand_back(core, delivery).await;
            return None;
        }
        // No fence: work may repeat, nothing is lost.
        Err(_) => true,
    };
    // A session that the fence does not know, or that comes again, may have ended already: its result then only repeats.
    if (first || delivery.redelivered) && has_ended(core, &state).await {
        ack(core, delivery).await;
        return None;
    }
    let attempt = delivery.envelope.header.attempt.max(1);
    Some(ClaimedSession { delivery, state, attempt, holder, since: Instant::now() })
}

/// Whether the session has its result, which is then sent again.
pub(super) async fn has_ended(core: &Core, state: &SessionState) -> bool {
    match core.repeat_result(&state.session_id, state.reply_to.as_deref()).await {
        Ok(Some(_)) => {
            let _ = core.store.fences().advance(&state.session_id, u64::MAX, FENCE_KEPT).await;
            true
        }
        Ok(None) => false,
        // Unknown: the work may be repeated, the result is put-if-absent.
        Err(error) => {
            tracing::warn!(%error, session_id = %state.session_id, "cannot look for an earlier result");
            false
        }
    }
}

/// Another holder works on this revision. The delivery comes back later, under a copy name of its own: it must not take the
/// session from a live holder, and it goes on should that holder die. Acked only once the copy is safe: the other holder's
/// delivery may be this very message.
pub(super) async fn stand_back(core: &Core, delivery: Delivery) {
    let mut envelope = delivery.envelope.clone();
    envelope.header.copy = core.next_copy();
    let message = Outgoing { route: Route::delayed(TIERS[0], delivery.queue.clone()), envelope };
    if core.broker.publish(message).await.is_ok() {
        ack(core, delivery).await;
    } else {
        let _ = delivery.requeue().await;
    }
}
