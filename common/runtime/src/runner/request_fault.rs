//! The fault of a request, as sent to its caller.

use precis_proto::failure_code::FailureCode;

/// The fault of a request, and the pointer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestFault {
    pub(super) code: FailureCode,
    pub(super) message: String,
    pub(super) pointer: String,
}
