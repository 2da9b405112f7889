//! Processor time of a whole fleet in one process that exports spans, beside one that does not.

use std::path::Path;
use std::process::Command;

use serde::Serialize;

use super::collector::Collector;
use super::http::HttpConnection;
use super::load::percentile;
use super::process::{Running, free_address};
use super::sessions::{ended, request, submitted, until_ready};

/// Sessions of a round, and rounds, of both in turn.
const SESSIONS: usize = 200;
const ROUNDS: usize = 5;
/// Sources of a session.
const SOURCES: usize = 4;

/// Processor time with spans and without.
#[derive(Debug, Clone, Serialize)]
pub struct TracingFigures {
    /// Processor milliseconds of a session without spans, median of the rounds.
    pub cpu_ms: f64,
    /// The same with spans.
    pub cpu_ms_with_spans: f64,
    /// The ratios of the rounds, in order.
    pub ratios: Vec<f64>,
    /// Bytes of spans of a session, as they came to the collector.
    pub span_bytes: u64,
}

/// Measures the program at `precis`.
///
/// # Errors
/// If a session does not end, or no span comes.
pub async fn measure(precis: &Path) -> Result<TracingFigures, String> {
    let collector = Collector::start().await?;
    let (mut without, mut with, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        // Who is first alternates: what the machine does meanwhile must not be one's alone.
        let (plain, traced) = if round % 2 == 0 {
            let plain = session_cpu_ms(precis, None).await?;
            (plain, session_cpu_ms(precis, Some(&collector)).await?)
        } else {
            let traced = session_cpu_ms(precis, Some(&collector)).await?;
            (session_cpu_ms(precis, None).await?, traced)
        };
        without.push(plain);
        with.push(traced);
        ratios.push(traced / plain);
    }
    let span_bytes = collector.bytes() / (ROUNDS * (SESSIONS + 1)) as u64;
    if span_bytes == 0 {
        return Err("no span came to the collector".to_owned());
    }
    let (cpu_ms, cpu_ms_with_spans) = (percentile(&mut without, 0.5), percentile(&mut with, 0.5));
    Ok(TracingFigures { cpu_ms, cpu_ms_with_spans, ratios, span_bytes })
}

/// Processor milliseconds of a session in a new process.
async fn session_cpu_ms(precis: &Path, collector: Option<&Collector>) -> Result<f64, String> {
    let (dir, address) = (tempfile::tempdir().map_err(|e| e.to_string())?, free_address()?);
    let mut command = Command::new(precis);
    command.args(["serve", "--embedded", "--data", "data", "--listen", &address.to_string()]);
    command.current_dir(dir.path()).env_clear().env("HOME", dir.path());
    if let Some(collector) = collector {
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{}", collector.address));
    }
    let process = Running::start(command)?;
    until_ready(address).await?;
    let mut client = HttpConnection::open(address).await?;
    // The first one reads what all of them need.
    let first = submitted(&mut client, &request(SOURCES)).await?;
    ended(&mut client, &first).await?;
    let before = process.cpu_seconds();
    let mut ids = Vec::with_capacity(SESSIONS);
    for _ in 0..SESSIONS {
        ids.push(submitted(&mut client, &request(SOURCES)).await?);
    }
    for id in ids {
        ended(&mut client, &id).await?;
    }
    Ok((process.cpu_seconds() - before) * 1e3 / SESSIONS as f64)
}
