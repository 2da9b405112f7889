//! A worker process that has nothing to do: how soon it takes work, and what it costs to have.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::machine::value;
use precis_tests::servers::rabbit::RabbitServer;
use precis_tests::servers::redis::RedisServer;

/// Longest wait for a worker to take work.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two questions whether it does.
const LOOK: Duration = Duration::from_millis(5);
/// How long a worker is left alone before it is weighed.
const SETTLED: Duration = Duration::from_secs(3);

/// What an idle worker is like.
#[derive(Debug, Clone, Serialize)]
pub struct IdleFigures {
    /// From the start of the process until it takes work, in milliseconds; the queues were there already.
    pub ready_ms: f64,
    /// Resident bytes after some seconds without work.
    pub resident_bytes: u64,
}

/// Starts the program at `precis` as a worker on private servers; `None` where one is not installed.
///
/// # Errors
/// Where the worker does not start or does not take work.
pub async fn measure(precis: &Path) -> Result<Option<IdleFigures>, String> {
    let (Some(rabbit), Some(redis)) = (RabbitServer::start().await, RedisServer::start().await) else {
        return Ok(None);
    };
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).map_err(|e| e.to_string())?.port();
    let start = |args: &[&str]| {
        let mut command = Command::new(precis);
        command.args(args).current_dir(dir.path()).stdout(Stdio::null()).stderr(Stdio::null());
        command.env("PRECIS_AMQP_URL", rabbit.address().expose()).env("PRECIS_REDIS_URL", redis.address());
        command.env("PRECIS_CONTENT_URL", format!("file://{}", dir.path().join("content").display()));
        command.env("PRECIS_METRICS_ADDRESS", format!("127.0.0.1:{port}"));
        command.spawn().map_err(|e| format!("start {}: {e}", precis.display()))
    };
    start(&["topology", "apply"])?.wait().map_err(|e| e.to_string())?;
    let begun = Instant::now();
    let mut worker = start(&["worker"])?;
    let figures = weigh(&worker, port, begun).await;
    let _ = worker.kill();
    let _ = worker.wait();
    figures.map(Some)
}

async fn weigh(worker: &Child, port: u16, begun: Instant) -> Result<IdleFigures, String> {
    while !is_ready(port).await {
        if begun.elapsed() > PATIENCE {
            return Err("the worker does not take work".to_owned());
        }
        tokio::time::sleep(LOOK).await;
    }
    let ready_ms = begun.elapsed().as_secs_f64() * 1e3;
    tokio::time::sleep(SETTLED).await;
    let status = std::fs::read_to_string(format!("/proc/{}/status", worker.id())).unwrap_or_default();
    let kib: u64 = value(&status, "VmRSS").and_then(|kib| kib.parse().ok()).unwrap_or_default();
    Ok(IdleFigures { ready_ms, resident_bytes: kib * 1024 })
}

async fn is_ready(port: u16) -> bool {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let ask = async {
        let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await?;
        stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok::<_, std::io::Error>(answer.starts_with("HTTP/1.1 200"))
    };
    ask.await.unwrap_or(false)
}
