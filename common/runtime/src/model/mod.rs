//! Calling models: which providers are called, with which retries, at what cost, and how an answer is never paid for twice.
//!
//! A call passes these stops, each inside the one before:
//!
//! 1. [`Models::call`] walks the role's chain of providers until one gives a valid answer.
//! 2. `Conversation::converse` handles one provider: repeats with a complaint, and steps down one level.
//! 3. `Conversation::ask_within_window` shrinks payloads that overflow.
//! 4. `Conversation::pay_once` takes the answer from the memo, or dispatches a limited number of requests.
//! 5. `paid::dispatch` runs one request in a task of the process, under the single-flight lease of its key.
//! 6. `paid::under_permit` takes a permit, reserves what the request may cost, has it admitted and sent, and ends it in the store.
//! 7. `ModelsState::send` lists it as unanswered while it is under way, and measures it.
//! 8. `ModelsState::exchange` limits its time and sends it over the provider's transport.
//! 9. `Server::post_payload` posts it, learning the server's dialect from refusals; `CommandTool::run_payload` runs a program.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`models`] | [`Models::call`]: runs a task along its role's chain of providers |
//! | [`gate`] | the interface to the prompt code: payloads that fit, checked answers |
//! | [`chain`] | the order in which a role's providers are called |
//! | [`provider`] | one provider's configuration, its permits and its pauses |
//! | [`failure`] | failure codes and their consequences |
//! | `answer`, `error`, `policy` | the result of a call; setup errors; retries, timeouts and retention |
//! | [`embedding`] | vectors of texts from a server: the same stops, without prompts and chains |
//! | `state`, `addressee`, `call_order` | state shared by all calls; one request before and after it is sent |
//! | `tally` | the running account of one call |
//! | `conversation` | one task with one provider: overflow, repeats, complaints, one level down |
//! | `paid_call` | what a call may use and has used, and what is stored of its answer; the steps are those of every paid request (`crate::paid`) |
//! | `admission` | breakers, silence of the model, the provider's token count |
//! | `exchange` | the request itself, within its time |
//! | `session_waits` | how long a session has waited for a provider that does not answer |
//! | `count`, `recent_counts` | the provider's own token count of a payload near the limit; recent counts |
//! | `memo` | stored answers and their keys |
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

mod addressee;
mod admission;
mod answer;
mod anthropic;
mod call_order;
mod calls;
pub mod chain;
mod conversation;
mod count;
mod dialect;
pub mod embedding;
mod error;
pub(crate) mod excerpt;
mod exchange;
pub mod failure;
pub mod gate;
mod gemini;
mod memo;
pub mod models;
mod openai;
mod overflow;
mod paid_call;
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

pub use crate::paid::{BillingContext, TenantPolicies, TenantPolicy, Unanswered};
pub use answer::{ModelAnswer, ModelError};
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
