//! Questions that stand: where their records lie, and who is told when an answer changes.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `records` | the records of this user, and the lock of each |
//! | `notice` | what is told: the statements that changed |
//! | `delivery` | the program and the address that are told |

mod delivery;
mod notice;
mod records;

pub(crate) use delivery::deliver;
pub(crate) use notice::Notice;
pub(crate) use records::Records;
