//! The facets of the shared store: each a thin handle to [`Store`](super::Store) with the operations of one subject.
//!
//! Code that needs one subject gets its facet and not the store, so that a handler with the cache cannot move a fence.
//!
//! | module | contents |
//! | --- | --- |
//! | `values` | cached values: first-writer-wins, compare-and-set |
//! | `leases` | one owner of a key at a time, and work that is done once |
//! | `fences` | the last published revision of a session, and its holder |
//! | `events` | the events of sessions |
//! | `breakers` | whether a service may be called |
//! | `limits` | how much may be used per minute |
//! | `ceilings` | how much may be spent |
//! | `fleet` | whether the store is used by one fleet only |
//! | `time` | the time by the store's clock |

mod breakers;
mod ceilings;
mod events;
mod fences;
mod fleet;
mod leases;
mod limits;
mod time;
mod values;

pub use breakers::SharedBreakers;
pub use ceilings::SharedCeilings;
pub use events::SharedEvents;
pub use fences::SharedFences;
pub use leases::SharedLeases;
pub use limits::SharedLimits;
pub use values::SharedValues;
