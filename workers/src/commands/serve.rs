//! `precis serve`: the HTTP door of a fleet.

use precis_door::{Door, DoorParts, ServeError, listen, router, serve};
use precis_runtime::config::{LoadedSettings, Provenance};
use precis_runtime::telemetry;
use tokio_util::sync::CancellationToken;

use super::settings::load_settings;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::signals::stop_signal;
use crate::cli::{ConfigArgs, terminal};
use crate::fleet;

/// Arguments of `precis serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  precis token new alpha --tenant alpha               # a token, and its lines for precis.toml
  precis serve --listen 0.0.0.0:8080
  curl -H \"Authorization: Bearer $TOKEN\" http://localhost:8080/v1/sessions

Needs amqp_url and content_url, and redis_url for progress that any door can show. Any number of doors may serve one fleet. Without
`api_tokens` in the configuration it listens on loopback addresses only.")]
pub struct ServeArgs {
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: String,
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
    super::block_on(async { opened(&args.listen, fleet::door_parts(&loaded.settings)?).await })
}

/// `info` by default: a door has no other output.
fn log_directives(loaded: &LoadedSettings) -> String {
    match loaded.origin("log") {
        Provenance::Default => "info".to_owned(),
        _ => loaded.settings.services.log.clone(),
    }
}

/// Opens a door of `parts` on `address`, and serves until a signal stops it.
pub(super) async fn opened(address: &str, parts: DoorParts) -> Result<(), CommandFailure> {
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
        let door = std::sync::Arc::clone(&door);
        async move { door.keep_connected().await }
    });
    if let Ok(address) = listener.local_addr() {
        tracing::info!(%address, version = precis_runtime::VERSION, "serving HTTP");
    }
    serve(listener, router(door), limits, stopping).await;
    keeping.abort();
    signals.abort();
    Ok(())
}
