//! What is wrong with a request, told to its caller.

use precis_proto::failure_code::FailureCode;

/// What is wrong with a request, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestFault {
    pub(super) code: FailureCode,
    pub(super) message: String,
    pub(super) pointer: String,
}
