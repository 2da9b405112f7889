//! Reading files that somebody else chose: what is opened is a regular file, and no more of it is read than allowed.
//!
//! A path says nothing of what lies there by the time it is opened: a pipe that nobody writes to, a device without an end, a link
//! to another place. So the type is asked of the open file, opening never waits, and reading is bounded in bytes and in time.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `read` | opening and reading within bounds |
//! | `owned` | whether a directory can be believed: whose it is, who may write to it |

mod owned;
mod read;

pub use owned::{Unsafe, owner_only, private_dir};
pub use read::{FileLimits, Links, MAX_READ, ReadError, open_regular, read_regular};
