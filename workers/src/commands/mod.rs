//! One file per command. Each takes its arguments as typed and returns how the program ends.

pub mod archive;
pub mod ask;
pub mod completions;
pub mod config;
pub mod control;
pub mod corpus;
pub mod dead;
pub mod digest;
pub mod doctor;
mod earlier_report;
pub mod extract;
pub mod fetch;
pub mod fork;
pub mod healthcheck;
pub mod lane_args;
pub mod limit_args;
pub mod refresh;
pub mod research;
pub mod result;
pub mod run;
pub mod schema;
pub mod search;
pub mod sessions;
mod settings;
pub mod submit;
pub mod tokens;
pub mod topology;
pub mod trust;
pub mod verify;
pub mod watch;
pub mod worker;

use std::future::Future;

use precis_proto::SessionId;
use precis_proto::task::Role;
use precis_runtime::broker::BrokerError;
use precis_runtime::config::{LOCAL_MODEL, LoadedSettings, Provenance, Settings};
use precis_runtime::telemetry;

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::fleet::{self, Caller};

/// Ends a command that has nothing but text to give.
fn finish(printed: Result<(), CommandFailure>) -> Exit {
    match printed {
        Ok(()) => Exit::Ok,
        Err(failure) => {
            terminal::print_failure(&failure);
            failure.exit
        }
    }
}

/// Ends a command whose work says how.
fn finish_as(ended: Result<Exit, CommandFailure>) -> Exit {
    ended.unwrap_or_else(|failure| finish(Err(failure)))
}

/// Threads for computing and for files, per processor. None of that work waits for other such work, and hundreds of threads, which
/// a crowd of sessions would start otherwise, cost memory and turns.
const BLOCKING_PER_CORE: usize = 8;

/// What runs the work of a command.
fn runtime() -> Result<tokio::runtime::Runtime, CommandFailure> {
    let failed =
        |e: std::io::Error| CommandFailure::new(Exit::Failed, "runtime_failed", format!("start the runtime: {e}"));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.enable_all().max_blocking_threads(cores * BLOCKING_PER_CORE).build().map_err(failed)
}

/// Runs the work of a command.
fn block_on<T>(work: impl Future<Output = Result<T, CommandFailure>>) -> Result<T, CommandFailure> {
    let runtime = runtime()?;
    let ended = runtime.block_on(work);
    runtime.shutdown_background();
    ended
}

/// Logs to standard error where somebody set `log`; a command is silent otherwise.
fn log_where_asked(loaded: &LoadedSettings) {
    if loaded.origin("log") != Provenance::Default {
        telemetry::install(&loaded.settings.services.log, loaded.settings.services.log_format);
    }
}

/// Settings of a command that talks to a fleet. It logs only where somebody asked for it.
fn operator_settings(args: &ConfigArgs) -> Result<Settings, CommandFailure> {
    let loaded = settings::load_settings(args, Vec::new())?;
    loaded.remarks.iter().for_each(|remark| terminal::print_warning(remark));
    log_where_asked(&loaded);
    Ok(loaded.settings)
}

/// A connection for a command.
async fn caller(settings: &Settings, command: &str) -> Result<Caller, CommandFailure> {
    let content = fleet::content(settings)?;
    let store = fleet::store(settings, &content)?;
    Ok(Caller { broker: fleet::broker(settings, command).await?, store, content })
}

/// An id as typed.
fn session_id(text: &str) -> Result<precis_proto::SessionId, CommandFailure> {
    let refused = |e| CommandFailure::new(Exit::Refused, "invalid_session_id", format!("session id `{text}`: {e}"));
    SessionId::new(text).map_err(refused)
}

/// What is said where the fleet cannot be talked to any further.
fn fleet_failed(what: &str, error: &fleet::SubmitError) -> CommandFailure {
    let exit = match error {
        fleet::SubmitError::Broker(_) | fleet::SubmitError::Content(_) => Exit::Unreachable,
        fleet::SubmitError::TooLarge(_) => Exit::Refused,
        fleet::SubmitError::Unreadable(_) => Exit::Failed,
    };
    let failure = CommandFailure::new(exit, "fleet_failed", format!("{what}: {error}"));
    match error {
        // What a fleet needs is made by its first worker, or by hand.
        fleet::SubmitError::Broker(BrokerError::Refused(said)) if said.contains("NOT_FOUND") => failure
            .with_remedy("precis topology apply, or start a worker, which makes the exchanges and queues it needs"),
        _ => failure,
    }
}

/// The refusal of a command about a session that nobody knows.
fn unknown_session(session: &SessionId) -> CommandFailure {
    let message = format!("no session `{session}` is known to this fleet");
    CommandFailure::new(Exit::Refused, "unknown_session", message)
        .with_remedy("precis sessions lists those that are known")
}

/// What is said where requests wait and nobody takes them.
const NOBODY_CONSUMES: &str = "queued; no worker consumes `requests`: start one with `precis worker`";

/// A warning about proxies that are set in the environment of a command that asks other machines: no proxy is used.
fn ignored_proxies() -> Option<String> {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let names = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"];
    let set: Vec<&str> = names.into_iter().filter(is_set).collect();
    let verb = if set.len() == 1 { "is" } else { "are" };
    let names = set.join(", ");
    (!set.is_empty())
        .then(|| format!("{names} {verb} ignored: models are asked directly, and pages by way of fetch_proxy alone"))
}

/// Whether a chain names a model on another machine or in another process.
fn asks_models(settings: &Settings) -> bool {
    Role::ALL.into_iter().flat_map(|role| settings.chain(role)).any(|link| link != LOCAL_MODEL)
}
