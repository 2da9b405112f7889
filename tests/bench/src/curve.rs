//! Sessions per second against the number of worker processes, with a model that takes a tenth of a second.
//!
//! Each worker may have few requests at the model at once, as a rate limit would have it: so the model bounds one worker, and the
//! processors bound many.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;

use precis_tests::fleet::ground::Ground;
use precis_tests::fleet::requests;
use precis_tests::fleet::site::{Furnishing, Site, WorkerProcess};

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
pub async fn measure(ground: &Ground, precis: &Path, sessions: usize) -> Result<Vec<Point>, String> {
    let furnishing = Furnishing { latency: LATENCY, at_once: AT_ONCE, ..Furnishing::default() };
    let mut points = Vec::new();
    for workers in WORKERS {
        let site = Site::furnished(ground, precis, &furnishing).await;
        ground.redis.flush().await;
        ground.caller.begin();
        for number in 0..sessions {
            ground.caller.ask(&requests::request(number)).await;
        }
        let begun = Instant::now();
        let mut crew: Vec<WorkerProcess> = (0..workers).map(|n| site.worker(&format!("w{n}"), &[])).collect();
        if !ground.caller.served(sessions, PATIENCE).await {
            return Err(format!("{workers} workers did not end {sessions} sessions in {} s", PATIENCE.as_secs()));
        }
        let seconds = begun.elapsed().as_secs_f64();
        for worker in &mut crew {
            worker.drain().await?;
        }
        points.push(Point {
            workers,
            sessions_per_second: sessions as f64 / seconds,
            calls_per_second: site.provider.calls() as f64 / seconds,
        });
    }
    Ok(points)
}
