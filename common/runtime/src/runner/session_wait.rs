//! Why nobody holds a session that is under way. Written before the session is published, so that whoever takes it next has the last word.

use std::time::Duration;

use precis_proto::{Phase, SessionId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::core::Core;
use super::session_view::SessionView;
use super::settle::Settlement;
use crate::broker::Delivery;

/// What a session waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionWait {
    /// For what.
    pub reason: WaitReason,
    /// Until when at least; absent if the next free worker takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// Why a session waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitReason {
    /// For a free worker.
    Queue,
    /// For another attempt: the one before failed, or asked to be run later.
    Retry,
    /// For a worker of a newer version, which wrote its state.
    NewerWorker,
}

impl WaitReason {
    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Retry => "retry",
            Self::NewerWorker => "newer_worker",
        }
    }
}

impl SessionWait {
    /// What a session waits for after `settlement` at `now`; `None` if it has ended, or if another worker holds it.
    pub(super) fn after(settlement: &Settlement, now: Timestamp) -> Option<Self> {
        let retry = |delay: Duration| Self { reason: WaitReason::Retry, until: Some(later(now, delay)) };
        match settlement {
            Settlement::Publish | Settlement::HandOver => Some(Self { reason: WaitReason::Queue, until: None }),
            Settlement::Retry { delay, .. } | Settlement::Snooze { delay } => Some(retry(*delay)),
            Settlement::Finish
            | Settlement::Fail
            | Settlement::Bury(_)
            | Settlement::StandBack
            | Settlement::Abandon => None,
        }
    }
}

fn later(now: Timestamp, delay: Duration) -> Timestamp {
    now.plus_ms(i64::try_from(delay.as_millis()).unwrap_or(i64::MAX))
}

/// Writes that the state in `delivery`, which this worker cannot read, waits for a newer one for `delay`; best effort.
pub(super) async fn parked(core: &Core, delivery: &Delivery, delay: Duration) {
    let header = &delivery.envelope.header;
    let phase = Phase::ALL.into_iter().find(|phase| phase.as_str() == header.subject);
    let (Ok(session), Some(phase)) = (SessionId::new(header.correlation_id.as_str()), phase) else { return };
    let now = core.clock.now();
    let wait = SessionWait { reason: WaitReason::NewerWorker, until: Some(later(now, delay)) };
    let view = SessionView {
        phase,
        revision: header.revision,
        attempt: header.attempt.max(1),
        worker: core.worker_id.clone(),
        since: now,
        waiting: Some(wait),
    };
    view.write(&core.store, &session).await;
}

#[cfg(test)]
mod tests {
    use precis_proto::dead_reason::DeadReason;

    use super::*;

    #[test]
    fn each_settlement_says_what_the_session_waits_for() {
        let delay = Duration::from_secs(15);
        let retry = Some((WaitReason::Retry, Some(Timestamp(15_007))));
        for (settlement, expected) in [
            (Settlement::Publish, Some((WaitReason::Queue, None))),
            (Settlement::HandOver, Some((WaitReason::Queue, None))),
            (Settlement::Retry { delay, attempt: 2 }, retry),
            (Settlement::Snooze { delay }, retry),
            (Settlement::Finish, None),
            (Settlement::Fail, None),
            (Settlement::Bury(DeadReason::Undecodable), None),
            (Settlement::StandBack, None),
            (Settlement::Abandon, None),
        ] {
            let wait = SessionWait::after(&settlement, Timestamp(7));
            assert_eq!(wait.map(|wait| (wait.reason, wait.until)), expected, "{settlement:?}");
        }
    }
}
