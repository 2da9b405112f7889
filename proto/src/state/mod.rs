//! The state of a session between phases: a versioned message.
//!
//! | version | adds |
//! | --- | --- |
//! | 0 | question, sources, phase |
//! | 1 | fidelity, dropped ids, archive hashes |
//! | 2 | digest content type, raw notes, prompt-layer accounting |
//! | 3 | pages: fields that grow with the work may be stored in the content store |
//! | 4 | research: plan and rounds, by reference; a state without it is written as version 3 |
//! | 5 | visits: a session may go through its phases again; a state in its first pass is written in the earlier version |
//!
//! A worker reads any earlier version and can write the previous one for older workers:
//!
//! ```
//! use precis_proto::state::{STATE_SCHEMA_VERSION, read, write};
//!
//! // A state of version 0: question, sources and phase only.
//! let message = serde_json::json!({
//!     "schema_version": 0, "session_id": "dam-1", "revision": 1, "phase": "extraction",
//!     "query": "When was the dam built?", "sources": [],
//! });
//! let state = read(message)?;
//! assert_eq!(state.schema_version, STATE_SCHEMA_VERSION);
//!
//! let older = write(&state, 2);
//! assert_eq!(older["schema_version"], 2);
//! assert_eq!(read(older)?, state);
//! # Ok::<(), precis_proto::state::StateError>(())
//! ```

#[cfg(test)]
mod golden;
mod page_list;
pub mod pages;
#[cfg(test)]
mod pages_test;
mod session_state;
mod versions;

pub use page_list::{PageList, PagedField, Pages};
pub use pages::PageFault;
pub use session_state::{PhaseTime, SessionState, WriterReads};
pub use versions::{
    OLDEST_WRITABLE_VERSION, PAGED_VERSION, RESEARCH_VERSION, STATE_SCHEMA_VERSION, StateError, VISITS_VERSION, open,
    read, revisits, searches, write,
};
