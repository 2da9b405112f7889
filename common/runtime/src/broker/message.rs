//! Outgoing messages, dead-letter details, and queue depths.

use precis_proto::envelope::Envelope;
use serde::{Deserialize, Serialize};

use super::topology::Route;

/// A message and its route.
#[derive(Debug, Clone)]
pub struct Outgoing {
    /// Its route.
    pub route: Route,
    /// The message.
    pub envelope: Envelope,
}

/// Why and from where the broker dead-lettered a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Death {
    /// The broker's reason; see [`DeadReason`](precis_proto::dead_reason::DeadReason).
    pub reason: String,
    /// Queue it died in.
    pub queue: String,
}

/// Depth of a queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueDepth {
    /// Messages waiting.
    pub ready: u64,
    /// Messages held by consumers; `None` if the broker does not report it.
    pub unacked: Option<u64>,
    /// Number of consumers; with none, waiting messages stay where they are.
    pub consumers: u64,
}
