//! `precis serve`: the HTTP door of a fleet, and with `--embedded` the fleet itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use precis_door::{BasePath, Door, DoorParts, ServeError, listen, router, serve};
use precis_runtime::config::{LoadedSettings, Provenance, Settings};
use precis_runtime::telemetry;
use precis_runtime::tls::{ServerTls, TlsFault};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::settings::load_settings;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::signals::stop_signal;
use crate::cli::{ConfigArgs, terminal};
use crate::documents::parse::Parser;
use crate::fleet::{self, LocalFleet};

/// Arguments of `precis serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis token new alpha --tenant alpha               # a token, and its lines for precis.toml
  precis serve --listen 0.0.0.0:8080
  precis serve --embedded --data ~/precis             # a whole fleet in this process, without RabbitMQ and Redis
  curl -H \"Authorization: Bearer $TOKEN\" http://localhost:8080/v1/sessions

Needs amqp_url and content_url (not with --embedded), and redis_url for progress that any door can show. Any number of doors may serve one fleet. Without
`api_tokens` in the configuration it listens on loopback addresses only.")]
pub struct ServeArgs {
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: String,
    /// Work in this process too, with queues, store and content in the folder of --data; a restart goes on where the last one ended
    #[arg(long, requires = "data")]
    pub embedded: bool,
    /// Folder of --embedded, used by one process at a time
    #[arg(long, value_name = "DIR", requires = "embedded")]
    pub data: Option<PathBuf>,
    /// Path that all addresses are below, where a proxy gives the door a part of a host, such as /precis
    #[arg(long, value_name = "PATH", default_value = "", value_parser = BasePath::parse, hide_default_value = true)]
    pub base_path: BasePath,
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Serves until it is stopped.
#[must_use]
pub fn run(args: &ServeArgs) -> Exit {
    super::finish(attempt(args))
}

fn attempt(args: &ServeArgs) -> Result<(), CommandFailure> {
    let loaded = load_settings(&args.config, Vec::new())?;
    loaded.remarks.iter().for_each(|remark| terminal::print_warning(remark));
    telemetry::install(&log_directives(&loaded), loaded.settings.services.log_format);
    match args.data.as_deref().filter(|_| args.embedded) {
        Some(data) => super::block_on(serve_embedded(args, &loaded.settings, data)),
        None => super::block_on(async {
            let parts = DoorParts { base_path: args.base_path.clone(), ..fleet::door_parts(&loaded.settings)? };
            open_door(&args.listen, parts, certificate(&loaded.settings)?).await
        }),
    }
}

/// Serves a fleet of this process, whose data are in the folder `data`, until a signal stops it.
async fn serve_embedded(args: &ServeArgs, settings: &Settings, data: &Path) -> Result<(), CommandFailure> {
    let tls = certificate(settings)?;
    if let Some(warning) = super::ignored_proxies() {
        tracing::warn!("{warning}");
    }
    let exporter = super::traces::start()?;
    let fleet = LocalFleet::start(settings, data, Parser::for_run(settings)).await?;
    let _endpoint = super::worker::endpoint(settings, fleet.health()).await?;
    let parts = DoorParts { base_path: args.base_path.clone(), ..fleet::local_door_parts(settings, &fleet) };
    let served = tokio::select! {
        served = open_door(&args.listen, parts, tls) => served,
        reason = fleet.wait_for_failure() => {
            let failure = CommandFailure::new(Exit::Failed, "folder_failed", format!("write to the data folder: {reason}"));
            Err(failure.with_remedy("free space on its disk, or replace the disk, and start again: what was accepted is kept"))
        }
    };
    // In order, so that running sessions are handed over; after a failure of the disk there is nobody to hand them to.
    if served.is_ok() && !fleet.shutdown().await {
        tracing::warn!("some jobs did not finish within drain_timeout; the next start works on them again");
    }
    super::traces::finish(exporter).await;
    served
}

/// `info` by default: a door has no other output.
fn log_directives(loaded: &LoadedSettings) -> String {
    match loaded.origin("log") {
        Provenance::Default => "info".to_owned(),
        _ => loaded.settings.services.log.clone(),
    }
}

/// Reads the certificate of the door, if it has one.
fn certificate(settings: &Settings) -> Result<Option<Arc<ServerTls>>, CommandFailure> {
    let door = &settings.door;
    let (Some(certificate), Some(key)) = (&door.tls_certificate, &door.tls_key) else { return Ok(None) };
    let unusable = |fault: TlsFault| {
        CommandFailure::new(
            Exit::Usage,
            "invalid_configuration",
            format!("door_tls_certificate, door_tls_key: {fault}"),
        )
    };
    ServerTls::open(certificate, key).map(|tls| Some(Arc::new(tls))).map_err(unusable)
}

/// Reads the certificate again at each SIGHUP. One that cannot be used changes nothing.
async fn reload_on_hangup(tls: Arc<ServerTls>) {
    let Ok(mut hangups) = signal(SignalKind::hangup()) else { return };
    while hangups.recv().await.is_some() {
        match tls.reload() {
            Ok(()) => tracing::info!("the certificate was read again"),
            Err(fault) => tracing::warn!(%fault, "the certificate cannot be used; the one before stays"),
        }
    }
}

/// Opens a door of `parts` on `address`, and serves until a signal stops it.
async fn open_door(address: &str, parts: DoorParts, tls: Option<Arc<ServerTls>>) -> Result<(), CommandFailure> {
    // Signal handlers come first, so that a SIGTERM during startup ends it in order.
    let stopping = CancellationToken::new();
    let stopped = stopping.clone();
    let signals = tokio::spawn(async move {
        stop_signal().await;
        stopped.cancel();
    });
    let refused = |error: ServeError| {
        let failure = CommandFailure::new(Exit::Usage, "invalid_address", format!("--listen: {error}"));
        match error {
            ServeError::NotLoopback(_) => failure.with_remedy("precis token new NAME --tenant TENANT"),
            ServeError::Address { .. } => failure,
        }
    };
    let listener = listen(address, &parts.callers).await.map_err(refused)?;
    let limits = parts.limits;
    let door = Door::new(parts, stopping.clone());
    let keeping = tokio::spawn({
        let door = Arc::clone(&door);
        async move { door.keep_connected().await }
    });
    if let Ok(address) = listener.local_addr() {
        let scheme = if tls.is_some() { "https" } else { "http" };
        tracing::info!(%address, scheme, version = precis_runtime::VERSION, "serving HTTP");
    }
    let reloading = tls.clone().map(|tls| tokio::spawn(reload_on_hangup(tls)));
    serve(listener, router(door), limits, stopping, tls).await;
    if let Some(reloading) = reloading {
        reloading.abort();
    }
    keeping.abort();
    signals.abort();
    Ok(())
}
