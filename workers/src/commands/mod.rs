//! The command line, in `command_line`, and one file per command. Each takes the parsed arguments and returns the exit code.

pub mod archive;
pub mod ask;
mod asked;
pub mod collection;
mod command_line;
pub mod completions;
pub mod config;
pub mod control;
pub mod corpus;
pub mod dead;
pub mod digest;
mod disclosure;
pub mod doctor;
mod earlier_report;
pub mod extract;
pub mod fetch;
mod fleet_workers;
pub mod fork;
pub mod healthcheck;
pub mod lane_args;
pub mod limit_args;
mod local_session;
mod mark;
pub mod mcp;
pub mod model;
pub mod refresh;
pub mod research;
pub mod result;
pub mod run;
mod run_cache;
pub mod schema;
pub mod search;
pub mod serve;
mod session_args;
pub mod sessions;
mod settings;
pub mod skill;
pub mod standing;
pub mod submit;
pub mod token;
pub mod tokens;
pub mod topology;
mod traces;
pub mod trust;
mod upload;
mod vectors_alone;
pub mod verify;
pub mod watch;
pub mod webhook;
pub mod worker;

use std::future::Future;
use std::pin::Pin;

use precis_proto::SessionId;
use precis_proto::task::Role;
use precis_runtime::broker::BrokerError;
use precis_runtime::config::{LOCAL_MODEL, LoadedSettings, Provenance, Settings};
use precis_runtime::telemetry;

pub use command_line::{Cli, Command, GuardArgs, main};

use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::{ConfigArgs, terminal};
use crate::fleet::{self, Caller};

/// Returns the exit code of a command, and prints its failure.
fn finish(printed: Result<(), CommandFailure>) -> Exit {
    match printed {
        Ok(()) => Exit::Ok,
        Err(failure) => {
            terminal::print_failure(&failure);
            failure.exit
        }
    }
}

/// Returns the exit code that a command chose, or prints its failure.
fn finish_as(ended: Result<Exit, CommandFailure>) -> Exit {
    ended.unwrap_or_else(|failure| finish(Err(failure)))
}

/// Blocking threads per processor. Blocking tasks never wait for each other, so a low limit cannot deadlock; many sessions would
/// otherwise start hundreds of threads, which cost memory and context switches.
const BLOCKING_PER_CORE: usize = 8;

/// Builds the Tokio runtime of a command.
fn runtime() -> Result<tokio::runtime::Runtime, CommandFailure> {
    let failed =
        |e: std::io::Error| CommandFailure::new(Exit::Failed, "runtime_failed", format!("start the runtime: {e}"));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.enable_all().max_blocking_threads(cores * BLOCKING_PER_CORE).build().map_err(failed)
}

/// Runs the future of a command to its end.
fn block_on<T>(work: impl Future<Output = Result<T, CommandFailure>>) -> Result<T, CommandFailure> {
    let runtime = runtime()?;
    let mut ended = None;
    // Behind a pointer, so that the runtime's code for running a future is compiled once instead of once a command.
    let work: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(async { ended = Some(work.await) });
    runtime.block_on(work);
    // Not a plain drop: that would wait for blocking threads that still work, such as one that lists a folder.
    runtime.shutdown_background();
    ended.expect("the future sets it before it ends")
}

/// Logs to standard error if `log` is set; a command is silent otherwise.
fn log_where_asked(loaded: &LoadedSettings) {
    if loaded.origin("log") != Provenance::Default {
        telemetry::install(&loaded.settings.services.log, loaded.settings.services.log_format);
    }
}

/// Loads the settings of a command that uses a fleet; logs only if `log` is set.
fn operator_settings(args: &ConfigArgs) -> Result<Settings, CommandFailure> {
    let loaded = settings::load_settings(args, Vec::new())?;
    loaded.remarks.iter().for_each(|remark| terminal::print_warning(remark));
    log_where_asked(&loaded);
    Ok(loaded.settings)
}

/// Connects a command to the fleet.
async fn caller(settings: &Settings, command: &str) -> Result<Caller, CommandFailure> {
    let content = fleet::content(settings)?;
    let store = fleet::store(settings, &content)?;
    Ok(Caller { broker: fleet::broker(settings, command).await?, store, content })
}

/// Parses a session id from the command line.
fn session_id(text: &str) -> Result<precis_proto::SessionId, CommandFailure> {
    let refused = |e| CommandFailure::new(Exit::Refused, "invalid_session_id", format!("session id `{text}`: {e}"));
    SessionId::new(text).map_err(refused)
}

/// Returns the failure of `action` on the fleet, with a remedy if exchanges or queues are missing.
fn fleet_failed(action: &str, error: &fleet::SubmitError) -> CommandFailure {
    let exit = match error {
        fleet::SubmitError::Broker(_) | fleet::SubmitError::Content(_) => Exit::Unreachable,
        fleet::SubmitError::TooLarge(_) => Exit::Refused,
        fleet::SubmitError::Unreadable(_) => Exit::Failed,
    };
    let failure = CommandFailure::new(exit, "fleet_failed", format!("{action}: {error}"));
    match error {
        fleet::SubmitError::Broker(BrokerError::Refused(reply)) if reply.contains("NOT_FOUND") => failure.with_remedy(
            "run `precis topology apply`, or start a worker: it creates the exchanges and queues it needs",
        ),
        fleet::SubmitError::Broker(BrokerError::Blocked(_)) => failure.with_remedy(
            "free memory or disk of the broker (`rabbitmq-diagnostics alarms`), then submit again under the same session id: a request that \
             arrived after all is not worked on twice",
        ),
        _ => failure,
    }
}

/// The failure of a command about a session that the fleet does not know.
fn unknown_session(session: &SessionId) -> CommandFailure {
    let message = format!("this fleet has no session `{session}`");
    CommandFailure::new(Exit::Refused, "unknown_session", message)
        .with_remedy("run `precis sessions` to list the sessions of the fleet")
}

/// The warning shown if requests are queued and no worker consumes them.
const NOBODY_CONSUMES: &str = "queued, but no worker consumes the queue `requests`: start one with `precis worker`";

/// Returns a warning if the environment sets proxies: a command that makes requests to other machines ignores them.
fn ignored_proxies() -> Option<String> {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let names = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy"];
    let set: Vec<&str> = names.into_iter().filter(is_set).collect();
    let verb = if set.len() == 1 { "is" } else { "are" };
    let names = set.join(", ");
    (!set.is_empty()).then(|| {
        format!("{names} {verb} ignored: models are called directly, and pages are fetched through fetch_proxy only")
    })
}

/// Returns whether any role uses a model on another machine or in another process.
fn asks_models(settings: &Settings) -> bool {
    Role::ALL.into_iter().flat_map(|role| settings.chain(role)).any(|link| link != LOCAL_MODEL)
}
