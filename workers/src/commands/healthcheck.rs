//! `precis healthcheck`: one readiness check with an exit code, for container probes.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::cli::ConfigArgs;
use crate::cli::exit::{CommandFailure, Exit};
use crate::cli::terminal;
use crate::fleet;

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longest answer read, in bytes.
const ANSWER_BYTES: u64 = 4_096;

/// Arguments of `precis healthcheck`.
#[derive(Debug, clap::Args)]
pub struct HealthcheckArgs {
    /// Where settings come from.
    #[command(flatten)]
    pub config: ConfigArgs,
}

/// Checks whether the worker at `metrics_address` is ready; without an address, whether the broker can be reached.
#[must_use]
pub fn run(args: &HealthcheckArgs) -> Exit {
    super::finish(attempt(args))
}

fn attempt(args: &HealthcheckArgs) -> Result<(), CommandFailure> {
    let settings = super::operator_settings(&args.config)?;
    super::block_on(async {
        match &settings.services.metrics_address {
            Some(address) => ready(address).await?,
            None => fleet::broker(&settings, "healthcheck").await?.close().await,
        }
        terminal::print("ok\n")
    })
}

async fn ready(address: &str) -> Result<(), CommandFailure> {
    // A worker that listens on all interfaces is reached through the loopback address.
    let place = match address.rsplit_once(':') {
        Some(("0.0.0.0", port)) => format!("127.0.0.1:{port}"),
        Some(("[::]", port)) => format!("[::1]:{port}"),
        _ => address.to_owned(),
    };
    let failed =
        |reason: String| CommandFailure::new(Exit::Unreachable, "not_ready", format!("GET {place}/readyz: {reason}"));
    let answer = tokio::time::timeout(PATIENCE, ask(&place)).await;
    let answer = answer.map_err(|_| failed(format!("no answer within {} s", PATIENCE.as_secs())))?;
    let answer = answer.map_err(|e| failed(e.to_string()))?;
    let status = answer.split_whitespace().nth(1).unwrap_or("missing");
    if status == "200" { Ok(()) } else { Err(failed(format!("status {status}, expected 200"))) }
}

async fn ask(place: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(place).await?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES).read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
