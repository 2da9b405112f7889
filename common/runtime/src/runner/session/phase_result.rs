//! What a run of a phase left behind, and the outcome that its settlement is decided by.

use precis_proto::response::ErrorInfo;

use crate::runner::handler::Step;
use crate::runner::settle::DeliveryOutcome;

/// What a run left behind.
pub(super) enum PhaseResult {
    Step(Step),
    /// A stated failure of the session.
    Failure(ErrorInfo),
    /// Nothing but the reason it ended.
    None(DeliveryOutcome),
}

impl PhaseResult {
    pub(super) fn outcome(&self) -> DeliveryOutcome {
        match self {
            Self::Step(Step::Next(..)) => DeliveryOutcome::Next,
            Self::Step(Step::Continue(_)) => DeliveryOutcome::Continue,
            Self::Step(Step::Finish(..)) => DeliveryOutcome::Finish,
            Self::Step(Step::Snooze(_, delay, _)) => DeliveryOutcome::Snooze(*delay),
            Self::Failure(_) => DeliveryOutcome::Permanent,
            Self::None(outcome) => outcome.clone(),
        }
    }
}
