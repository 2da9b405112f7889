//! Claims a session delivery at the fence; acks duplicates, delays deliveries held by another worker, parks states of a newer version.

use std::time::Duration;

use precis_proto::envelope::MAX_STATE_BYTES;
use precis_proto::state::{SessionState, StateError};
use tokio::time::Instant;

use super::claimed::{ClaimedSession, FENCE_KEPT, HOLD, ack};
use crate::broker::{Delivery, Outgoing, Route, TIERS};
use crate::runner::core::Core;
use crate::runner::give_back::give_back;
use crate::runner::outbox::RESULTS;
use crate::store::FenceClaim;
use crate::telemetry::metrics;

/// How long a state of a newer version waits before it is delivered again.
const PARKED: Duration = TIERS[2];

/// Reads the state of a delivery, in any version this worker supports; its pages are not read yet.
pub(super) fn read(delivery: &Delivery) -> Result<SessionState, StateError> {
    let value = delivery.envelope.decode_within(MAX_STATE_BYTES).map_err(|e| StateError::Unreadable(e.to_string()))?;
    precis_proto::state::open(value)
}

/// Parks a state of a newer version until a newer worker takes it. Published unchanged before the ack, so that a crash duplicates it
/// instead of losing it.
pub(super) async fn park(core: &Core, delivery: Delivery, version: u64) {
    tracing::warn!(version, queue = %delivery.queue, "state has a newer version than this worker supports; parked for a newer worker");
    let message =
        Outgoing { route: Route::delayed(PARKED, delivery.queue.clone()), envelope: delivery.envelope.clone() };
    if core.broker.publish(message).await.is_ok() {
        let _ = delivery.ack().await;
        return;
    }
    give_back(delivery).await;
}

/// Claims the delivery at the fence. `None` if it is a duplicate or held by another worker, and has been settled.
pub(super) async fn claim(core: &Core, delivery: Delivery, state: SessionState) -> Option<ClaimedSession> {
    let copy = &delivery.envelope.header.copy;
    let holder = format!("{copy}|{}", core.worker_id);
    let claimed = core.store.fences().claim(&state.session_id, state.revision, &holder, HOLD).await;
    let first = match claimed {
        Ok(FenceClaim::Claimed { first }) => first,
        Ok(FenceClaim::Stale { latest }) => match kept_end(core, &state, latest).await {
            KeptEnd::Nowhere => {
                tracing::warn!(session_id = %state.session_id, "the session has ended by its fence, and has no result; it runs again");
                // If the fence cannot be removed, this copy runs without one: at worst the work is repeated.
                let _ = core.store.fences().forget(&state.session_id, latest).await;
                let _ = core.store.fences().claim(&state.session_id, state.revision, &holder, HOLD).await;
                true
            }
            KeptEnd::Unknown => {
                stand_back(core, delivery).await;
                return None;
            }
            KeptEnd::Kept => {
                tracing::debug!(session_id = %state.session_id, revision = state.revision, latest, "duplicate delivery");
                metrics().broker.duplicate();
                ack(core, delivery).await;
                return None;
            }
        },
        Ok(FenceClaim::Held) => {
            stand_back(core, delivery).await;
            return None;
        }
        // Without a fence work may be repeated, but nothing is lost.
        Err(_) => true,
    };
    // A session that is new to the fence, or a redelivery, may already have ended: then its result is sent again.
    if (first || delivery.redelivered) && has_ended(core, &state).await {
        ack(core, delivery).await;
        return None;
    }
    let attempt = delivery.envelope.header.attempt.max(1);
    Some(ClaimedSession { delivery, state, attempt, holder, since: Instant::now() })
}

/// Where the end of a session that a fence tells of is kept.
enum KeptEnd {
    /// In the content store; or the session goes on at a later revision, which the broker keeps.
    Kept,
    /// Nowhere: its result was removed or the content store replaced, while the fence stayed.
    Nowhere,
    /// The content store does not say.
    Unknown,
}

