//! A worker that outlives its connections: connects, declares what is missing, works until the connection is lost, and begins
//! anew; drains when told to stop.

use std::sync::Arc;
use std::time::Duration;

use precis_runtime::broker::{Broker, BrokerError, Topology};
use precis_runtime::clock::Clock;
use precis_runtime::config::Settings;
use precis_runtime::content::ContentStore;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::model::Models;
use precis_runtime::runner::{Queues, Registry, RunnerSettings, Services, Worker, WorkerParts};
use precis_runtime::store::Store;
use precis_runtime::telemetry::{Health, metrics};
use tokio_util::sync::CancellationToken;

use super::connect::{broker, pause_before};
use crate::exit::Failure;

/// How often the depths of the queues are measured.
const MEASURE: Duration = Duration::from_secs(15);

/// What stays when a connection goes.
#[derive(Debug)]
pub struct Supervised {
    /// Unique in the fleet.
    pub worker_id: String,
    /// The shared store.
    pub store: Store,
    /// The shared content store.
    pub content: ContentStore,
    /// The models.
    pub models: Models,
    /// The handlers.
    pub registry: Registry,
    /// Which queues it serves.
    pub queues: Queues,
    /// How its runner behaves.
    pub runner: RunnerSettings,
    /// How long its jobs may take to end when it is told to stop.
    pub grace: Duration,
    /// Told whether work is taken.
    pub health: Health,
}

/// Works until `stop` fires; says whether everything ended within the grace period.
///
/// # Errors
/// [`Failure`] where the settings cannot work. A broker that is away, or a queue that is missing, is waited for.
pub async fn supervise(settings: &Settings, parts: &Supervised, stop: CancellationToken) -> Result<bool, Failure> {
    // Wrong settings end the program before it waits for anything.
    super::connect::rabbit_settings(settings, "worker")?;
    let mut tries = 0;
    loop {
        let started = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(true),
            started = start(settings, parts) => started,
        };
        match started {
            Ok((worker, broker)) => {
                tries = 0;
                if let Some(drained) = work(parts, worker, broker, &stop).await {
                    return Ok(drained);
                }
                tracing::warn!("the broker connection is lost; connecting anew");
            }
            Err(reason) => tracing::warn!(tries, "{reason}"),
        }
        tokio::select! {
            () = stop.cancelled() => return Ok(true),
            () = tokio::time::sleep(pause_before(tries)) => tries += 1,
        }
    }
}

async fn start(settings: &Settings, parts: &Supervised) -> Result<(Worker, Broker), String> {
    let broker = broker(settings, &format!("worker {}", parts.worker_id)).await.map_err(|failure| failure.message)?;
    match open(parts, &broker).await {
        Ok(worker) => Ok((worker, broker)),
        Err(error) => {
            broker.close().await;
            Err(format!("start consuming: {error}; if a queue is missing: precis topology apply"))
        }
    }
}

async fn open(parts: &Supervised, broker: &Broker) -> Result<Worker, BrokerError> {
    // A user that may not configure finds what somebody else declared; what is missing shows when it is consumed from.
    if let Err(error) = broker.declare(&Topology::standard()).await {
        tracing::info!(%error, "the topology is not declared by this worker");
    }
    Worker::start(WorkerParts {
        worker_id: parts.worker_id.clone(),
        broker: broker.clone(),
        store: parts.store.clone(),
        services: Services { content: parts.content.clone(), models: parts.models.clone() },
        registry: parts.registry.clone(),
        settings: parts.runner.clone(),
        queues: parts.queues.clone(),
        clock: Clock::system(),
        failpoints: Failpoints::none(),
    })
    .await
}

/// Works until the connection is lost (`None`) or the worker has drained.
async fn work(parts: &Supervised, worker: Worker, broker: Broker, stop: &CancellationToken) -> Option<bool> {
    parts.health.set_ready(true);
    metrics().broker.connected(true);
    tracing::info!(worker_id = %parts.worker_id, "consuming");
    let drained = tokio::select! {
        biased;
        () = stop.cancelled() => true,
        () = worker.disconnected() => false,
        () = measure(&broker) => unreachable!("measuring has no end"),
    };
    parts.health.set_ready(false);
    let outcome = if drained {
        tracing::info!("draining");
        Some(worker.drain(parts.grace).await)
    } else {
        // What it worked on is cancelled: the broker has given its deliveries to others already. Model calls that were sent
        // end in their own time, so that what was paid is kept.
        drop(worker);
        broker.close().await;
        None
    };
    metrics().broker.connected(false);
    outcome
}

async fn measure(broker: &Broker) {
    let queues: Arc<[String]> = Topology::standard().queues.into_iter().map(|queue| queue.name).collect();
    loop {
        for queue in queues.iter() {
            if let Ok(depth) = broker.depth(queue).await {
                metrics().broker.depth(queue, depth.ready);
            }
        }
        tokio::time::sleep(MEASURE).await;
    }
}
