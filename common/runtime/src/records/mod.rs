//! What is kept of each session in the content store: who asked what, how it ended, and on which day. It can be looked at when queues are
//! gone and the cache is wiped; no session depends on it, and no text of a document is in it.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `accepted` | the record of an accepted request; written once |
//! | `ended` | the record of how a session ended |
//! | `days` | the index: one empty marker per session, in the order of days and times |
//! | `listing` | newest first: pages over the index, with a place to go on from |
//! | `moment` | a time as a person writes it |
//! | `batch` | which sessions were asked for together |
//! | `newest_first` | names that list what a tenant has |
//! | `active` | which sessions a token has under way |
//! | `removed` | marks of sessions that were removed on demand |

mod accepted;
mod active;
mod batch;
mod days;
mod ended;
mod listing;
mod moment;
mod newest_first;
mod removed;

pub use accepted::{
    ACCEPTED, AcceptedSession, AskedBy, RecordedSource, SourceKind, keep_accepted, read_accepted, withdraw_accepted,
};
pub use active::ActiveSessions;
pub use batch::{Batch, ListedBatches, keep_batch, list_batches, read_batch};
pub use days::{DayMarker, TENANT_CHARS, tenant_mark};
pub use ended::{ENDED, EndedSession, keep_ended, read_ended};
pub use listing::{IndexFilter, LOOKED_AT, ListingPage, ListingPlace, PlaceError, list_sessions};
pub use moment::moment;
pub use newest_first::is_list_name;
pub(crate) use newest_first::{id_of, list_kind, list_name};
pub use removed::{REMOVED, is_removed, mark_removed};
