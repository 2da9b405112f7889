//! A message on its way to a queue, what is told of one that died there, and how many lie in it.

use precis_proto::envelope::Envelope;

use super::topology::Route;

/// A message and where it goes.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// Where.
    pub route: Route,
    /// What.
    pub envelope: Envelope,
}

/// What the broker says of a message it dead-lettered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    /// In the broker's words; see [`DeadReason`](precis_proto::dead_reason::DeadReason).
    pub reason: String,
    /// Queue it died in.
    pub queue: String,
}

/// Depth of a queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueDepth {
    /// Waiting.
    pub ready: u64,
    /// Held by consumers; `None` where the broker does not tell.
    pub unacked: Option<u64>,
    /// Consumers there are: with none, what waits goes on waiting.
    pub consumers: u64,
}