/// A fence alone never makes a session vanish: it says that the session has ended, the content store has what it ended with.
async fn kept_end(core: &Core, state: &SessionState, latest: u64) -> KeptEnd {
    if latest != u64::MAX {
        return KeptEnd::Kept;
    }
    match core.services.content.get_named(RESULTS, state.session_id.as_str()).await {
        Ok(Some(_)) => KeptEnd::Kept,
        Ok(None) => KeptEnd::Nowhere,
        Err(error) => {
            tracing::warn!(%error, session_id = %state.session_id, "cannot check for the result of an ended session; it waits");
            KeptEnd::Unknown
        }
    }
}

/// Whether the session has a result; if so, sends it again.
pub(super) async fn has_ended(core: &Core, state: &SessionState) -> bool {
    match core.repeat_result(&state.session_id, state.reply_to.as_deref()).await {
        Ok(Some(_)) => {
            // Best effort: without it another copy may run once more, and its result is put-if-absent.
            let _ = core.store.fences().advance(&state.session_id, u64::MAX, FENCE_KEPT).await;
            true
        }
        Ok(None) => false,
        // Unknown: at worst the work is repeated, and its result is put-if-absent.
        Err(error) => {
            tracing::warn!(%error, session_id = %state.session_id, "cannot check for an earlier result; the phase runs again");
            false
        }
    }
}

/// Delays a delivery whose revision another worker holds. It is published again under a new copy name: the fence must not let it take
/// the session from a live holder, but it continues if that holder dies. Acked only after the copy is confirmed: this delivery may be
/// the very message the other holder works on.
pub(super) async fn stand_back(core: &Core, delivery: Delivery) {
    let mut envelope = delivery.envelope.clone();
    envelope.header.copy = core.next_copy();
    let message = Outgoing { route: Route::delayed(TIERS[0], delivery.queue.clone()), envelope };
    if core.broker.publish(message).await.is_ok() {
        ack(core, delivery).await;
    } else {
        give_back(delivery).await;
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::Phase;

    use super::*;
    use crate::broker::names;
    use crate::runner::core::tests::{core_with_one_queue, delivered_session};

    #[tokio::test(start_paused = true)]
    async fn an_ended_session_without_a_result_runs_again_and_one_with_a_result_does_not() {
        for (has_result, runs) in [(false, true), (true, false)] {
            let core = core_with_one_queue(&names::session_queue(Phase::Digest)).await;
            let (state, delivery) = delivered_session(&core, 1).await;
            let session = state.session_id.clone();
            core.store.fences().advance(&session, u64::MAX, FENCE_KEPT).await.expect("in memory");
            if has_result {
                let result = bytes::Bytes::from_static(b"{}");
                core.services.content.put_named_if_absent(RESULTS, session.as_str(), result).await.expect("in memory");
            }
            assert_eq!(claim(&core, delivery, state).await.is_some(), runs, "result: {has_result}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_that_went_on_at_a_later_revision_stays_a_duplicate() {
        let core = core_with_one_queue(&names::session_queue(Phase::Digest)).await;
        let (state, delivery) = delivered_session(&core, 1).await;
        let later = state.revision + 1;
        core.store.fences().advance(&state.session_id, later, FENCE_KEPT).await.expect("in memory");
        assert!(claim(&core, delivery, state).await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_delivery_that_cannot_be_delayed_is_given_back_after_a_pause() {
        let queue = names::session_queue(Phase::Digest);
        let core = core_with_one_queue(&queue).await;
        let (_, delivery) = delivered_session(&core, 1).await;
        let since = Instant::now();
        stand_back(&core, delivery).await;
        assert_eq!(since.elapsed(), Duration::from_secs(1));
        assert_eq!(core.broker.depth(&queue).await.expect("declared").ready, 1);
    }
}
