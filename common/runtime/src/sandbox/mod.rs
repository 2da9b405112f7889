//! Handles untrusted bytes in a child process that can harm only itself, as far as the system supports restrictions.
//!
//! A pool of children of our own executable answers framed requests over standard input and output. A child limits itself before it
//! reads anything; the parent limits its time and replaces it. The caller defines what a request means: this module passes a header and
//! a body in, and a header and a body out.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`settings`] | sizes, times, the executable |
//! | [`error`] | errors of a request |
//! | [`pool`] | [`Sandbox`]: lends children to requests, recycling, the second attempt in a fresh child |
//! | `process` | one child, on the parent's side |
//! | `spawner` | the thread that starts children; they end with it |
//! | [`mod@serve`] | the child's side |
//! | [`limits`] | the limits a child sets on itself |
//! | [`walls`] | the restrictions in force in a child |
//! | [`capacity`] | the number of children, and the memory of each |
//! | `confine` | namespaces, capabilities and Landlock (Linux) |
//! | `syscalls` | the system calls a child may still make (Linux) |
//! | `frame` | the format of a message |

pub mod capacity;
#[cfg(target_os = "linux")]
pub(crate) mod confine;
pub mod error;
mod frame;
pub mod limits;
pub mod pool;
mod process;
pub mod serve;
pub mod settings;
mod spawner;
#[cfg(target_os = "linux")]
mod syscalls;
pub mod walls;

pub use capacity::SandboxCapacity;
pub use error::{ChildDeath, SandboxError};
pub use limits::ChildLimits;
pub use pool::Sandbox;
pub use process::is_unfiltered;
pub use serve::serve;
pub use settings::SandboxSettings;
#[cfg(target_os = "linux")]
pub use syscalls::{ALLOWED, REFUSED};
pub use walls::Walls;
