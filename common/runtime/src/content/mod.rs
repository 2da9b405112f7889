//! Texts and files too large for a message, and finished reports: kept by the hash of their bytes or under a name, once.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `open` | from an address to a directory, a bucket or memory |
//! | `store` | putting and getting, over any of them |
//! | `key` | what the key of a deployment proves: who put a text, who wrote a cache record |
//! | `fleet_key` | that key in the store: read, made, read again |
//! | `names` | how an id from outside becomes a path that stays where it should |

mod fleet_key;
mod key;
mod names;
mod open;
mod store;

pub use key::FleetKey;
pub use open::OpenError;
pub(crate) use open::objects;
pub use store::{ContentError, ContentStore, DEFAULT_MAX_BYTES};
