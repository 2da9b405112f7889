//! Claims a session delivery at the fence; acks duplicates, delays deliveries held by another worker, parks states of a newer version.

use std::time::Duration;

use precis_proto::envelope::MAX_STATE_BYTES;
use precis_proto::state::{SessionState, StateError};
use tokio::time::Instant;

use super::claimed::{ClaimedSession, FENCE_KEPT, HOLD, ack};
use super::parked::tell_parked;
use super::ruling::{Ruling, ruling};
use super::wait::next_wait;
use crate::broker::{Delivery, Outgoing, Route, TIERS};
use crate::runner::core::Core;
use crate::runner::give_back::give_back;
use crate::runner::outbox::RESULTS;
use crate::store::{FenceClaim, Revision, StoreError};
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
    tell_parked(core, &delivery, PARKED).await;
    let message =
        Outgoing { route: Route::after_delay(PARKED, delivery.queue.clone()), envelope: delivery.envelope.clone() };
    if core.broker.publish(message).await.is_ok() {
        let _ = delivery.ack().await;
        return;
    }
    give_back(delivery).await;
}

/// Claims the delivery at the fence. `None` if it is a duplicate or held by another worker, and has been settled.
pub(super) async fn claim(core: &Core, delivery: Delivery, state: SessionState) -> Option<ClaimedSession> {
    let holder = format!("{}|{}", delivery.envelope.header.copy, core.worker_id);
    let claim = core.store.fences().claim(Revision::of(&state), &holder, HOLD).await;
    let (is_first, is_unfenced) = match admission(core, &delivery, &state, claim).await {
        Admission::Work { is_first, is_unfenced } => (is_first, is_unfenced),
        Admission::Duplicate => {
            metrics().broker.duplicate();
            ack(core, delivery).await;
            return None;
        }
        Admission::Ended => {
            ack(core, delivery).await;
            return None;
        }
        Admission::Wait => {
            wait(core, delivery).await;
            return None;
        }
    };
    if is_unfenced {
        // Best effort: for the revisions that follow, and for other copies of this one.
        let _ = core.store.fences().take(Revision::of(&state), &holder, HOLD).await;
    }
    // A session that is new to the fence, or a redelivery, may already have ended: then its result is sent again.
    if (is_first || delivery.redelivered) && has_ended(core, &state).await {
        ack(core, delivery).await;
        return None;
    }
    let attempt = delivery.envelope.header.attempt.max(1);
    Some(ClaimedSession { delivery, state, attempt, holder, since: Instant::now(), is_unfenced })
}

/// What is done with a delivery, once the fence and, where it does not suffice, the content store have been asked.
enum Admission {
    /// It is worked on.
    Work { is_first: bool, is_unfenced: bool },
    /// It is acked and counted: a later revision is published, or the session has ended.
    Duplicate,
    /// It is acked: the session has ended, and its result was sent again.
    Ended,
    /// It is delivered again later.
    Wait,
}

impl Admission {
    /// Work against the fence, which was wrong for too long.
    const UNFENCED: Self = Self::Work { is_first: true, is_unfenced: true };
}

async fn admission(
    core: &Core,
    delivery: &Delivery,
    state: &SessionState,
    claim: Result<FenceClaim, StoreError>,
) -> Admission {
    match ruling(&claim, state.life.is_some(), core.settings.lease) {
        Ruling::Work { is_first } => Admission::Work { is_first, is_unfenced: false },
        Ruling::Duplicate => {
            tracing::debug!(session_id = %state.session_id, revision = state.revision, ?claim, "duplicate delivery");
            Admission::Duplicate
        }
        Ruling::Ended => {
            let is_stale = matches!(claim, Ok(FenceClaim::Stale { .. }));
            after_end(core, delivery, state, is_stale).await
        }
        Ruling::Wait if next_wait(delivery.envelope.header.waits, core.settings.lease).is_some() => {
            // The one it waits for may have ended, and a fence need not say so.
            if has_ended(core, state).await { Admission::Ended } else { Admission::Wait }
        }
        Ruling::Abandoned => {
            tracing::warn!(session_id = %state.session_id, revision = state.revision, ?claim, "nobody has worked on an earlier copy of the request for a whole lease; this one runs");
            Admission::UNFENCED
        }
        Ruling::Wait => {
            tracing::warn!(session_id = %state.session_id, revision = state.revision, ?claim, "the fence held the session back for longer than anybody holds one; it runs");
            Admission::UNFENCED
        }
    }
}

