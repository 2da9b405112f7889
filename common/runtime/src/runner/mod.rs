//! The runner: leases, settlement, scatter and gather. Handlers return; the runner acts.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`handler`], [`error`] | what a phase and a job look like to their author; why they did not return |
//! | [`registry`] | which handlers this worker has |
//! | [`settle`] | what to do about an outcome: one pure function |
//! | [`session`] | holding a session's delivery: fence, run, publish, ack |
//! | [`job`] | holding a job's delivery: answer cache, run, reply, ack |
//! | `answers`, `job_mark` | answers as they are cached and travel; the mark that keeps others from running a job |
//! | [`intake`] | a request becomes a session |
//! | `drafted_session` | a request as the session it becomes |
//! | [`identity`], [`tenants`] | who speaks, and what is theirs; on whose behalf they may ask |
//! | `session_record` | what is kept of an accepted request |
//! | `limits`, `request_fault` | what a request may hold; what is wrong with one |
//! | [`dead_letters`] | what the broker gave up on gets a reason and a result |
//! | [`sealed_letter`] | the body of a dead letter, for the fleet alone |
//! | `small_result` | what travels of a result that is too large |
//! | `stated_failure` | a failure of a session as it is stated |
//! | `remedy` | what a caller can do about a session that became a dead letter |
//! | `content_faults` | what to do where the content store takes nothing |
//! | [`gather`], `jobs_progress` | scattering jobs and waiting for their answers; how far that is |
//! | [`context`] | what handlers may use |
//! | [`lease_context`], [`signals`] | what one lease and every job under it shares; what may end it |
//! | `replies` | answers find their askers |
//! | [`pages`] | a state's larger fields on their way through the content store |
//! | [`outbox`] | every publish the runner makes |
//! | [`control`], [`controls`] | cancellations and stops; those that were heard, and the leases they are for |
//! | [`events`] | progress |
//! | [`session_view`] | where a session stands, for operators |
//! | [`mod@core`], [`settings`] | what all tasks of a worker share; how the runner behaves |
//! | [`quarantine`] | messages that came back too often are worked on alone |
//! | [`worker`] | consumers, drain |

mod answers;
mod content_faults;
pub mod context;
pub mod control;
pub mod controls;
pub mod core;
pub mod dead_letters;
mod drafted_session;
pub mod error;
pub mod events;
pub mod gather;
pub mod handler;
pub mod identity;
pub mod intake;
pub mod job;
mod job_mark;
mod jobs_progress;
pub mod lease_context;
mod limits;
pub mod outbox;
pub mod pages;
pub mod quarantine;
pub mod registry;
mod remedy;
mod replies;
mod request_fault;
pub mod research_limits;
pub mod sealed_letter;
mod session;
mod session_record;
pub mod session_view;
pub mod settings;
pub mod settle;
pub mod signals;
mod small_result;
mod stated_failure;
pub mod tenants;
pub mod worker;

pub use self::core::{Core, Services};
pub use context::{JobContext, PhaseContext};
pub use error::{Interrupt, JobError, PhaseError};
pub use gather::Pace;
pub use handler::{JobHandler, PhaseHandler, Step};
pub use outbox::{RESULTS, status_of};
pub use pages::Paging;
pub use registry::Registry;
pub use session_view::{SessionView, is_known, known_sessions};
pub use settings::RunnerSettings;
pub use tenants::TenantRules;
pub use worker::{Queues, Worker, WorkerParts};
