//! `precis worker`: serves queues until it is stopped.

use std::sync::Arc;
use std::time::Duration;

use precis_runtime::archive::Archive;
use precis_runtime::config::{LoadedSettings, Provenance, Settings};
use precis_runtime::runner::RunnerSettings;
use precis_runtime::telemetry::{self, Health, MetricsEndpoint};
use tokio_util::sync::CancellationToken;

use super::settings::{Flag, load_settings};
use crate::assembly::{model_windows, pipeline, search_providers, webhooks};
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::signals::stop_signal;
use crate::cli::{ConfigArgs, terminal};
use crate::documents::parse::Parser;
use crate::fleet::{self, BrokerSource, Kept, SupervisedResources};
use crate::lanes::Lanes;

/// Arguments of `precis worker`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis worker                                       # every queue
  precis worker --queues jobs.extraction              # reads documents only
  precis worker --queues sessions,jobs.digest --concurrency 32

A worker needs amqp_url and content_url (PRECIS_AMQP_URL, PRECIS_CONTENT_URL); with redis_url, workers share caches and limits.
SIGTERM drains the worker: its jobs get drain_timeout to finish, its sessions are handed over to another worker.")]
pub struct WorkerArgs {
    /// Queues to serve: all, sessions, jobs, requests, webhooks, session.PHASE, jobs.KIND
    #[arg(long, value_name = "QUEUE", num_args = 1.., value_delimiter = ',')]
    pub queues: Vec<String>,
    /// Maximum number of concurrent jobs, per kind
    #[arg(long, value_name = "N")]
    pub concurrency: Option<String>,
    /// Address to serve metrics and health checks on, such as 127.0.0.1:9464
    #[arg(long, value_name = "ADDRESS")]
    pub metrics: Option<String>,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Runs the worker until it is stopped.
#[must_use]
pub fn run(args: &WorkerArgs) -> Exit {
    super::finish(attempt(args))
}

fn attempt(args: &WorkerArgs) -> Result<(), CommandFailure> {
    let loaded = load_settings(&args.config, flags(args))?;
    loaded.remarks.iter().for_each(|remark| terminal::print_warning(remark));
    telemetry::install(&log_directives(&loaded), loaded.settings.services.log_format);
    super::block_on(work(&loaded.settings))
}

fn flags(args: &WorkerArgs) -> Vec<Flag> {
    let flag = |name: &str, key: &str, value: String| (name.to_owned(), key.to_owned(), value);
    let mut flags = Vec::new();
    if !args.queues.is_empty() {
        flags.push(flag("--queues", "worker_queues", args.queues.join(",")));
    }
    if let Some(concurrency) = &args.concurrency {
        flags.push(flag("--concurrency", "worker_concurrency", concurrency.clone()));
    }
    if let Some(address) = &args.metrics {
        flags.push(flag("--metrics", "metrics_address", address.clone()));
    }
    flags
}

/// Returns the log filter; `info` by default, because a worker has no other output.
fn log_directives(loaded: &LoadedSettings) -> String {
    match loaded.origin("log") {
        Provenance::Default => "info".to_owned(),
        _ => loaded.settings.services.log.clone(),
    }
}

async fn work(settings: &Settings) -> Result<(), CommandFailure> {
    // Signal handlers come first, so that a SIGTERM during startup drains the worker instead of killing it.
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    let signals = tokio::spawn(async move {
        stop_signal().await;
        stopping.cancel();
    });
    if let Some(warning) = super::ignored_proxies() {
        tracing::warn!("{warning}");
    }
    let exporter = super::traces::start()?;
    let health = Health::default();
    // Before the models' servers are asked for their windows: health checks are answered meanwhile.
    let _endpoint = endpoint(settings, &health).await?;
    let parts = parts(settings, health, &stop).await?;
    let unusable = |e: std::io::Error| {
        CommandFailure::new(Exit::Usage, "invalid_configuration", format!("research_archive_dir: {e}"))
    };
    let archive = fleet::archive_dir(settings)?.map(Archive::reading).transpose().map_err(unusable)?;
    let kept = Kept::of(settings);
    let cleaning = tokio::spawn(fleet::clean(parts.content.clone(), archive, kept));
    let told = fleet::shared_cache(settings);
    let watching = tokio::spawn(fleet::watch_shared_cache(parts.store.clone(), told));
    let source = BrokerSource::Server(Box::new(settings.clone()));
    let drained = fleet::supervise(&source, &parts, stop).await;
    super::traces::finish(exporter).await;
    // None has to finish: one waits for a signal, the others repeat something that the next worker does too.
    signals.abort();
    cleaning.abort();
    watching.abort();
    if !drained {
        tracing::warn!("some jobs did not finish within drain_timeout; the broker delivers them again");
    }
    Ok(())
}

/// Serves metrics and health checks at `metrics_address`, if it is set, until the returned value is dropped.
pub(super) async fn endpoint(settings: &Settings, health: &Health) -> Result<Option<MetricsEndpoint>, CommandFailure> {
    let Some(address) = &settings.services.metrics_address else { return Ok(None) };
    let served = telemetry::serve(address, health.clone()).await;
    let endpoint = served
        .map_err(|e| CommandFailure::new(Exit::Usage, "invalid_configuration", format!("metrics_address: {e}")))?;
    tracing::info!(address = %endpoint.address(), "serving /metrics, /healthz, /readyz");
    Ok(Some(endpoint))
}

async fn parts(
    settings: &Settings,
    health: Health,
    stop: &CancellationToken,
) -> Result<SupervisedResources, CommandFailure> {
    let usage = |message: String| CommandFailure::new(Exit::Usage, "invalid_configuration", message);
    let queues = fleet::parse_queues(&settings.worker.queues).map_err(|e| usage(format!("worker_queues: {e}")))?;
    let content = fleet::content(settings)?;
    let store = fleet::store(settings, &content)?;
    let settings = &model_windows::with_windows(settings, &store).await;
    let models = pipeline::guarded_models(settings, store.clone()).map_err(|e| usage(e.to_string()))?;
    let lanes = Arc::new(Lanes::default().searching(search_providers::of_worker(settings, store.clone())?));
    let dir = fleet::archive_dir(settings)?;
    fleet::rabbit_settings(settings, "worker")?;
    // Invalid settings have failed by now. The archive may be inside the content store, whose place must stay empty while it is away.
    let is_usable = fleet::until_usable(&content, &health, stop).await;
    let archive = dir.filter(|_| is_usable).map(|dir| fleet::archive_in(settings, &content, dir)).transpose();
    let archive = archive.map_err(|e| usage(format!("content_url: {e}")))?.map(Arc::new);
    let registry = pipeline::fleet_registry(settings, Parser::for_run(settings), archive, Arc::clone(&lanes), &store);
    Ok(SupervisedResources {
        worker_id: fleet::worker_id(),
        store,
        content,
        models,
        lanes,
        registry,
        queues,
        runner: RunnerSettings { webhooks: webhooks::of_worker(settings)?, ..fleet::runner_settings(settings) },
        grace: Duration::from_secs_f64(settings.worker.drain_seconds),
        health,
    })
}