async fn after_end(core: &Core, delivery: &Delivery, state: &SessionState, is_stale: bool) -> Admission {
    let may_wait = next_wait(delivery.envelope.header.waits, core.settings.lease).is_some();
    match kept_end(core, state).await {
        // Of another life: whoever asked for this one has not been answered.
        KeptEnd::Kept if is_stale || has_ended(core, state).await => Admission::Duplicate,
        KeptEnd::Kept | KeptEnd::Unknown if may_wait => Admission::Wait,
        KeptEnd::Kept | KeptEnd::Unknown => {
            tracing::warn!(session_id = %state.session_id, "the result that the fence tells of could not be read for longer than anybody holds a session; it runs");
            Admission::UNFENCED
        }
        KeptEnd::Nowhere => {
            tracing::warn!(session_id = %state.session_id, "the session has ended by its fence, and has no result; it runs again");
            Admission::UNFENCED
        }
    }
}

/// Where the end of a session that a fence tells of is kept.
enum KeptEnd {
    /// In the content store.
    Kept,
    /// Nowhere: its result was removed or the content store replaced, while the fence stayed.
    Nowhere,
    /// The content store does not say.
    Unknown,
}

/// A fence alone never makes a session vanish: it says that the session has ended, the content store has what it ended with.
async fn kept_end(core: &Core, state: &SessionState) -> KeptEnd {
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
            let _ = core.store.fences().advance(Revision::of(state).at(u64::MAX), FENCE_KEPT).await;
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

/// Puts a delivery off because another worker seems to hold its session, and counts the wait: at some point the fence is not believed.
pub(super) async fn wait(core: &Core, mut delivery: Delivery) {
    let waits = &mut delivery.envelope.header.waits;
    let delay = next_wait(*waits, core.settings.lease).unwrap_or(TIERS[0]);
    *waits = waits.saturating_add(1);
    put_off(core, delivery, delay).await;
}

/// Delays a delivery that cannot be worked on at present.
pub(super) async fn stand_back(core: &Core, delivery: Delivery) {
    put_off(core, delivery, TIERS[0]).await;
}

/// Publishes a delivery again under a new copy name, with a delay: the fence must not let it take the session from a live holder, but it
/// continues if that holder dies. Acked only after the copy is confirmed: this delivery may be the very message the other holder works on.
async fn put_off(core: &Core, delivery: Delivery, delay: Duration) {
    let mut envelope = delivery.envelope.clone();
    envelope.header.copy = core.next_copy();
    let message = Outgoing { route: Route::after_delay(delay, delivery.queue.clone()), envelope };
    if core.broker.publish(message).await.is_ok() {
        ack(core, delivery).await;
    } else {
        give_back(delivery).await;
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::failure_code::FailureCode;
    use precis_proto::response::{Response, Status};
    use precis_proto::{LifeId, Phase, SessionId};

    use super::*;
    use crate::broker::{MemoryBroker, Topology, names};
    use crate::runner::core::tests::{core, core_with_one_queue, delivered_session, take_delivery};
    use crate::runner::stated_failure::failure_info;

    /// A fence that another life of the session left.
    async fn advance_other(core: &Core, session: &SessionId, number: u64) {
        let other = LifeId::new("other").expect("an id");
        let at = Revision { session, life: Some(&other), number };
        core.store.fences().advance(at, FENCE_KEPT).await.expect("in memory");
    }

    #[tokio::test(start_paused = true)]
    async fn an_ended_session_runs_again_only_without_a_result() {
        for (has_result, runs) in [(false, true), (true, false)] {
            for is_other_life in [false, true] {
                let core = core_with_one_queue(&names::session_queue(Phase::Digest)).await;
                let (state, delivery) = delivered_session(&core, 1).await;
                let session = state.session_id.clone();
                match is_other_life {
                    true => advance_other(&core, &session, u64::MAX).await,
                    false => {
                        let ended = Revision::of(&state).at(u64::MAX);
                        core.store.fences().advance(ended, FENCE_KEPT).await.expect("in memory");
                    }
                }
                if has_result {
                    let result = bytes::Bytes::from_static(b"{}");
                    core.services
                        .content
                        .put_named_if_absent(RESULTS, session.as_str(), result)
                        .await
                        .expect("in memory");
                }
                let claimed = claim(&core, delivery, state).await.is_some();
                assert_eq!(claimed, runs, "result: {has_result}, another life: {is_other_life}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_that_went_on_at_a_later_revision_stays_a_duplicate() {
        let queue = names::session_queue(Phase::Digest);
        let core = core_with_one_queue(&queue).await;
        let (state, delivery) = delivered_session(&core, 1).await;
        let later = Revision::of(&state).at(state.revision + 1);
        core.store.fences().advance(later, FENCE_KEPT).await.expect("in memory");
        assert!(claim(&core, delivery, state).await.is_none());
        let left = core.broker.depth(&queue).await.expect("declared");
        assert_eq!((left.ready, left.unacked), (0, Some(0)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_waits_for_another_life_of_it_and_not_for_ever() {
        let queue = names::session_queue(Phase::Digest);
        let core = core(&MemoryBroker::new()).await;
        core.broker.declare(&Topology::standard()).await.expect("declared");
        let (state, mut delivery) = delivered_session(&core, 1).await;
        let (since, mut waits) = (Instant::now(), 0);
        loop {
            // Whoever may write to the store, or another life that goes on for ever, shows later revisions again and again.
            advance_other(&core, &state.session_id, 7 + u64::from(waits)).await;
            match claim(&core, delivery, state.clone()).await {
                Some(held) => {
                    assert!(held.is_unfenced && held.fenced_life().is_none());
                    break;
                }
                None => waits += 1,
            }
            // As long as the longest of the waits, and a little more.
            tokio::time::sleep(TIERS[1] + Duration::from_millis(10)).await;
            delivery = take_delivery(&core, &queue).await;
            assert_eq!(delivery.envelope.header.waits, waits);
        }
        assert!(since.elapsed() < core.settings.lease * 3, "waited {:?}", since.elapsed());
        assert!(next_wait(waits, core.settings.lease).is_none() && next_wait(waits - 1, core.settings.lease).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_resubmitted_request_runs_where_its_first_copy_is_lost() {
        let core = core_with_one_queue(&names::session_queue(Phase::Digest)).await;
        let (state, delivery) = delivered_session(&core, 1).await;
        advance_other(&core, &state.session_id, 1).await;
        tokio::time::sleep(core.settings.lease).await;
        let held = claim(&core, delivery, state).await.expect("it does not wait");
        assert!(held.is_unfenced && held.delivery.envelope.header.waits == 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_that_waits_ends_as_soon_as_it_has_a_result() {
        let queue = names::session_queue(Phase::Digest);
        let core = core(&MemoryBroker::new()).await;
        core.broker.declare(&Topology::standard()).await.expect("declared");
        let (state, delivery) = delivered_session(&core, 1).await;
        advance_other(&core, &state.session_id, 7).await;
        assert!(claim(&core, delivery, state.clone()).await.is_none(), "it waits");
        let failure =
            failure_info(&state.session_id, Status::Failed, FailureCode::StateTooLarge, "too large".to_owned());
        core.publish_result(&state.session_id, None, &Response::failure(failure)).await.expect("published");
        tokio::time::sleep(TIERS[0] + Duration::from_millis(10)).await;
        assert!(claim(&core, take_delivery(&core, &queue).await, state).await.is_none());
        tokio::time::sleep(TIERS[1] * 2).await;
        let left = core.broker.depth(&queue).await.expect("declared");
        assert_eq!((left.ready, left.unacked), (0, Some(0)));
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
