//! A failure told to the caller of a session, with what can be done about it. Decides; publishes nothing.

use precis_proto::SessionId;
use precis_proto::dead_reason::DeadReason;
use precis_proto::failure_code::FailureCode;
use precis_proto::response::{ErrorInfo, Status};

use super::remedy::remedy_of;

/// The failure of `session`; its remedy follows from its code.
pub(super) fn stated(session: &SessionId, status: Status, code: FailureCode, message: String) -> ErrorInfo {
    let remedy = remedy_of(&code).map(str::to_owned);
    ErrorInfo { session_id: Some(session.clone()), remedy, ..ErrorInfo::new(status, code, message) }
}

/// The failure of a session that became a dead letter for `reason`, whose word is its code.
pub(super) fn dead_letter_failure(session: &SessionId, reason: &DeadReason, message: String) -> ErrorInfo {
    stated(session, Status::Failed, FailureCode::DeadLetter(reason.clone()), message)
}
