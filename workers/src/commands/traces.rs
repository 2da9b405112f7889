//! Exports the spans of a long-running command, if a collector is named by the variables of OpenTelemetry.

use precis_runtime::telemetry::spans::{self, ExportFault, ExportSettings, SpanExporter};

use super::settings::environment;
use crate::cli::exit::{CommandFailure, Exit};

/// Starts exporting; `None` if no collector is named. Must be called inside a tokio runtime.
///
/// # Errors
/// [`Exit::Usage`] if a variable cannot be used.
pub(super) fn start() -> Result<Option<SpanExporter>, CommandFailure> {
    let fault = |fault: ExportFault| CommandFailure::new(Exit::Usage, "invalid_environment", fault.to_string());
    let Some(settings) = ExportSettings::read(&environment()).map_err(fault)? else { return Ok(None) };
    if let Some(protocol) = &settings.unspoken {
        tracing::warn!(
            protocol,
            "OTEL_EXPORTER_OTLP_PROTOCOL asks for a protocol that is not spoken; spans are sent as http/json"
        );
    }
    let exporter = spans::start(&settings).map_err(fault)?;
    tracing::info!(url = %settings.url, "exporting spans");
    Ok(Some(exporter))
}

/// Sends what waits, for a few seconds at most.
pub(super) async fn finish(exporter: Option<SpanExporter>) {
    if let Some(exporter) = exporter {
        exporter.flush().await;
    }
}
