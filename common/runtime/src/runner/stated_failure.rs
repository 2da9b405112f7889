//! Builds the failure that a session's caller receives, with its remedy. Pure: publishes nothing.

use precis_proto::SessionId;
use precis_proto::dead_reason::DeadReason;
use precis_proto::failure_code::FailureCode;
use precis_proto::response::{ErrorInfo, Status};

use super::remedy::remedy_of;

/// Returns the failure of `session`; its remedy follows from its code.
pub(super) fn failure_info(session: &SessionId, status: Status, code: FailureCode, message: String) -> ErrorInfo {
    let remedy = remedy_of(&code).map(str::to_owned);
    ErrorInfo { session_id: Some(session.clone()), remedy, ..ErrorInfo::new(status, code, message) }
}

/// Returns the failure of a session that became a dead letter; `reason` is its code.
pub(super) fn dead_letter_failure(session: &SessionId, reason: &DeadReason, message: String) -> ErrorInfo {
    failure_info(session, Status::Failed, FailureCode::DeadLetter(reason.clone()), message)
}
