//! Measurements. Nothing here asserts a speed: figures are printed beside the machine they come from.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`machine`] | what the figures were measured on |
//! | [`sample`] | one timed piece of work, and several of them as a figure |
//! | [`noop`] | handlers that do nothing, so that what is left is the runner |
//! | [`fleet`] | the runner and the memory broker, on one core |
//! | [`queues`] | queues on disk beside a bare log |
//! | [`rabbit`] | the runner on RabbitMQ and Redis, beside the bare client |
//! | [`idle`] | a worker process without work |
//! | [`celery`] | the same shape of work as a Celery application |
//! | [`waiting`] | a thousand sessions that wait at a slow model |
//! | [`researching`] | a round of research, and two hundred sessions of it in one worker |
//! | [`recovery`] | how soon a session goes on after its worker was killed |
//! | [`curve`] | sessions per second against the number of workers |
//! | [`many_sources`] | one session of many sources, in one process and on a fleet |
//! | [`door`] | the HTTP door: requests, results, streams, spans |
//! | [`documents`] | which files of a folder a whole run reads |
//! | [`whole_run`] | the program on documents: seconds, phases, memory, calls |
//! | [`memory`] | memory of a process and all below it |
//! | [`start`] | how long the program takes to say anything |
//! | [`tokens`] | counting, allocation and the gate before each call |
//! | [`table`] | the figures as lines of text |

pub mod celery;
pub mod curve;
pub mod documents;
pub mod door;
pub mod fleet;
pub mod idle;
pub mod machine;
pub mod many_sources;
pub mod memory;
pub mod noop;
pub mod queues;
pub mod rabbit;
pub mod recovery;
pub mod researching;
pub mod sample;
pub mod start;
pub mod table;
pub mod tokens;
pub mod waiting;
pub mod whole_run;

use serde::Serialize;

/// Everything one run of the bench has to say. A part is absent where it was skipped; `skipped` says why.
#[derive(Debug, Serialize)]
pub struct Figures {
    /// Where.
    pub machine: machine::Machine,
    /// What was typed.
    pub command: String,
    /// `release`, or `dev` where assertions of the development profile are compiled in.
    pub profile: &'static str,
    /// The runner and the broker.
    pub fleet: fleet::FleetFigures,
    /// The program on documents, in the order of the runs.
    pub whole_runs: Vec<whole_run::WholeRun>,
    /// `precis --help`.
    pub start: Option<start::StartFigures>,
    /// What was not measured, and why.
    pub skipped: Vec<String>,
}
