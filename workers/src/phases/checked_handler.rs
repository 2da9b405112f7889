//! Checks each phase's result: the session it hands on must account for every source, else the session fails with a reported defect
//! instead of a report that hides a loss.

use precis_proto::Phase;
use precis_proto::failure_code::FailureCode;
use precis_proto::state::SessionState;
use precis_report::{fidelity_audit, ledger};
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

use super::give_up;

/// The remedy for a session that fails this check.
pub(super) const DEFECT: &str = "this is a defect of the program; please report it";

/// The handler `H`, whose result is checked whenever it hands the session on to the next phase.
#[derive(Debug)]
pub struct CheckedHandler<H>(pub H);

impl<H: PhaseHandler> PhaseHandler for CheckedHandler<H> {
    const PHASE: Phase = H::PHASE;

    async fn run(&self, session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let step = self.0.run(session, ctx).await?;
        if let Step::Next(state, _) = &step
            && let Some(fault) = fault(state, H::PHASE)
        {
            tracing::error!(session_id = %state.session_id, phase = %H::PHASE, fault, "the ledger of a phase does not balance");
            return Err(give_up(state, FailureCode::LedgerUnbalanced, &fault, DEFECT));
        }
        Ok(step)
    }
}

fn fault(state: &SessionState, phase: Phase) -> Option<String> {
    let audit_error = fidelity_audit::check(state, phase).err().map(|audit_error| audit_error.to_string());
    audit_error.or_else(|| ledger::check(&ledger::of(&state.content_fidelity)).err().map(|fault| fault.to_string()))
}
