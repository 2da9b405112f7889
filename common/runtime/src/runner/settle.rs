//! Settlement: what the runner does about an outcome. One pure function, one table.

use std::time::Duration;

use precis_proto::dead_reason::DeadReason;

use crate::broker::TIERS;

/// How the processing of a session delivery ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The phase is done.
    Next,
    /// The phase is not done; it returned its partial state.
    Continue,
    /// The session is done.
    Finish,
    /// The phase asked to be run again after this time.
    Snooze(Duration),
    /// The phase failed; another attempt may succeed. Carries the error code.
    Transient(&'static str),
    /// The content store is away or full; the phase is run again when it may be back. Not a failure of the phase.
    WithoutContent,
    /// The phase failed for good.
    Permanent,
    /// The handler panicked.
    Panicked,
    /// The phase exceeded its time limit without handing over.
    TimedOut,
    /// The lease has reached its length, or the worker is draining.
    HandOver,
    /// The session was cancelled.
    Cancelled,
    /// The broker did not accept the jobs the phase scattered.
    Disconnected,
    /// A later revision has been published: the session continues elsewhere.
    Superseded,
    /// Another worker holds this revision; it may be dead.
    LeaseLost,
}

impl DeliveryOutcome {
    /// Whether a content store that was away during the run may be the reason for this outcome.
    pub(super) fn depends_on_content(&self) -> bool {
        match self {
            Self::Next
            | Self::Continue
            | Self::Finish
            | Self::Snooze(_)
            | Self::Transient(_)
            | Self::WithoutContent
            | Self::Permanent
            | Self::Panicked
            | Self::TimedOut => true,
            Self::HandOver | Self::Cancelled | Self::Disconnected | Self::Superseded | Self::LeaseLost => false,
        }
    }
}

/// How often a phase is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Failed attempts of a phase after which the session is given up.
    pub max_attempts: u32,
}

impl Default for Policy {
    fn default() -> Self {
        Self { max_attempts: 5 }
    }
}

/// The steps to take, in the order listed. The ack is always the last step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// Publish the next state, advance the fence, ack.
    Publish,
    /// Publish the same phase again with its partial state, advance the fence, ack. Does not count as an attempt; the attempts start
    /// over only if the phase got further.
    HandOver,
    /// Publish the result, advance the fence, ack.
    Finish,
    /// Publish to a retry tier with the next attempt number, advance the fence, ack.
    Retry {
        /// One of the tiers.
        delay: Duration,
        /// The number of the next attempt.
        attempt: u32,
    },
    /// Publish to a retry tier, advance the fence, ack. Does not count as an attempt.
    Snooze {
        /// One of the tiers.
        delay: Duration,
    },
    /// Publish the failure as the result, advance the fence, ack.
    Fail,
    /// Publish a failure as the result, keep the state as a dead letter with this reason, advance the fence, ack.
    Bury(DeadReason),
    /// Publish the same revision to the first tier under a new copy name, then ack: if the other holder dies, this copy continues.
    StandBack,
    /// Ack only: a later revision has taken over.
    Abandon,
}

impl Settlement {
    /// The name of this settlement in metrics.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::HandOver => "hand_over",
            Self::Finish => "finish",
            Self::Retry { .. } => "retry",
            Self::Snooze { .. } => "snooze",
            Self::Fail => "fail",
            Self::Bury(_) => "bury",
            Self::StandBack => "stand_back",
            Self::Abandon => "abandon",
        }
    }
}

/// Returns the settlement of `outcome`. `attempt` counts from 1.
///
/// Each transient failure waits one tier longer than the one before; a panic and a timeout count as failures. The failure number
/// `policy.max_attempts` buries the session.
///
/// ```
/// use precis_runtime::runner::settle::{DeliveryOutcome, Policy, Settlement, settle, tier_for};
///
/// let policy = Policy { max_attempts: 2 };
/// let outcome = DeliveryOutcome::Transient("model_failed");
/// let first_tier = tier_for(std::time::Duration::ZERO);
/// assert_eq!(settle(&outcome, 1, &policy), Settlement::Retry { delay: first_tier, attempt: 2 });
/// assert!(matches!(settle(&outcome, 2, &policy), Settlement::Bury(_)));
/// ```
#[must_use]
pub fn settle(outcome: &DeliveryOutcome, attempt: u32, policy: &Policy) -> Settlement {
    match outcome {
        DeliveryOutcome::Next => Settlement::Publish,
        DeliveryOutcome::Continue | DeliveryOutcome::HandOver => Settlement::HandOver,
        DeliveryOutcome::Finish => Settlement::Finish,
        DeliveryOutcome::Snooze(wanted) => Settlement::Snooze { delay: tier_for(*wanted) },
        // Not a failure of the phase: without a connection the publish fails too, and the broker redelivers to another worker.
        DeliveryOutcome::Disconnected => Settlement::Snooze { delay: TIERS[0] },
        // As delivered, since a changed state may need room.
        DeliveryOutcome::WithoutContent => Settlement::Retry { delay: TIERS[0], attempt: attempt.max(1) },
        DeliveryOutcome::Permanent | DeliveryOutcome::Cancelled => Settlement::Fail,
        DeliveryOutcome::Superseded => Settlement::Abandon,
        DeliveryOutcome::LeaseLost => Settlement::StandBack,
        DeliveryOutcome::Transient(_) => retry(attempt, policy, DeadReason::AttemptsExhausted),
        DeliveryOutcome::Panicked => retry(attempt, policy, DeadReason::Panicked),
        DeliveryOutcome::TimedOut => retry(attempt, policy, DeadReason::TimedOut),
    }
}

