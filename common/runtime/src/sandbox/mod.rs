//! Untrusted bytes are handled in a child process that can hurt nothing but itself, as far as the system has walls for it.
//!
//! A pool of children of our own executable answers framed requests over standard input and output. A child limits itself
//! before it reads anything; the parent limits its time and replaces it. What a request means is the caller's affair: this
//! module moves a header and a body in, and a header and a body out.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`settings`] | sizes, times, the executable |
//! | [`error`] | the ways a request can go wrong |
//! | [`pool`] | [`Sandbox`]: whose turn it is, recycling, the second try in a fresh child |
//! | `process` | one child as its parent sees it |
//! | `spawner` | the thread that starts children, and whose end ends them |
//! | [`mod@serve`] | the child's side |
//! | [`limits`] | what a child forbids itself |
//! | [`walls`] | which walls stand around a child |
//! | [`capacity`] | how many children, and how much memory for each |
//! | `confine` | namespaces, capabilities and Landlock (Linux) |
//! | `syscalls` | the system calls a child may still make (Linux) |
//! | `frame` | how a message travels |

pub mod capacity;
#[cfg(target_os = "linux")]
mod confine;
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
