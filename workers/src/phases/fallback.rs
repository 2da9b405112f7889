//! If a phase of a further iteration fails, only the iteration is lost: the earlier report is kept.

use super::route::{PhaseEnd, next};
use precis_proto::Phase;
use precis_proto::failure_code::FailureCode;
use precis_proto::response::ErrorInfo;
use precis_proto::state::SessionState;
use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Step};

/// Longest failure message that is kept, in characters.
const FAILURE_CHARS: usize = 300;

/// The handler `H`, whose permanent failure in a further iteration hands the session back to refinement. Defects of the program still fail
/// the session.
#[derive(Debug)]
pub struct FallsBack<H>(pub H);

impl<H: PhaseHandler> PhaseHandler for FallsBack<H> {
    const PHASE: Phase = H::PHASE;

    async fn run(&self, session: SessionState, ctx: &PhaseContext) -> Result<Step, PhaseError> {
        let is_further = session.research.as_ref().is_some_and(|research| research.refinement.is_some());
        // Copied first: nothing that the handler changes before it fails may remain.
        let before = is_further.then(|| session.clone());
        match (self.0.run(session, ctx).await, before) {
            (Err(PhaseError::Permanent(error)), Some(before)) if !is_defect(&error) => Ok(handed_back(before, &error)),
            (ended, _) => ended,
        }
    }
}

fn is_defect(error: &ErrorInfo) -> bool {
    matches!(error.code, FailureCode::LedgerUnbalanced | FailureCode::CitationUnproved)
}

fn handed_back(mut session: SessionState, error: &ErrorInfo) -> Step {
    if let Some(research) = session.research.as_mut() {
        let failure = format!("{}: {}", error.code, error.message);
        research.failure = Some(failure.chars().take(FAILURE_CHARS).collect());
        research.evaluated = None;
    }
    let phase = session.phase;
    next(session, phase, PhaseEnd::IterationOver)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_session_is_handed_back_with_what_failed() {
        let state = json!({
            "schema_version": 5, "session_id": "s", "revision": 9, "phase": "compression", "query": "q", "sources": [], "visit": 1,
            "research": { "plan": format!("sha256:{}", "0".repeat(64)) },
        });
        let error = |code: &str| -> ErrorInfo {
            serde_json::from_value(json!({ "status": "failed", "code": code, "message": "m".repeat(900) }))
                .expect("an error")
        };
        let session: SessionState = serde_json::from_value(state).expect("a state");
        let Step::Next(session, phase) = handed_back(session, &error("compression_failed")) else { panic!("goes on") };
        let told = session.research.and_then(|research| research.failure).expect("told");
        assert_eq!((phase, told.chars().count()), (Phase::Refinement, FAILURE_CHARS));
        assert!(told.starts_with("compression_failed: m"), "{told}");
        let defects = [("ledger_unbalanced", true), ("citation_unproved", true), ("summarization_failed", false)];
        for (code, want) in defects {
            assert_eq!(is_defect(&error(code)), want, "{code}");
        }
    }
}