fn retry(attempt: u32, policy: &Policy, reason: DeadReason) -> Settlement {
    let attempt = attempt.max(1);
    if attempt >= policy.max_attempts {
        return Settlement::Bury(reason);
    }
    let tier = usize::try_from(attempt - 1).unwrap_or(usize::MAX).min(TIERS.len() - 1);
    Settlement::Retry { delay: TIERS[tier], attempt: attempt + 1 }
}

/// Returns the shortest tier of at least `wanted`, or the longest tier if none is long enough.
#[must_use]
pub fn tier_for(wanted: Duration) -> Duration {
    TIERS.into_iter().find(|tier| *tier >= wanted).unwrap_or(TIERS[TIERS.len() - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outcome_has_one_settlement() {
        let policy = Policy::default();
        let s = Duration::from_secs;
        let table = [
            (DeliveryOutcome::Next, 1, Settlement::Publish),
            (DeliveryOutcome::Next, 9, Settlement::Publish),
            (DeliveryOutcome::Continue, 1, Settlement::HandOver),
            (DeliveryOutcome::HandOver, 4, Settlement::HandOver),
            (DeliveryOutcome::Finish, 1, Settlement::Finish),
            (DeliveryOutcome::Snooze(s(1)), 1, Settlement::Snooze { delay: s(2) }),
            (DeliveryOutcome::Snooze(s(16)), 4, Settlement::Snooze { delay: s(60) }),
            (DeliveryOutcome::Permanent, 1, Settlement::Fail),
            (DeliveryOutcome::Cancelled, 3, Settlement::Fail),
            (DeliveryOutcome::Superseded, 5, Settlement::Abandon),
            (DeliveryOutcome::LeaseLost, 5, Settlement::StandBack),
            (DeliveryOutcome::Disconnected, 5, Settlement::Snooze { delay: s(2) }),
            (DeliveryOutcome::WithoutContent, 1, Settlement::Retry { delay: s(2), attempt: 1 }),
            (DeliveryOutcome::WithoutContent, 99, Settlement::Retry { delay: s(2), attempt: 99 }),
            (DeliveryOutcome::Transient("x"), 0, Settlement::Retry { delay: s(2), attempt: 2 }),
            (DeliveryOutcome::Transient("x"), 1, Settlement::Retry { delay: s(2), attempt: 2 }),
            (DeliveryOutcome::Transient("x"), 2, Settlement::Retry { delay: s(15), attempt: 3 }),
            (DeliveryOutcome::Transient("x"), 3, Settlement::Retry { delay: s(60), attempt: 4 }),
            (DeliveryOutcome::Transient("x"), 4, Settlement::Retry { delay: s(300), attempt: 5 }),
            (DeliveryOutcome::Transient("x"), 5, Settlement::Bury(DeadReason::AttemptsExhausted)),
            (DeliveryOutcome::Panicked, 4, Settlement::Retry { delay: s(300), attempt: 5 }),
            (DeliveryOutcome::Panicked, 5, Settlement::Bury(DeadReason::Panicked)),
            (DeliveryOutcome::TimedOut, 6, Settlement::Bury(DeadReason::TimedOut)),
        ];
        for (outcome, attempt, expected) in table {
            assert_eq!(settle(&outcome, attempt, &policy), expected, "{outcome:?} at attempt {attempt}");
        }
    }

    #[test]
    fn a_wait_is_rounded_up_to_a_tier_at_most_the_longest() {
        for (wanted, tier) in [(0, 2), (2, 2), (3, 15), (15, 15), (61, 300), (1_800, 1_800), (9_999, 1_800)] {
            assert_eq!(tier_for(Duration::from_secs(wanted)), Duration::from_secs(tier));
        }
    }

    #[test]
    fn a_snooze_and_a_hand_over_never_spend_an_attempt() {
        let policy = Policy { max_attempts: 1 };
        for attempt in 1..100 {
            assert!(matches!(settle(&DeliveryOutcome::Snooze(TIERS[0]), attempt, &policy), Settlement::Snooze { .. }));
            assert_eq!(settle(&DeliveryOutcome::HandOver, attempt, &policy), Settlement::HandOver);
        }
    }
}
