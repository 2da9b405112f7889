//! One file per command. Each takes its arguments as typed and returns how the program ends.

pub mod archive;
pub mod ask;
pub mod completions;
pub mod config;
pub mod control;
pub mod dead;
pub mod digest;
pub mod doctor;
pub mod extract;
pub mod fetch;
pub mod healthcheck;
pub mod result;
pub mod run;
pub mod schema;
pub mod sessions;
pub mod submit;
pub mod tokens;
pub mod topology;
pub mod verify;
pub mod watch;
pub mod worker;

use std::future::Future;

use precis_runtime::config::{Loaded, Provenance, Settings};
use precis_runtime::telemetry;

use crate::cli::ConfigArgs;
use crate::exit::{Exit, Failure};
use crate::fleet::{self, Caller};
use crate::terminal;

/// Ends a command that has nothing but text to give.
fn finish(printed: Result<(), Failure>) -> Exit {
    match printed {
        Ok(()) => Exit::Ok,
        Err(failure) => {
            terminal::print_failure(&failure);
            failure.exit
        }
    }
}

/// Ends a command whose work says how.
fn finish_as(ended: Result<Exit, Failure>) -> Exit {
    ended.unwrap_or_else(|failure| finish(Err(failure)))
}

/// Threads for computing and for files, per processor. None of that work waits for other such work, and hundreds of threads, which
/// a crowd of sessions would start otherwise, cost memory and turns.
const BLOCKING_PER_CORE: usize = 8;

/// What runs the work of a command.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let failed = |e: std::io::Error| Failure::new(Exit::Failed, "runtime_failed", format!("start the runtime: {e}"));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.enable_all().max_blocking_threads(cores * BLOCKING_PER_CORE).build().map_err(failed)
}

/// Runs the work of a command.
fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = runtime()?;
    let ended = runtime.block_on(work);
    runtime.shutdown_background();
    ended
}

/// Logs to standard error where somebody set `log`; a command is silent otherwise.
fn log_where_asked(loaded: &Loaded) {
    if loaded.origin("log") != Provenance::Default {
        telemetry::install(&loaded.settings.services.log, loaded.settings.services.log_format);
    }
}

/// Settings of a command that talks to a fleet. It logs only where somebody asked for it.
fn operator_settings(args: &ConfigArgs) -> Result<Settings, Failure> {
    let loaded = config::load_settings(args, Vec::new())?;
    loaded.remarks.iter().for_each(|remark| terminal::print_warning(remark));
    log_where_asked(&loaded);
    Ok(loaded.settings)
}

/// A connection for a command.
async fn caller(settings: &Settings, command: &str) -> Result<Caller, Failure> {
    let content = fleet::content(settings)?;
    let store = fleet::store(settings)?;
    Ok(Caller { broker: fleet::broker(settings, command).await?, store, content })
}

/// An id as typed.
fn session_id(text: &str) -> Result<precis_proto::SessionId, Failure> {
    let refused = |e| Failure::new(Exit::Refused, "invalid_session_id", format!("session id `{text}`: {e}"));
    precis_proto::SessionId::new(text).map_err(refused)
}

/// What is said where the fleet cannot be talked to any further.
fn fleet_failed(what: &str, error: &fleet::SubmitError) -> Failure {
    let exit = match error {
        fleet::SubmitError::Broker(_) | fleet::SubmitError::Content(_) => Exit::Unreachable,
        fleet::SubmitError::TooLarge(_) => Exit::Refused,
        fleet::SubmitError::Unreadable(_) => Exit::Failed,
    };
    Failure::new(exit, "fleet_failed", format!("{what}: {error}"))
}
