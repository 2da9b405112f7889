//! Calling models: which providers are called, with which retries, at what cost, and how an answer is never paid for twice.
//!
//! A call passes these stops, each inside the one before:
//!
//! 1. [`Models::call`] and its variants walk the role's chain of providers until one gives a valid answer.
//! 2. `Conversation::converse` handles one provider: repeats with a complaint, steps down one level, shrinks payloads that overflow.
//! 3. `Conversation::pay_once` takes the answer from the memo, or dispatches a limited number of requests.
//! 4. `ModelsState::dispatch` runs one request under single flight, permit, rate limits, ceilings and breakers, and stores its answer.
//! 5. `Provider::send` passes the payload to a server or a command-line tool.
//! 6. `Server::post_payload` posts it, learning the server's dialect from refusals; `Vendor::request` writes the JSON body.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`models`] | [`Models::call`]: runs a task along its role's chain of providers |
//! | [`gate`] | the interface to the prompt code: payloads that fit, checked answers |
//! | [`chain`] | the order in which a role's providers are called |
//! | [`provider`] | one provider's configuration, its permits and its pauses |
//! | [`failure`] | failure codes and their consequences |
//! | `answer`, `error`, `policy` | the result of a call; setup errors; retries, timeouts and retention |
//! | `state`, `call_order` | state shared by all calls; one request before and after it is sent |
//! | `tally` | the running account of one call |
//! | `conversation` | one task with one provider: overflow, repeats, complaints, one level down |
//! | `dispatch` | one request in a task of the process: its answer is stored even if the caller is gone |
//! | `session_waits` | how long a session has waited for a provider that does not answer |
//! | `count`, `recent_counts` | the provider's own token count of a payload near the limit; recent counts |
//! | `memo`, `flight`, `allowance` | stored answers; the single-flight lease; rate limits |
//! | `billing` | spending ceilings of sessions and tenants |
//! | `server` | a model server over HTTP, for every vendor |
//! | [`vendor`] | the supported vendor formats |
//! | `wire` | paths, headers and bodies per vendor; `openai`, `anthropic`, `gemini` read and write the JSON |
//! | [`tool`] | a command-line tool as a child process |
//! | `windows` | asks a server for the window of a model |
//! | `calls` | native tool calls as text |
//! | `dialect` | request features a server has refused |
//! | `reply`, `refusal`, `overflow`, `excerpt` | replies, refusals, overflow messages, and safe excerpts of provider messages |
//!
//! This module does not interpret prompts. No warning, error or log line contains a key or a request body.

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
