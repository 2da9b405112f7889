//! Texts and files too large for a message, and finished reports: kept once, by the hash of their bytes or under a name.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `open` | opens a directory, a bucket or memory from an address |
//! | `store` | put and get, over any of them |
//! | `key` | the key of a deployment: proofs of puts, tags of cache records, encryption |
//! | `fleet_key` | reads and creates that key in the store |
//! | `names` | turns an external id into a path that cannot escape its directory |

mod fleet_key;
mod key;
mod names;
mod open;
mod store;

pub use key::FleetKey;
pub use open::OpenError;
pub(crate) use open::objects;
pub use store::{ContentError, ContentStore, DEFAULT_MAX_BYTES};
