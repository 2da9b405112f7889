//! A fleet as its workers and its operators reach it: broker, store and content store at the addresses of the settings.
//!
//! | module | what it owns |
//! | --- | --- |
//! | `backoff` | how long a worker waits before it connects anew |
//! | `connect` | from settings to connections, and what to say where there is none |
//! | `queues` | the words of `--queues` |
//! | `redrive` | a dead letter made ready to be worked on again |
//! | `supervisor` | a worker that outlives its connections |
//! | `caller` | asking a fleet for a session, and hearing how it goes |
//! | [`asyncapi`] | what other services send and hear, as a document |

pub mod asyncapi;
mod backoff;
mod caller;
mod connect;
mod queues;
mod redrive;
mod supervisor;

pub use caller::{Caller, SessionListener, SessionMessage, SubmitError, result};
pub use connect::{archive_dir, broker, content, store, unreachable_broker};
pub use queues::{QueueWordError, parse_queues};
pub use redrive::{RedriveError, RedriveMessage, opened, redriven, with_reason};
pub use supervisor::{SupervisedResources, supervise};
