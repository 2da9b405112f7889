//! Requests that a door accepts, beside the same requests published over AMQP by as many callers at once.

use std::net::SocketAddr;
use std::sync::Arc;

use precis_runtime::broker::Broker;
use serde::Serialize;
use tokio::sync::Mutex;

use super::http::HttpConnection;
use super::load::{closed, paced, percentile};
use super::publishing::{connect, publish};
use super::servers::DoorServers;
use super::sessions::{request, submitted};

/// Callers at once.
const CALLERS: usize = 32;
/// Requests of a caller in a round.
const EACH: usize = 30;
/// Rounds, of both in turn.
const ROUNDS: usize = 5;
/// Requests at half of the rate, and how often they are sent, by both in turn.
const PACED: usize = 500;
const PACED_ROUNDS: usize = 3;
/// Sources of a request.
const SOURCES: usize = 2;

/// Requests accepted and published.
#[derive(Debug, Clone, Serialize)]
pub struct AcceptFigures {
    /// Requests a door accepts in a second, median of the rounds.
    pub accepted_per_second: f64,
    /// Requests that are published and confirmed in a second, median of the rounds.
    pub published_per_second: f64,
    /// The ratios of the rounds, in order.
    pub ratios: Vec<f64>,
    /// 95th percentile of the time until a request is accepted, at half of that rate, in milliseconds; of each round, in order.
    pub p95_ms: Vec<f64>,
    /// The same of a request that is published at the same rate.
    pub published_p95_ms: Vec<f64>,
    /// Bytes of a request.
    pub bytes: usize,
}

/// Measures with no worker: what is accepted waits.
///
/// # Errors
/// If a request is not accepted.
pub async fn measure(servers: &DoorServers) -> Result<AcceptFigures, String> {
    let (_door, address) = servers.door().await?;
    let broker = connect(&servers.rabbit).await?;
    let (mut accepted, mut published, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    // The first round warms up.
    for round in 0..=ROUNDS {
        let over_http = closed(CALLERS, EACH, |_| accept_all(address)).await?;
        let over_amqp = closed(CALLERS, EACH, |_| publish_all(broker.clone())).await?;
        if round > 0 {
            accepted.push(over_http);
            published.push(over_amqp);
            ratios.push(over_http / over_amqp);
        }
    }
    let accepted_per_second = percentile(&mut accepted, 0.5);
    let published_per_second = percentile(&mut published, 0.5);
    let mut idle = Vec::new();
    for _ in 0..CALLERS {
        idle.push(HttpConnection::open(address).await?);
    }
    let idle = Arc::new(Mutex::new(idle));
    let (mut p95_ms, mut published_p95_ms, rate) = (Vec::new(), Vec::new(), accepted_per_second / 2.0);
    for _ in 0..PACED_ROUNDS {
        p95_ms.push(paced(rate, PACED, |_| accept_one(address, Arc::clone(&idle))).await?);
        let broker = &broker;
        published_p95_ms.push(paced(rate, PACED, |_| publish_one(broker.clone())).await?);
    }
    let bytes = request(SOURCES).len();
    Ok(AcceptFigures { accepted_per_second, published_per_second, ratios, p95_ms, published_p95_ms, bytes })
}

async fn accept_all(address: SocketAddr) -> Result<(), String> {
    let mut client = HttpConnection::open(address).await?;
    for _ in 0..EACH {
        submitted(&mut client, &request(SOURCES)).await?;
    }
    Ok(())
}

async fn accept_one(address: SocketAddr, idle: Arc<Mutex<Vec<HttpConnection>>>) -> Result<(), String> {
    let kept = idle.lock().await.pop();
    let mut client = match kept {
        Some(client) => client,
        None => HttpConnection::open(address).await?,
    };
    submitted(&mut client, &request(SOURCES)).await?;
    idle.lock().await.push(client);
    Ok(())
}

async fn publish_all(broker: Broker) -> Result<(), String> {
    for _ in 0..EACH {
        publish(&broker, SOURCES).await?;
    }
    Ok(())
}

async fn publish_one(broker: Broker) -> Result<(), String> {
    publish(&broker, SOURCES).await
}
