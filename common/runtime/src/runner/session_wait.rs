//! Why nobody holds a session, or indexes a version of a collection. Written before the session is published, so that whoever takes it next has the last word.

use std::time::Duration;

use precis_proto::Timestamp;
use precis_proto::closed_words;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::settle::Settlement;

/// What a session, or the indexing of a collection, waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionWait {
    /// For what.
    pub reason: WaitReason,
    /// Until when at least; absent if the next free worker takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

closed_words! {
    /// Why a session waits.
    #[derive(Serialize, Deserialize, JsonSchema)]
    pub enum WaitReason: serde {
        /// For a free worker.
        Queue => "queue",
        /// For another attempt: the one before failed, or asked to be run later.
        Retry => "retry",
        /// For a worker of a newer version, which wrote its state.
        NewerWorker => "newer_worker",
    }
}

impl SessionWait {
    /// A wait for `delay` from `now` on.
    pub(super) fn until(reason: WaitReason, now: Timestamp, delay: Duration) -> Self {
        Self { reason, until: Some(now.plus_ms(i64::try_from(delay.as_millis()).unwrap_or(i64::MAX))) }
    }

    /// What a session waits for after `settlement` at `now`; `None` if it has ended, or if another worker holds it.
    pub(super) fn after(settlement: &Settlement, now: Timestamp) -> Option<Self> {
        let retry = |delay: Duration| Self::until(WaitReason::Retry, now, delay);
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
