//! A failure of a session as it is stated to its caller.

use precis_proto::SessionId;
use precis_proto::response::{ErrorInfo, Status};

/// A failure in the words of the response envelope.
pub(super) fn stated(session: &SessionId, status: Status, code: &str, message: String) -> ErrorInfo {
    ErrorInfo { session_id: Some(session.clone()), ..ErrorInfo::new(status, code, message) }
}
