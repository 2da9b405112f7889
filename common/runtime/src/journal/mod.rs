//! A log on disk of what a process must not forget: entries are appended, committed in groups, read back at the next start, and compacted.
//!
//! The entries are opaque here. An entry is in the file, and survives the end of the process, as soon as [`Journal::append`] returns; it
//! survives a power failure once [`Journal::durable`] has returned. One process at a time owns a journal.
//!
//! ```text
//! {dir}/lock                       locked while a process owns the journal
//! {dir}/{generation}.snapshot      everything that was live when the log of this generation began
//! {dir}/{generation}.log           what was appended since
//! {dir}/{generation}.new           a snapshot being written
//! ```
//!
//! | module | what it owns |
//! | --- | --- |
//! | `frame` | the bytes of one entry |
//! | `folder` | names of the files; the lock |
//! | `recovery` | reads a journal back; tells a torn end from damage |
//! | `writer` | the file that is appended to, and its successor |
//! | `snapshot` | writes a snapshot and removes what it replaces |
//! | `log` | the journal: append, commit in groups, compact |
//! | `error` | why a journal cannot be opened or written |

mod error;
mod folder;
mod frame;
mod log;
mod recovery;
mod snapshot;
mod writer;

pub use error::{JournalFailed, OpenJournalError};
pub(crate) use log::{Journal, Opening};
pub(crate) use recovery::UnknownEntry;
