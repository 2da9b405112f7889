//! Texts and files too large for a message, and finished reports: kept once, by the hash of their bytes or under a name.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `open` | opens a directory, a bucket or memory from an address |
//! | `error` | why an operation failed |
//! | `store` | put and get, over any of them |
//! | `ordered` | ids of named content in order, for an index |
//! | `retention` | removes what is old |
//! | `kept_contents` | what it passes over |
//! | `key` | the key of a deployment: proofs of puts, tags of cache records, encryption |
//! | `fleet_key` | reads and creates that key in the store |
//! | `presence` | whether the store of a fleet is there: it has its key |
//! | `shared` | makes, checks and watches the store of a fleet |
//! | `room` | whether it has room |
//! | `outages` | which operations met a store that is away or full |
//! | `tally` | what was stored on a day, and for whom |
//! | `names` | turns an external id into a path that cannot escape its directory |

mod error;
mod fleet_key;
mod kept_contents;
mod key;
mod names;
mod open;
mod ordered;
mod outages;
mod presence;
mod retention;
mod room;
mod shared;
mod store;
mod tally;

pub use error::ContentError;
pub use kept_contents::KeptContents;
pub use key::FleetKey;
pub use open::OpenError;
pub(crate) use open::objects;
pub use room::ROOM_BYTES;
pub use shared::CreateError;
pub use store::{ContentStore, DEFAULT_MAX_BYTES};
pub use tally::{CeilingReached, Reserved, Tallies};
