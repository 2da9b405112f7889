//! A model provider that does what a test tells it to, over real HTTP on the loopback interface, in the format of any vendor.
//!
//! [`Scripted`] plays a list of [`Reply`]s, one per request, and records what it was asked. [`PromptGate`] is the gate between the
//! real prompts and the real models.

mod dialect;
mod gate;
mod marked;
mod schema;
mod script;
mod server;

pub use dialect::Vocabulary;
pub use gate::PromptGate;
pub use marked::{Marked, MarkedCall};
pub use script::{Reply, Wording};
pub use server::{Counter, Scripted, Seen};
