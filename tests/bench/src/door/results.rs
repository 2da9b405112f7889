//! Results that a door hands out, beside a static file of the same size from nginx.

use std::net::SocketAddr;

use serde::Serialize;

use super::http::HttpConnection;
use super::load::{closed, percentile};
use super::nginx::Nginx;
use super::servers::DoorServers;
use super::sessions::{ended, request, submitted};

/// A result has at least so many bytes.
const BYTES: usize = 50_000;
/// Readers at once, what each reads in a round, and rounds.
const READERS: usize = 16;
const EACH: usize = 200;
const ROUNDS: usize = 5;
/// Sources of the first try, doubled until a result is large enough.
const SOURCES: usize = 20;

/// Results and files read.
#[derive(Debug, Clone, Serialize)]
pub struct ResultFigures {
    /// Bytes of the result, and of the file.
    pub bytes: usize,
    /// Results in a second, median of the rounds.
    pub results_per_second: f64,
    /// Files of nginx in a second; absent where it is not installed.
    pub files_per_second: Option<f64>,
    /// The ratios of the rounds, in order; none without nginx.
    pub ratios: Vec<f64>,
}

/// Measures one result that many read.
///
/// # Errors
/// If a session does not end, or a result is not read.
pub async fn measure(servers: &DoorServers) -> Result<ResultFigures, String> {
    let (_door, address) = servers.door().await?;
    let _worker = servers.worker(1)?;
    let (path, result) = large_result(address).await?;
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let nginx = Nginx::start(dir.path(), &result).await?;
    let (mut results, mut files, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    // The first round warms up.
    for round in 0..=ROUNDS {
        let of_door = closed(READERS, EACH, |_| read_all(address, path.clone())).await?;
        let of_nginx = match &nginx {
            Some(nginx) => Some(closed(READERS, EACH, |_| read_all(nginx.address, nginx.path())).await?),
            None => None,
        };
        if round > 0 {
            results.push(of_door);
            files.extend(of_nginx);
            ratios.extend(of_nginx.map(|of_nginx| of_door / of_nginx));
        }
    }
    let median = |values: &mut Vec<f64>| (!values.is_empty()).then(|| percentile(values, 0.5));
    Ok(ResultFigures {
        bytes: result.len(),
        results_per_second: percentile(&mut results, 0.5),
        files_per_second: median(&mut files),
        ratios,
    })
}

/// The path and the bytes of a result that is large enough.
async fn large_result(address: SocketAddr) -> Result<(String, Vec<u8>), String> {
    let (mut client, mut sources) = (HttpConnection::open(address).await?, SOURCES);
    loop {
        let id = submitted(&mut client, &request(sources)).await?;
        ended(&mut client, &id).await?;
        let path = format!("/v1/sessions/{id}/result");
        let (status, result) = client.call("GET", &path, "").await?;
        match status {
            200 if result.len() >= BYTES => return Ok((path, result)),
            200 => sources *= 2,
            other => return Err(format!("a result was answered with {other}")),
        }
    }
}

async fn read_all(address: SocketAddr, path: String) -> Result<(), String> {
    let mut client = HttpConnection::open(address).await?;
    for _ in 0..EACH {
        match client.call("GET", &path, "").await? {
            (200, _) => {}
            (other, _) => return Err(format!("{path} was answered with {other}")),
        }
    }
    Ok(())
}
