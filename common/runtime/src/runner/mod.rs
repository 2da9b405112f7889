//! The runner: leases, settlement, scatter and gather. Handlers return values; the runner does every publish and every ack.
//!
//! | file | what it owns |
//! | --- | --- |
//! | [`handler`], [`error`] | the traits that phases and jobs implement; their errors |
//! | [`registry`] | the handlers of this worker |
//! | [`settle`] | the table from outcomes to settlements: one pure function |
//! | [`session`] | processes a session delivery: fence, run, publish, ack |
//! | [`job`] | processes a job delivery: answer cache, run, reply, ack |
//! | `answers`, `job_mark` | answers as cached and sent; the mark that keeps two workers from running the same job |
//! | `job_time`, `shared_time` | how long a job may still take; the clock that all workers share |
//! | [`intake`] | turns a request into a session |
//! | `opening` | the checks and the records before a session is opened |
//! | `drafted_session` | the first state of a session, built from its request |
//! | [`identity`], [`tenants`] | the verified user of a message, and what that user owns; the tenants a user may submit for |
//! | `session_record` | what is kept of an accepted request |
//! | `limits`, `request_fault` | the limits of a request; the fault of a request that exceeds one |
//! | `request_references` | what a request refers to: stored texts, collections, a receiver |
//! | [`dead_letters`] | gives messages past the delivery limit a reason and a result |
//! | [`sealed_letter`] | encrypts the body of a dead letter with the fleet key |
//! | `small_result` | the part of an oversized result that is sent |
//! | `stated_failure` | builds the failure a caller receives |
//! | `remedy` | what a caller can do about a failed session |
//! | `content_faults` | retries and failure codes for content store errors |
//! | [`gather`], `jobs_progress` | scatters jobs and waits for their answers; progress events |
//! | [`context`] | what handlers may use |
//! | `embedder` | vectors from a server, for the session of a lease |
//! | [`lease_context`], [`signals`] | what a lease shares with its jobs; the signals that end it |
//! | `give_back` | gives a delivery back to its queue after a pause |
//! | `replies` | routes answers to the scatters that wait for them |
//! | [`pages`] | moves a state's larger fields to and from the content store |
//! | [`outbox`] | every publish the runner makes |
//! | [`control`], [`controls`] | receives cancellations and stops; applies them to the leases they concern |
//! | [`events`] | progress events |
//! | [`session_view`] | the position of a session, for operators |
//! | `session_wait` | why nobody holds a session that is under way |
//! | [`roll`] | the workers of a fleet, as they tell who they are |
//! | `session_standing`, `session_search` | where a session stands; sessions newest first, by what is kept of them |
//! | [`mod@core`], [`settings`] | what all tasks of a worker share; the runner's settings |
//! | [`retention`], `quotas` | when sessions are given up; how much may be stored for whom on a day |
//! | `removal` | removes a session on demand |
//! | [`quarantine`] | processes messages that were redelivered too often one at a time |
//! | [`indexing`] | has collections indexed |
//! | `indexing_view` | how far workers are with a collection, for whoever looks at it |
//! | `webhook` | tells over HTTP that a session has ended |
//! | [`worker`], `worker_sign` | consumers, drain; signs of life for operators |

mod answers;
mod content_faults;
pub mod context;
pub mod control;
pub mod controls;
pub mod core;
pub mod dead_letters;
mod drafted_session;
mod embedder;
pub mod error;
pub mod events;
pub mod gather;
mod give_back;
pub mod handler;
pub mod identity;
pub mod indexing;
mod indexing_view;
pub mod intake;
pub mod job;
mod job_mark;
mod job_time;
mod jobs_progress;
pub mod lease_context;
mod limits;
mod opening;
pub mod outbox;
pub mod pages;
pub mod quarantine;
mod quotas;
pub mod registry;
mod remedy;
mod removal;
mod replies;
mod request_fault;
mod request_references;
pub mod research_limits;
pub mod retention;
pub mod roll;
pub mod sealed_letter;
mod session;
mod session_record;
mod session_search;
mod session_standing;
pub mod session_view;
mod session_wait;
pub mod settings;
pub mod settle;
mod shared_time;
pub mod signals;
mod small_result;
mod stated_failure;
pub mod tenants;
mod webhook;
pub mod worker;
mod worker_sign;

pub use self::core::{Core, Services};
pub use context::{JobContext, PhaseContext};
pub use embedder::Embedder;
pub use error::{Interrupt, JobError, PhaseError};
pub use gather::Pace;
pub use handler::{JobHandler, PhaseHandler, Step};
pub use indexing::{CollectionIndexer, Indexing, IndexingError};
pub use indexing_view::IndexingView;
pub use limits::refusal;
pub use outbox::{RESULTS, status_of};
pub use pages::Paging;
pub use quotas::{DEFAULT_STORED_BYTES_PER_DAY, SESSION_BYTES, StorageQuotas, storage_refusal};
pub use registry::Registry;
pub use removal::remove_session;
pub use session_search::{FoundPage, FoundSession, READ_FOR_PAGE, SessionFilter, find_sessions};
pub use session_standing::{SessionStanding, session_end, session_standing};
pub use session_view::{SessionView, is_known};
pub use session_wait::{SessionWait, WaitReason};
pub use settings::RunnerSettings;
pub use tenants::TenantRules;
pub use webhook::webhook_message;
pub use worker::{Queues, Worker, WorkerParts};
pub use worker_sign::{SIGN_KEPT, WorkerSign};
