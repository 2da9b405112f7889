//! The result of a phase run, and the outcome that decides its settlement.

use precis_proto::response::ErrorInfo;

use crate::runner::handler::Step;
use crate::runner::settle::DeliveryOutcome;

/// The result of a phase run.
pub(super) enum PhaseResult {
    Step(Step),
    /// A failure that ends the session.
    Failure(ErrorInfo),
    /// No step; only the reason the run ended.
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
