//! Calling models: who is asked, how often, what it cost, and what is never paid twice.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`models`] | [`Models::call`]: a task along its role's chain of providers |
//! | [`gate`] | the seam to the pure side: payloads that fit, answers that hold |
//! | [`chain`] | which providers a role asks, in which order |
//! | [`provider`] | one provider's configuration, its permits and its pauses |
//! | [`failure`] | why a call failed, in stable codes |
//! | `conversation` | one provider and one task: overflow, repeats, complaints, one level down |
//! | `dispatch` | one request, owned here rather than by who asked: its answer is kept even when nobody waits any more |
//! | `count` | the provider's own count of a payload that comes near its room |
//! | `memo`, `flight`, `allowance` | the stored answer, the lease that keeps two from paying, the limits |
//! | `payer` | who pays for a call, and the ceilings of sessions and tenants |
//! | `server` | a model server over HTTP, whatever it speaks |
//! | [`vendor`] | the seam of the wire; behind it `openai`, `anthropic`, `gemini`: JSON in and out |
//! | [`tool`] | a command-line tool as a child process |
//! | `windows` | how much a model takes, asked of its server |
//! | `calls` | native tool calls as text |
//! | `dialect` | the parts of a request that a server turned out not to know |
//! | `reply`, `refusal`, `overflow`, `excerpt`, `retry_after` | reading what providers say, and what they say when they refuse |
//!
//! Nothing here knows what a prompt means, and nothing a warning, an error or a log line says holds a key or a body.

pub(crate) mod allowance;
mod anthropic;
mod calls;
pub mod chain;
mod conversation;
mod count;
mod dialect;
mod dispatch;
pub(crate) mod excerpt;
pub mod failure;
pub(crate) mod flight;
pub mod gate;
mod gemini;
pub(crate) mod memo;
pub mod models;
mod openai;
mod overflow;
mod patience;
pub(crate) mod payer;
pub mod provider;
mod refusal;
mod reply;
pub(crate) mod retry_after;
mod server;
mod tally;
pub mod tool;
pub mod vendor;
mod windows;

pub use chain::{Chain, Chains};
pub use failure::{Code, Failure};
pub use gate::{Attempt, Gate, GateError, Message, OutputSchema, PieceCut, Prepared, Price, Speaker, Tool};
pub use models::{CallPolicy, Called, ModelError, Models, ModelsError};
pub use payer::{Payer, TenantPolicies, TenantPolicy};
pub use provider::{Endpoint, ProviderConfig, environment_from, key_from};
pub use server::ServerConfig;
pub use tool::{GuardConfig, ToolConfig, guard, has_fences};
pub use vendor::Vendor;
pub use windows::{ToldWindow, told_window};
