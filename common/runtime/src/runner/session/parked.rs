//! Tells that a session waits for a worker of a newer version.

use std::time::Duration;

use precis_proto::{Phase, SessionId};

use crate::broker::Delivery;
use crate::runner::core::Core;
use crate::runner::session_view::SessionView;
use crate::runner::session_wait::{SessionWait, WaitReason};

/// Writes that the state in `delivery`, which this worker cannot read, waits for a newer one for `delay`; best effort. What it is about is in
/// the header, which every version reads.
pub(super) async fn tell_parked(core: &Core, delivery: &Delivery, delay: Duration) {
    let header = &delivery.envelope.header;
    let phase = header.subject.parse::<Phase>();
    let (Ok(session), Ok(phase)) = (SessionId::new(header.correlation_id.as_str()), phase) else { return };
    let now = core.clock.now();
    let view = SessionView {
        phase,
        revision: header.revision,
        attempt: header.attempt.max(1),
        worker: core.worker_id.clone(),
        since: now,
        waiting: Some(SessionWait::until(WaitReason::NewerWorker, now, delay)),
    };
    view.write(&core.store, &session).await;
}

#[cfg(test)]
mod tests {
    use precis_proto::Timestamp;

    use super::*;
    use crate::broker::{MemoryBroker, Topology};
    use crate::runner::core::tests::{core, delivered_session};

    #[tokio::test]
    async fn a_newer_state_says_it_waits_for_a_newer_worker() {
        let core = core(&MemoryBroker::new()).await;
        core.broker.declare(&Topology::standard()).await.expect("declared");
        let (state, delivery) = delivered_session(&core, 2).await;
        tell_parked(&core, &delivery, Duration::from_secs(60)).await;
        let view = SessionView::read(&core.store, &state.session_id).await.expect("written");
        assert_eq!((view.phase, view.attempt), (Phase::Digest, 2));
        let wait = view.waiting.expect("waits");
        let until = wait.until.expect("until");
        assert_eq!(wait.reason, WaitReason::NewerWorker);
        assert!((Timestamp(60_000)..Timestamp(120_000)).contains(&until), "{until}");
    }
}
