//! Whom a request is sent to, and for which session.

use precis_proto::SessionId;

use super::provider::Provider;

/// The model that a session asks.
#[derive(Debug)]
pub(super) struct Addressee<'a> {
    pub(super) session: &'a SessionId,
    pub(super) provider: &'a Provider,
    /// `NAME:MODEL`.
    pub(super) link: String,
}
