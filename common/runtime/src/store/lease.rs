//! Leases, and pieces of work that are done once under a lease.

use std::time::Duration;

use bytes::Bytes;
use precis_proto::{LifeId, SessionId};

/// The result of taking a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    /// The caller holds it for the requested time.
    Mine,
    /// Another owner holds it for at most this long.
    Held(Duration),
}

/// The result of taking a lease, and a value as it was afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseAndValue {
    /// The lease: taken, or held by another owner.
    pub lease: Lease,
    /// The value, if there is one.
    pub answer: Option<Bytes>,
}

/// A piece of a session's work that is done once: its owner, and the keys of its mark and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The session it belongs to.
    pub session: SessionId,
    /// Its life; `None` if the fence does not count for the work.
    pub life: Option<LifeId>,
    /// The owner of the run.
    pub owner: String,
    /// Key of the lease that marks a run.
    pub mark: String,
    /// Key of the answer.
    pub answer: String,
}

/// The state of a piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkState {
    /// The last published revision of this life of its session, if known.
    pub latest: Option<u64>,
    /// The mark: taken, or held by another run.
    pub lease: Lease,
    /// Its answer, if it is done.
    pub answer: Option<Bytes>,
}
