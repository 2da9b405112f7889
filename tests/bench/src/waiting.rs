//! A crowd that waits: many sessions in one worker process, each at a model that takes its time.
//!
//! The ideal is what the same sessions take when the model answers at once, and the time of one answer. Both are measured in one
//! run, on other texts, so that no answer is known from before.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;

use precis_tests::fleet::fleet_under_test::{FleetOptions, FleetUnderTest};
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::SharedServers;

/// What an answer takes.
const LATENCY: Duration = Duration::from_secs(5);
/// Longest wait for all results.
const PATIENCE: Duration = Duration::from_secs(300);
/// Between two looks at the worker's memory.
const LOOK: Duration = Duration::from_millis(50);

/// What waiting costs.
#[derive(Debug, Clone, Serialize)]
pub struct WaitingFigures {
    /// Sessions, of one document each; all wait at the model at once.
    pub sessions: usize,
    /// Seconds until the last result where the model answers at once.
    pub seconds_without_wait: f64,
    /// Seconds an answer takes.
    pub latency_seconds: f64,
    /// Seconds until the last result where it takes that long.
    pub seconds: f64,
    /// Most sessions that waited at the model at once.
    pub waiting_at_once: usize,
    /// Most resident bytes of the worker.
    pub peak_bytes: u64,
}

/// Measures one worker of `precis` with `sessions` sessions.
///
/// # Errors
/// Where not every session got its result in time.
pub async fn measure(servers: &SharedServers, precis: &Path, sessions: usize) -> Result<WaitingFigures, String> {
    let (seconds_without_wait, ..) = run(servers, precis, 0..sessions, Duration::ZERO).await?;
    let (seconds, waiting_at_once, peak_kib) = run(servers, precis, sessions..2 * sessions, LATENCY).await?;
    Ok(WaitingFigures {
        sessions,
        seconds_without_wait,
        latency_seconds: LATENCY.as_secs_f64(),
        seconds,
        waiting_at_once,
        peak_bytes: peak_kib * 1_024,
    })
}

/// Seconds from the worker's start to the last result, most calls at the model at once, and the worker's peak in KiB.
async fn run(
    servers: &SharedServers,
    precis: &Path,
    numbers: std::ops::Range<usize>,
    latency: Duration,
) -> Result<(f64, usize, u64), String> {
    let sessions = numbers.len();
    let furnishing = FleetOptions {
        latency,
        at_once: sessions,
        roles: &["synthesis"],
        settings: "digest_policy = \"off\"\nworker_sessions = 4096\n".to_owned(),
        ..FleetOptions::default()
    };
    let fleet = FleetUnderTest::furnished(servers, precis, &furnishing).await;
    servers.redis.flush().await;
    servers.caller.begin();
    for number in numbers {
        servers.caller.ask(&requests::small(number)).await;
    }
    let begun = Instant::now();
    let mut worker = fleet.worker("waiting", &[]);
    let mut at_once = 0;
    while !servers.caller.served(sessions, LOOK).await {
        if begun.elapsed() > PATIENCE || !worker.is_alive() {
            let last = fleet.log_lines("", usize::MAX).pop().unwrap_or_default();
            return Err(format!(
                "not all of {sessions} sessions were done after {:.0} s; the worker's last word: {last}",
                begun.elapsed().as_secs_f64()
            ));
        }
        at_once = at_once.max(fleet.provider.under_way());
    }
    let seconds = begun.elapsed().as_secs_f64();
    let peak_kib = worker.peak_kib();
    worker.drain().await?;
    Ok((seconds, at_once, peak_kib))
}
