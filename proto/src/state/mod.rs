//! The session as it waits between phases: a versioned message.
//!
//! | version | adds |
//! | --- | --- |
//! | 0 | question, sources, phase |
//! | 1 | fidelity, dropped ids, archive hashes |
//! | 2 | digest content type, raw notes, prompt-layer accounting |
//! | 3 | pages: what grows with the work may be elsewhere |
//! | 4 | research: plan and rounds, by reference; a state without it is written as version 3 |
//! | 5 | visits: a session that goes through its phases again; a state in its first pass is written as before |

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
pub use session_state::{PhaseTime, SessionState};
pub use versions::{
    OLDEST_WRITABLE_VERSION, PAGED_VERSION, RESEARCH_VERSION, STATE_SCHEMA_VERSION, StateError, VISITS_VERSION, open,
    read, revisits, searches, write,
};
