//! Sessions per second against the number of worker processes, with a model that takes a tenth of a second.
//!
//! Each worker may have few requests at the model at once, as a rate limit would have it: so the model bounds one worker, and the
//! processors bound many.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;

use precis_tests::fleet::fleet_under_test::{FleetOptions, FleetUnderTest, WorkerProcess};
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::SharedServers;

/// What an answer takes.
const LATENCY: Duration = Duration::from_millis(100);
/// Requests one worker has at the model at once.
const AT_ONCE: usize = 4;
/// Processes.
const WORKERS: [usize; 4] = [1, 2, 4, 8];
/// Longest wait for all results of a point.
const PATIENCE: Duration = Duration::from_secs(300);

/// One point.
#[derive(Debug, Clone, Serialize)]
pub struct Point {
    /// Worker processes.
    pub workers: usize,
    /// Sessions of five documents per second.
    pub sessions_per_second: f64,
    /// Requests to the model per second.
    pub calls_per_second: f64,
}

/// Measures each point with `sessions` sessions.
///
/// # Errors
/// Where not every session got its result in time.
pub async fn measure(servers: &SharedServers, precis: &Path, sessions: usize) -> Result<Vec<Point>, String> {
    let furnishing = FleetOptions { latency: LATENCY, at_once: AT_ONCE, ..FleetOptions::default() };
    let mut points = Vec::new();
    for workers in WORKERS {
        let fleet = FleetUnderTest::furnished(servers, precis, &furnishing).await;
        servers.redis.flush().await;
        servers.caller.begin();
        for number in 0..sessions {
            servers.caller.ask(&requests::request(number)).await;
        }
        let begun = Instant::now();
        let mut pool: Vec<WorkerProcess> = (0..workers).map(|n| fleet.worker(&format!("w{n}"), &[])).collect();
        if !servers.caller.served(sessions, PATIENCE).await {
            return Err(format!("{workers} workers did not end {sessions} sessions in {} s", PATIENCE.as_secs()));
        }
        let seconds = begun.elapsed().as_secs_f64();
        for worker in &mut pool {
            worker.drain().await?;
        }
        points.push(Point {
            workers,
            sessions_per_second: sessions as f64 / seconds,
            calls_per_second: fleet.provider.calls() as f64 / seconds,
        });
    }
    Ok(points)
}
