//! `precis mcp`: the tools of Precis for agents, over the Model Context Protocol on standard input and output.
//!
//! Standard output has messages of the protocol only; everything else goes to standard error. The work is done by a fleet in this process,
//! whose data are in one folder: a session outlives the client, and the process.

mod answers;
mod arguments;
mod calls;
mod collections;
mod desk;
mod evidence;
mod exchange;
mod failure;
mod indexes;
mod kept_call;
mod lifecycle;
mod lines;
mod message;
mod preparing;
mod progress;
mod reading;
mod results;
mod roots;
mod session_answer;
mod sessions;
mod tool;
mod untrusted;

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::ValueHint;
use precis_proto::TenantId;
use precis_runtime::config::{LoadedSettings, Provenance, Settings, user_data_dir};
use precis_runtime::{files, telemetry};
use tokio_util::sync::CancellationToken;

use super::settings::{environment, load_settings};
use crate::assembly::search_providers::provider;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::signals::stop_signal;
use crate::cli::{ConfigArgs, terminal};
use desk::{Allowed, Desk};
use exchange::{ExchangeEnd, exchange};
use roots::Roots;

/// How long a call waits for a report, in seconds, unless told otherwise, and at most: clients give up a call after 60 seconds.
const ANSWER_WITHIN: u64 = 40;
const MAX_ANSWER_WITHIN: u64 = 3_600;
/// How long running jobs may continue when the client is gone, in seconds: clients end a server soon after that.
const DRAIN_SECONDS: f64 = 1.0;
/// Folder of the data in the user's data directory.
const DATA: &str = "mcp";

/// Arguments of `precis mcp`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis mcp --root contracts/                       # started by an agent's program, which talks to it
  precis mcp --root contracts/ --root mail/ --data ~/precis
  precis mcp --root notes/ --web brave               # research may search the web too
  precis mcp --data ~/precis --tenant legal          # the sessions and collections of a tenant of that folder

It reads only the folders of --root and those that the client declares, no hidden files in them, and no links that lead out of them. It
contacts nobody unless --web or your configuration names a model on another machine, pays nothing unless --max-usd allows it, and writes
only into its data folder. docs/agents.md has configurations of clients.")]
pub struct McpArgs {
    /// A folder that may be read; may be given more than once
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Vec<PathBuf>,
    /// Folder of sessions and their texts, as for `precis serve --embedded`; one process at a time [default: precis/mcp in your data directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// A search provider that `research` may ask if the agent wants the web searched; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub web: Vec<String>,
    /// What a session may cost for models and searches, in US dollars
    #[arg(long, value_name = "USD", default_value_t = 0.0)]
    pub max_usd: f64,
    /// The tenant whose sessions and collections these are; its ceilings hold [default: the default tenant]
    #[arg(long, value_name = "NAME", value_parser = tenant_name)]
    pub tenant: Option<String>,
    /// How long a call waits for a report before it returns a handle, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = ANSWER_WITHIN, value_parser = clap::value_parser!(u64).range(1..=MAX_ANSWER_WITHIN))]
    pub answer_within: u64,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Serves one client until it closes standard input.
#[must_use]
pub fn run(args: &McpArgs) -> Exit {
    super::finish(attempt(args))
}

fn attempt(args: &McpArgs) -> Result<(), CommandFailure> {
    let usage = |message: String| CommandFailure::new(Exit::Usage, "invalid_usage", message);
    if !(args.max_usd.is_finite() && args.max_usd >= 0.0) {
        return Err(usage(format!("--max-usd must be at least 0, got {}", args.max_usd)));
    }
    let loaded = load_settings(&args.config, Vec::new())?;
    loaded.remarks.iter().for_each(|remark| terminal::print_warning(remark));
    telemetry::install(&log_directives(&loaded), loaded.settings.services.log_format);
    let data = match &args.data {
        Some(data) => data.clone(),
        None => user_data_dir(&environment()).map_err(|error| usage(format!("--data: {error}")))?.join(DATA),
    };
    let settings = own_settings(loaded.settings, args);
    args.web.iter().try_for_each(|name| provider(&settings, name).map(drop))?;
    make_folder(&data)?;
    let roots = Roots::from_folders(&args.root, &data)?;
    let allowed = Allowed {
        web: args.web.clone(),
        max_usd: args.max_usd,
        tenant: args.tenant.clone(),
        answer_within: Duration::from_secs(args.answer_within),
    };
    super::block_on(serve(Desk::new(settings, data, allowed, roots)))
}

fn tenant_name(name: &str) -> Result<String, String> {
    TenantId::new(name).map(|tenant| tenant.to_string()).map_err(|error| error.to_string())
}

/// Makes the data folder, so that its place is known before anything is read.
fn make_folder(data: &Path) -> Result<(), CommandFailure> {
    files::private_dir(data).map_err(|error| {
        let message = format!("open the data folder {}: {error}", data.display());
        CommandFailure::new(Exit::Refused, "unusable_folder", message)
    })
}

/// The settings of a server that writes into its data folder only, and fetches nothing unless it may search the web.
fn own_settings(mut settings: Settings, args: &McpArgs) -> Settings {
    settings.archive.dir = None;
    settings.digest.fetch_pdfs &= !args.web.is_empty();
    settings.worker.drain_seconds = settings.worker.drain_seconds.min(DRAIN_SECONDS);
    settings
}

/// Warnings by default: clients keep what a server writes to standard error.
fn log_directives(loaded: &LoadedSettings) -> String {
    match loaded.origin("log") {
        Provenance::Default => "warn".to_owned(),
        _ => loaded.settings.services.log.clone(),
    }
}

/// A standard stream as a file, which is read and written beside other work. Nothing in this process may use the stream itself.
fn own_stream(stream: impl AsFd) -> Result<tokio::fs::File, CommandFailure> {
    let failed = |error| CommandFailure::new(Exit::Failed, "no_stream", format!("open a standard stream: {error}"));
    let file = stream.as_fd().try_clone_to_owned().map_err(failed)?;
    Ok(tokio::fs::File::from_std(std::fs::File::from(file)))
}

async fn serve(desk: Desk) -> Result<(), CommandFailure> {
    let (desk, stop) = (Arc::new(desk), CancellationToken::new());
    let signals = tokio::spawn({
        let stop = stop.clone();
        async move {
            stop_signal().await;
            stop.cancel();
        }
    });
    // Sessions of the last process go on, whether or not somebody asks for them.
    let resuming = tokio::spawn({
        let desk = Arc::clone(&desk);
        async move {
            match desk.fleet().await {
                Ok(_) => sessions::resume(&desk),
                Err(failure) => {
                    tracing::warn!(code = failure.code, "sessions cannot be worked on yet: {}", failure.message)
                }
            }
        }
    });
    let end = exchange(&desk, own_stream(std::io::stdin())?, own_stream(std::io::stdout())?, stop).await;
    signals.abort();
    resuming.abort();
    let _ = resuming.await;
    match end {
        ExchangeEnd::Closed => {
            // A call that still prepares its session holds the desk: then the process ends as if it were killed, which loses nothing.
            if let Some(desk) = Arc::into_inner(desk) {
                desk.close().await;
            }
            Ok(())
        }
        ExchangeEnd::FolderFailed(reason) => {
            let failure =
                CommandFailure::new(Exit::Failed, "folder_failed", format!("write to the data folder: {reason}"));
            Err(failure
                .with_remedy("free space on its disk, or replace the disk, and start again: what was accepted is kept"))
        }
    }
}
