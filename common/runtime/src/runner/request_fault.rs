//! What is wrong with a request, told to its caller.

/// What is wrong with a request, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestFault {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) pointer: String,
}
