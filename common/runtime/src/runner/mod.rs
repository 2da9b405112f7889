//! The runner: leases, settlement, scatter and gather. Handlers return; the runner acts.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`handler`] | what a phase and a job look like to their author |
//! | [`registry`] | which handlers this worker has |
//! | [`settle`] | what to do about an outcome: one pure function |
//! | [`session`] | holding a session's delivery: fence, run, publish, ack |
//! | [`job`] | holding a job's delivery: answer cache, run, reply, ack |
//! | [`intake`] | a request becomes a session |
//! | [`identity`] | who speaks, and what is theirs |
//! | `limits` | what a request may hold |
//! | [`undertaker`] | what the broker gave up on gets a reason and a result |
//! | `given_up` | what a caller can do about a session that became a dead letter |
//! | `unkept` | what to do where the content store takes nothing |
//! | [`gather`] | scattering jobs and waiting for their answers |
//! | [`context`] | what handlers may use |
//! | `replies` | answers find their askers |
//! | [`pages`] | a state's larger fields on their way through the content store |
//! | [`outbox`] | every publish the runner makes |
//! | [`control`] | cancellations and stops |
//! | [`events`] | progress |
//! | [`view`] | where a session stands, for operators |
//! | [`worker`] | consumers, drain |

pub mod context;
pub mod control;
pub mod events;
pub mod gather;
mod given_up;
pub mod handler;
pub mod identity;
pub mod intake;
pub mod job;
mod limits;
pub mod outbox;
pub mod pages;
pub mod registry;
mod replies;
pub mod searching;
mod session;
pub mod settle;
pub mod suspects;
pub mod undertaker;
mod unkept;
pub mod view;
pub mod worker;

pub use context::{JobContext, PhaseContext};
pub use gather::Pace;
pub use handler::{Interrupt, JobError, JobHandler, PhaseError, PhaseHandler, Step};
pub use identity::TenantRules;
pub use outbox::{RESULTS, status_of};
pub use pages::Paging;
pub use registry::Registry;
pub use view::{SessionView, is_known, known_sessions};
pub use worker::{Core, Queues, RunnerSettings, Services, Worker, WorkerParts};
