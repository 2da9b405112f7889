//! The shared store by subject: each a thin view of [`Store`](super::Store) with the operations of one family of keys.
//!
//! Whoever needs one subject is given its view and not the store, so that a handler with the cache cannot move a fence.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `values` | cached values: first writer wins, compare and set |
//! | `leases` | one owner at a time, and work that is done once |
//! | `fences` | the last published revision of a session, and its holder |
//! | `breakers` | whether a service may be called |
//! | `limits` | how much a minute may see |
//! | `ceilings` | how much may be spent |

mod breakers;
mod ceilings;
mod fences;
mod leases;
mod limits;
mod values;

pub use breakers::SharedBreakers;
pub use ceilings::SharedCeilings;
pub use fences::SharedFences;
pub use leases::SharedLeases;
pub use limits::SharedLimits;
pub use values::SharedValues;
