//! How long the program takes to say anything: `precis --help`, again and again.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::Serialize;

use crate::sample::median;

/// Runs of the program; odd or even, the lower middle one counts.
const RUNS: usize = 20;

/// Milliseconds from start to end of the process.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct StartFigures {
    /// Runs.
    pub runs: usize,
    /// The middle one.
    pub median_ms: f64,
    /// The fastest.
    pub lowest_ms: f64,
    /// The slowest; the first may have had to read the program from disk.
    pub highest_ms: f64,
}

/// Starts `precis --help` repeatedly.
///
/// # Errors
/// Where the program does not start or does not succeed.
pub fn measure(precis: &Path) -> Result<StartFigures, String> {
    let times = (0..RUNS).map(|_| once(precis)).collect::<Result<Vec<_>, _>>()?;
    Ok(StartFigures {
        runs: RUNS,
        median_ms: median(&times),
        lowest_ms: times.iter().copied().fold(f64::INFINITY, f64::min),
        highest_ms: times.iter().copied().fold(0.0, f64::max),
    })
}

fn once(precis: &Path) -> Result<f64, String> {
    let mut command = Command::new(precis);
    command.arg("--help").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let status = command.status().map_err(|e| format!("start {}: {e}", precis.display()))?;
    let ms = started.elapsed().as_secs_f64() * 1e3;
    if status.success() { Ok(ms) } else { Err(format!("{} --help ended with {status}", precis.display())) }
}
