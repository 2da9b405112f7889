//! `precis worker`: serves queues until it is stopped.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use precis_proto::Timestamp;
use precis_runtime::archive::Archive;
use precis_runtime::broker::ReplyAddresses;
use precis_runtime::config::{LoadedSettings, Provenance, Settings};
use precis_runtime::content::ContentStore;
use precis_runtime::runner::RunnerSettings;
use precis_runtime::runner::retention::remove_old;
use precis_runtime::telemetry::{self, Health, MetricsEndpoint};
use tokio_util::sync::CancellationToken;

use super::settings::{Flag, load_settings};
use crate::assembly::{model_windows, pipeline, search_providers};
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::signals::stop_signal;
use crate::cli::{ConfigArgs, terminal};
use crate::documents::parse::Parser;
use crate::fleet::{self, SupervisedResources};
use crate::lanes::Lanes;
use crate::options::account;

/// How often texts past their retention time are removed.
const CLEAN: Duration = Duration::from_secs(3_600);

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
    /// Queues to serve: all, sessions, jobs, requests, session.PHASE, jobs.KIND
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
    let health = Health::default();
    // Before the models' servers are asked for their windows: health checks are answered meanwhile.
    let _endpoint = endpoint(settings, &health).await?;
    let parts = parts(settings, health, &stop).await?;
    let unusable = |e: std::io::Error| {
        CommandFailure::new(Exit::Usage, "invalid_configuration", format!("research_archive_dir: {e}"))
    };
    let archive = fleet::archive_dir(settings)?.map(Archive::reading).transpose().map_err(unusable)?;
    let kept = Kept::of(settings);
    let cleaning = tokio::spawn(clean(parts.content.clone(), archive, kept));
    let told = fleet::shared_cache(settings);
    let watching = tokio::spawn(fleet::watch_shared_cache(parts.store.clone(), told));
    let drained = fleet::supervise(settings, &parts, stop).await;
    // None has to finish: one waits for a signal, the others repeat something that the next worker does too.
    signals.abort();
    cleaning.abort();
    watching.abort();
    if !drained? {
        tracing::warn!("some jobs did not finish within drain_timeout; the broker delivers them again");
    }
    Ok(())
}

async fn endpoint(settings: &Settings, health: &Health) -> Result<Option<MetricsEndpoint>, CommandFailure> {
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
    let settings = &model_windows::described(settings, &store).await;
    let models = pipeline::guarded_models(settings, store.clone()).map_err(|e| usage(e.to_string()))?;
    let lanes = Arc::new(Lanes::default().searching(search_providers::of_worker(settings, store.clone())?));
    let dir = fleet::archive_dir(settings)?;
    fleet::rabbit_settings(settings, "worker")?;
    // Invalid settings have failed by now. The archive may be inside the content store, whose place must stay empty while it is away.
    let is_usable = fleet::until_usable(&content, &health, stop).await;
    let archive = dir.filter(|_| is_usable).map(|dir| archive(settings, &content, dir)).transpose();
    let archive = archive.map_err(|e| usage(format!("content_url: {e}")))?.map(Arc::new);
    let registry = pipeline::fleet_registry(settings, Parser::for_run(settings), archive, Arc::clone(&lanes), &store);
    Ok(SupervisedResources {
        worker_id: worker_id(),
        store,
        content,
        models,
        lanes,
        registry,
        queues,
        runner: runner_settings(settings),
        grace: Duration::from_secs_f64(settings.worker.drain_seconds),
        health,
    })
}

/// The archive at `dir`: the one in the content store comes and goes with that store.
fn archive(settings: &Settings, content: &ContentStore, dir: PathBuf) -> std::io::Result<Archive> {
    match settings.archive.dir {
        Some(_) => Ok(Archive::open_or_closed(dir)),
        None => Archive::within(content.clone(), dir),
    }
}

fn runner_settings(settings: &Settings) -> RunnerSettings {
    let worker = &settings.worker;
    RunnerSettings {
        lease: Duration::from_secs_f64(worker.lease_seconds),
        job_timeout: Duration::from_secs_f64(worker.job_timeout_seconds),
        window: usize::try_from(worker.session_window).unwrap_or(usize::MAX),
        emit_version: worker.emit_version,
        session_prefetch: worker.sessions,
        job_prefetch: worker.concurrency,
        account: account(settings),
        tenants: fleet::tenant_rules(settings),
        quotas: Some(fleet::storage_quotas(settings)),
        requires_user: worker.requires_user,
        operator_users: worker.operator_users.clone(),
        reply_addresses: ReplyAddresses::named(worker.reply_queues.clone()),
        ..RunnerSettings::default()
    }
}

