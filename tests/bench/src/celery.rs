//! The same shape of work as a Celery application, on the same kind of broker, where a Python with Celery is given.

use std::path::Path;

use serde::{Deserialize, Serialize};
use tokio::process::Command;

use precis_tests::servers::rabbit::RabbitServer;
use precis_tests::servers::redis::RedisServer;

/// What Celery does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CeleryFigures {
    /// Sessions, each a chord of eight jobs and two further tasks.
    pub sessions: usize,
    /// Jobs of these.
    pub jobs: usize,
    /// From the first task to the last.
    pub seconds: f64,
}

impl CeleryFigures {
    /// Jobs per second.
    #[must_use]
    pub fn jobs_per_second(&self) -> f64 {
        self.jobs as f64 / self.seconds
    }
}

/// Runs `tests/bench/celery_chord.py` with `python` on private servers; `None` where these are not installed.
///
/// # Errors
/// What the script said.
pub async fn measure(python: &Path, sessions: usize) -> Result<Option<CeleryFigures>, String> {
    let (Some(rabbit), Some(redis)) = (RabbitServer::start().await, RedisServer::start().await) else {
        return Ok(None);
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/celery_chord.py");
    let mut command = Command::new(python);
    command.arg(script).arg(rabbit.address().expose()).arg(redis.address()).arg(sessions.to_string());
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = command.output().await.map_err(|e| format!("start {}: {e}", python.display()))?;
    if !output.status.success() {
        return Err(format!("celery_chord.py: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    serde_json::from_slice(&output.stdout).map(Some).map_err(|e| format!("celery_chord.py: {e}"))
}
