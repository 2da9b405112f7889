//! Leases, and the pieces of work that are done once under one.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::SessionId;

/// What came of asking for a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    /// It is ours for the time asked.
    Mine,
    /// Somebody else holds it for at most this long.
    Held(Duration),
}

/// A piece of a session's work that is done once: who works on it, and the keys of its mark and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The session it belongs to.
    pub session: SessionId,
    /// Who works.
    pub owner: String,
    /// Key of the lease that says that somebody does.
    pub mark: String,
    /// Key of the answer.
    pub answer: String,
}

/// Where a piece of work stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkState {
    /// The last published revision of its session, if known.
    pub latest: Option<u64>,
    /// Whether the mark is ours.
    pub lease: Lease,
    /// Its answer, where it is done.
    pub answer: Option<Bytes>,
}
