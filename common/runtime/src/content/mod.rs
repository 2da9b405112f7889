//! Texts and files too large for a message, and finished reports: kept by the hash of their bytes or under a name, once.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `open` | from an address to a directory, a bucket or memory |
//! | `store` | putting and getting, over any of them |
//! | `key` | the key of a deployment: proofs of who put a text, tags of cache records |
//! | `names` | how an id from outside becomes a path that stays where it should |

mod key;
mod names;
mod open;
mod store;

pub use key::FleetKey;
pub use open::OpenError;
pub(crate) use open::objects;
pub use store::{ContentError, ContentStore, DEFAULT_MAX_BYTES};
