//! Reads files whose paths others chose: only regular files are opened, and no more is read than allowed.
//!
//! A path does not tell what it refers to when it is opened: it may be a pipe without a writer, an endless device, or a link to another
//! place. So the type is read from the open file, opening never waits, and reading is limited in bytes and in time.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `read` | opens and reads within limits |
//! | `owned` | checks whether a directory can be trusted: its owner, its permissions |

mod owned;
mod read;

pub use owned::{Unsafe, owner_only, private_dir};
pub use read::{FileLimits, Links, MAX_READ, ReadError, open_regular, read_regular};
