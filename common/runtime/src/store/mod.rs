//! The store interface: what the fleet shares and may lose at any time. Every failure here counts as a miss, never as an error of a
//! job.
//!
//! Writes of results are first-writer-wins, so that all readers of a key see the same text. Locks here are for efficiency only;
//! correctness never depends on them.
//!
//! | module | contents |
//! | --- | --- |
//! | `handle` | the store: in memory or on Redis |
//! | `shared` | its operations, one facet per subject |
//! | `memory`, `values`, `work` | the store in this process: bounded values, work in several steps |
//! | `disk`, `record` | its cache families on disk |
//! | `redis` | the store of a fleet |
//! | `breaker`, `fence`, `lease`, `limit`, `ceiling` | the decisions of each subject, as plain data with the time as an argument |
//! | `event_log` | the events of a session, kept for readers that come later |
//! | `breakers` | the breakers of a process: shared, or local while the store is unavailable |
//! | `error` | the error of a store that cannot be reached |

mod breaker;
mod breakers;
mod ceiling;
mod disk;
mod error;
mod event_log;
mod fence;
mod handle;
mod lease;
mod limit;
mod memory;
mod record;
mod redis;
mod shared;
mod values;
mod work;

pub use breaker::{Admission, Breaker, BreakerPolicy, BreakerState, CallOutcome, OutcomeWindow, ReportResult};
pub use breakers::{BreakerPermit, Breakers};
pub use ceiling::{Ceiling, CeilingHold, CeilingPolicy, Spending};
pub use disk::DiskCache;
pub use error::StoreError;
pub(crate) use event_log::ProgressGate;
pub use event_log::{EventId, LOG_KEPT, LOGGED_EVENTS, LoggedEvent};
pub use fence::{FenceClaim, Revision};
pub use handle::Store;
pub use lease::{Lease, LeaseAndValue, Work, WorkState};
pub use limit::{Amount, Limit, LimitPolicy, Measure, Reservation};
pub use memory::{MemoryStore, RecordName, StoredRecord};
pub use redis::{ClientIdentity, RedisSettings, RedisSettingsError, RedisStore};
pub use shared::{
    SharedBreakers, SharedCeilings, SharedEvents, SharedFences, SharedLeases, SharedLimits, SharedValues,
};
