//! The log of refinement of a session: its finished iterations, and the one in progress.

use precis_proto::research::RefinementLog;
use precis_proto::state::SessionState;
use precis_runtime::content::ContentStore;
use precis_runtime::runner::PhaseError;

use super::planning::get;

/// Loads the log of refinement; empty if it has not begun.
pub(super) async fn log(session: &SessionState, content: &ContentStore) -> Result<RefinementLog, PhaseError> {
    match session.research.as_ref().and_then(|research| research.refinement.as_ref()) {
        Some(reference) => get(reference, content).await,
        None => Ok(RefinementLog::default()),
    }
}
