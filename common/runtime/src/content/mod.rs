//! Texts and files too large for a message, and finished reports: kept by the hash of their bytes or under a name, once.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `store` | putting and getting, over a directory or memory |
//! | `names` | how an id from outside becomes a path that stays where it should |

mod names;
mod store;

pub use store::{ContentError, ContentStore, DEFAULT_MAX_BYTES, OpenError};
