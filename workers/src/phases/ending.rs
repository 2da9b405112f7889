//! The ending of a session, as part of its result.

use precis_proto::Timestamp;
use precis_proto::response::Status;
use precis_proto::state::SessionState;
use precis_proto::stop_reason::StopReason;
use precis_report::response::SessionEnding;

use super::compression::is_degraded;

/// Returns the ending of a session that finishes at `now`.
pub(super) fn ending(session: &SessionState, now: Timestamp) -> SessionEnding {
    let late = session.stop_requested;
    let at_deadline = session.deadline.is_some_and(|deadline| deadline <= now);
    let stop_reason = late.then_some(if at_deadline { StopReason::Deadline } else { StopReason::Stop });
    // A report of mere passages is incomplete: the request was for findings.
    let incomplete = late || is_degraded(session);
    SessionEnding { status: Status::Completed, stop_reason, incomplete, at: now }
}
