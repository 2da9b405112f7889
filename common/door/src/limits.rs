//! Every limit of the door, with its default. Chosen, not measured, where nothing else is said.

use std::time::Duration;

use precis_proto::envelope::MAX_BODY_BYTES;
use precis_runtime::collections::{MAX_COLLECTION_FILES, MAX_COLLECTIONS};

/// Largest request body, in bytes: the largest request that a worker unfolds.
pub const MAX_REQUEST_BYTES: usize = MAX_BODY_BYTES;
/// Memory for bodies that are being read, in bytes: one of the largest, or many small ones. A body counts twice, as bytes and as values.
pub const READING_BYTES: usize = 3 * MAX_REQUEST_BYTES;
/// Time for the head of a request to arrive, and for which an idle connection is kept.
pub const HEAD_TIME: Duration = Duration::from_secs(10);
/// Largest head of a request, in bytes.
pub const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Most header fields of a request.
pub const MAX_HEADERS: usize = 100;
/// Time that a body may take however slow it is; after it, a body must have come at [`BODY_RATE`].
pub const BODY_GRACE: Duration = Duration::from_secs(10);
/// Least average rate of a body, in bytes per second.
pub const BODY_RATE: u64 = 4 * 1024;
/// Connections served at once; more wait until one ends.
pub const CONNECTIONS: usize = 10_000;
/// Longest that a caller may ask to wait for the end of a session, in seconds; clients and proxies cut later.
pub const MAX_WAIT_SECONDS: u64 = 60;
/// Longest that an operation of the broker may take before the caller is told that it is not available.
pub const BROKER_TIME: Duration = Duration::from_secs(4);
/// How often a wait looks again without having been woken, in case nothing woke it.
pub const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// How often a stream of events says that it is alive.
pub const HEARTBEAT: Duration = Duration::from_secs(15);
/// Sessions of a page of the list, unless the caller says how many.
pub const PAGE: usize = 20;
/// Most sessions of a page.
pub const MAX_PAGE: usize = 100;
/// Longest part of a question that a list is filtered by, in bytes.
pub const MAX_QUERY_BYTES: usize = 1_000;
/// Longest name of a file of a form, in bytes: as long as file systems allow.
pub const MAX_FILE_NAME_BYTES: usize = 255;
/// Most bytes of the files of `archive.zip` together, before they are compressed (chosen, not measured).
pub const MAX_ARCHIVE_BYTES: u64 = 64 * 1024 * 1024;
/// Longest `Idempotency-Key`, in bytes.
pub const MAX_KEY_BYTES: usize = 200;
/// Time for a cancelled session to end before its caller is told that it will be removed later.
pub const REMOVE_TIME: Duration = Duration::from_secs(4);
/// Most sessions of a token that have not ended, unless configured otherwise.
pub const ACTIVE_SESSIONS: usize = 1_000;
/// Seconds after which a token that has as many may try again.
pub const ACTIVE_AGAIN: u32 = 5;
/// Most submissions of a token in a minute, unless configured otherwise.
pub const SUBMISSIONS_PER_MINUTE: u64 = 6_000;
/// Requests and sessions that wait for workers from which on the door takes no more, unless configured otherwise.
pub const QUEUE_DEPTH: u64 = 10_000;
/// Longest that the broker may take to tell it; together with a publish it stays within what a caller waits where the broker is silent.
pub const DEPTH_TIME: Duration = Duration::from_millis(500);
/// How long the door goes by the depth of the queues that it counted: it asks the broker ten times.
pub const DEPTH_KEPT: Duration = Duration::from_secs(1);
/// Seconds after which a caller may try again where the queues are full.
pub const QUEUE_AGAIN: u32 = 10;
/// Most questions of a batch. Chosen, not measured.
pub const BATCH_QUESTIONS: usize = 100;
/// Largest body of a batch, in bytes: each of its sessions gets a copy of its sources and options.
pub const MAX_BATCH_BYTES: usize = 1024 * 1024;
/// Most files that one body adds to a collection. Each is read once more, so that its retention is renewed.
pub const ADDED_FILES: usize = 1_000;
/// Bytes that a file costs in the list of a version, and a collection in its record, as counted for whom they are stored.
pub const RECORD_BYTES: u64 = 400;
/// How long workers are not told again of a collection that waits, however often it is looked at.
pub const WAKE_AGAIN: Duration = Duration::from_secs(30);
/// Seconds after which a caller may ask again about a collection that is not indexed yet.
pub const INDEX_AGAIN: u32 = 5;
/// Most collections of which that is remembered.
pub const WAKES: usize = 10_000;
/// Dry runs at once: each reads all its documents. Chosen, not measured.
pub const DRY_RUNS: usize = 2;
/// How long a dry run waits for others before its caller is told to come back.
pub const DRY_RUN_WAIT: Duration = Duration::from_secs(4);
/// Seconds after which such a caller may try again.
pub const DRY_RUN_AGAIN: u32 = 5;
/// Time for connections to end when the door is stopped.
pub const DRAIN_TIME: Duration = Duration::from_secs(5);

/// The limits that are configured, and those that tests make smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DoorLimits {
    /// [`MAX_REQUEST_BYTES`].
    pub request_bytes: usize,
    /// [`HEAD_TIME`].
    pub head_time: Duration,
    /// [`BODY_GRACE`].
    pub body_grace: Duration,
    /// [`BODY_RATE`].
    pub body_rate: u64,
    /// [`CONNECTIONS`].
    pub connections: usize,
    /// [`MAX_ARCHIVE_BYTES`].
    pub archive_bytes: u64,
    /// [`ACTIVE_SESSIONS`].
    pub active_sessions: usize,
    /// [`SUBMISSIONS_PER_MINUTE`].
    pub submissions_per_minute: u64,
    /// [`QUEUE_DEPTH`].
    pub queue_depth: u64,
    /// [`MAX_COLLECTIONS`].
    pub collections: usize,
    /// [`MAX_COLLECTION_FILES`].
    pub collection_files: usize,
    /// [`ADDED_FILES`].
    pub added_files: usize,
    /// [`BATCH_QUESTIONS`].
    pub batch_questions: usize,
    /// [`MAX_BATCH_BYTES`].
    pub batch_bytes: usize,
}

impl Default for DoorLimits {
    fn default() -> Self {
        Self {
            request_bytes: MAX_REQUEST_BYTES,
            head_time: HEAD_TIME,
            body_grace: BODY_GRACE,
            body_rate: BODY_RATE,
            connections: CONNECTIONS,
            archive_bytes: MAX_ARCHIVE_BYTES,
            active_sessions: ACTIVE_SESSIONS,
            submissions_per_minute: SUBMISSIONS_PER_MINUTE,
            queue_depth: QUEUE_DEPTH,
            collections: MAX_COLLECTIONS,
            collection_files: MAX_COLLECTION_FILES,
            added_files: ADDED_FILES,
            batch_questions: BATCH_QUESTIONS,
            batch_bytes: MAX_BATCH_BYTES,
        }
    }
}