/// Returns a unique worker name from host name, process id and a random number; containers often share process ids.
fn worker_id() -> String {
    let host = std::env::var("HOSTNAME").unwrap_or_default();
    let host: String = host.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
    let host = if host.is_empty() { "worker" } else { &host };
    format!("{host}-{}-{:08x}", std::process::id(), rand::random::<u32>())
}

/// How long things are kept, in hours.
#[derive(Debug, Clone, Copy)]
struct Kept {
    texts: u32,
    sessions: u32,
}

impl Kept {
    fn of(settings: &Settings) -> Self {
        let hours = |hours: u64| u32::try_from(hours).unwrap_or(u32::MAX);
        let texts = settings.archive.ttl_hours;
        Self { texts: hours(texts), sessions: hours(settings.archive.session_ttl_hours.unwrap_or(texts)) }
    }
}

/// Removes what is past its retention time, now and every hour, by the clock of the content store.
async fn clean(content: ContentStore, archive: Option<Archive>, kept: Kept) {
    loop {
        // By the clock that dates the objects: that of this machine may be days off, and what is removed is gone.
        match content.time().await {
            Ok(now) => clean_once(&content, archive.as_ref(), kept, now).await,
            Err(error) => log_cleaned("content", Err(error.to_string())),
        }
        tokio::time::sleep(CLEAN).await;
    }
}

/// Removes old texts from the content store and the archive, and old sessions. Failures are only logged: no session depends on it.
async fn clean_once(content: &ContentStore, archive: Option<&Archive>, kept: Kept, now: Timestamp) {
    let removed = remove_old(content, kept.texts, kept.sessions).await;
    log_cleaned("content", removed.map_err(|e| e.to_string()));
    if let Some(archive) = archive {
        let removed = archive.remove_older_than(kept.texts.into(), now).await;
        log_cleaned("archived texts", removed.map(|n| n as u64).map_err(|e| e.to_string()));
    }
}

fn log_cleaned(kind: &str, removed: Result<u64, String>) {
    match removed {
        Ok(0) => {}
        Ok(removed) => tracing::info!(removed, "removed {kind} past the retention time"),
        Err(error) => tracing::warn!(error, "failed to remove {kind} past the retention time"),
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::source::{ContentRef, Source, SourceText};
    use precis_runtime::clock::Clock;
    use serde_json::json;

    use super::*;

    #[test]
    fn sessions_are_kept_as_long_as_texts_unless_set_otherwise() {
        let mut settings = Settings::default();
        let kept = |settings: &Settings| (Kept::of(settings).texts, Kept::of(settings).sessions);
        assert_eq!(kept(&settings), (720, 720));
        settings.archive.session_ttl_hours = Some(24);
        assert_eq!(kept(&settings), (720, 24));
    }

    #[tokio::test]
    async fn a_text_leaves_the_archive_when_its_time_is_over_and_not_before() {
        let dir = tempfile::tempdir().expect("a directory");
        let archive = Archive::open(dir.path().to_owned()).expect("opens");
        let name = ContentRef::from_bytes(b"text");
        let source = json!({ "source_id": "a", "title": "A", "origin": { "content": name } });
        let source: Source = serde_json::from_value(source).expect("a source");
        let text = SourceText { content: name.clone(), chars: 4, tokens: 1, pages: 0, blocks: None };
        let now = Clock::system().now();
        archive.put(&source, &text, b"text", Vec::new(), now).await.expect("kept");
        let later = now.plus_ms(2 * 3_600_000);
        for (hours, is_there) in [(3, true), (1, false)] {
            clean_once(&ContentStore::in_memory(), Some(&archive), Kept { texts: hours, sessions: hours }, later).await;
            let found = archive.get(&source.source_id, name.hex()).await.expect("readable");
            assert_eq!(found.is_some(), is_there, "{hours} hours");
        }
    }
}
