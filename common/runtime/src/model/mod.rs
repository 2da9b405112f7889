//! Calling models: who is asked, how often, what it cost, and what is never paid twice.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`models`] | [`Models::call`]: a task along its role's chain of providers |
//! | [`gate`] | the seam to the pure side: payloads that fit, answers that hold |
//! | [`chain`] | which providers a role asks, in which order |
//! | [`provider`] | one provider's configuration, its permits and its pauses |
//! | [`failure`] | why a call failed, in stable codes |
//! | `answer`, `error`, `policy` | what a call ends with; why models cannot be set up; how patient calls are |
//! | `state`, `call_order` | what calls share; a request to be made and one that is finished |
//! | `conversation` | one provider and one task: overflow, repeats, complaints, one level down |
//! | `dispatch` | one request, owned here rather than by who asked: its answer is kept even when nobody waits any more |
//! | `count`, `recent_counts` | the provider's own count of a payload that comes near its room; those that were made |
//! | `memo`, `flight`, `allowance` | the stored answer, the lease that keeps two from paying, the limits |
//! | `billing` | who pays for a call, and the ceilings of sessions and tenants |
//! | `server` | a model server over HTTP, whatever it speaks |
//! | [`vendor`] | whose formats are known |
//! | `wire` | the seam of the wire; behind it `openai`, `anthropic`, `gemini`: JSON in and out |
//! | [`tool`] | a command-line tool as a child process |
//! | `windows` | how much a model takes, asked of its server |
//! | `calls` | native tool calls as text |
//! | `dialect` | the parts of a request that a server turned out not to know |
//! | `reply`, `refusal`, `overflow`, `excerpt` | reading what providers say, and what they say when they refuse |
//!
//! Nothing here knows what a prompt means, and nothing a warning, an error or a log line says holds a key or a body.

pub(crate) mod allowance;
mod answer;
mod anthropic;
pub(crate) mod billing;
mod call_order;
mod calls;
pub mod chain;
mod conversation;
mod count;
mod dialect;
mod dispatch;
mod error;
pub(crate) mod excerpt;
pub mod failure;
pub(crate) mod flight;
pub mod gate;
mod gemini;
pub(crate) mod memo;
pub mod models;
mod openai;
mod overflow;
mod policy;
pub mod provider;
mod recent_counts;
mod refusal;
mod reply;
mod server;
mod session_waits;
mod state;
mod tally;
pub mod tool;
pub mod vendor;
mod windows;
mod wire;

pub use answer::{ModelAnswer, ModelError};
pub use billing::{BillingContext, TenantPolicies, TenantPolicy};
pub use chain::{Chain, Chains};
pub use error::ModelsError;
pub use failure::{Code, Failure};
pub use gate::{
    Gate, GateAttempt, GateError, GateMessage, GatePrice, GateSchema, GateSpeaker, GateTool, PieceCut, PreparedPayload,
};
pub use models::Models;
pub use policy::CallPolicy;
pub use provider::{Endpoint, ProviderConfig, environment_from, key_from};
pub use server::ServerConfig;
pub use tool::{GuardConfig, ToolConfig, guard, has_fences};
pub use vendor::Vendor;
pub use windows::{ToldWindow, told_window};
