//! A worker that outlives its connections: connects, declares what is missing, works until the connection is lost, and begins
//! anew; drains when told to stop.

use std::sync::Arc;
use std::time::{Duration, Instant};

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

use super::backoff::Backoff;
use super::connect::broker;
use crate::cli::exit::CommandFailure;
use crate::lanes::Lanes;
use crate::wiring::paid;

/// How often the depths of the queues are measured.
const MEASURE: Duration = Duration::from_secs(15);

/// What stays when a connection goes.
#[derive(Debug)]
pub struct SupervisedResources {
    /// Unique in the fleet.
    pub worker_id: String,
    /// The shared store.
    pub store: Store,
    /// The shared content store.
    pub content: ContentStore,
    /// The models.
    pub models: Models,
    /// Corpora and search providers.
    pub lanes: Arc<Lanes>,
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
/// [`CommandFailure`] where the settings cannot work. A broker that is away, or a queue that is missing, is waited for.
pub async fn supervise(
    settings: &Settings,
    parts: &SupervisedResources,
    stop: CancellationToken,
) -> Result<bool, CommandFailure> {
    // Wrong settings end the program before it waits for anything.
    super::connect::rabbit_settings(settings, "worker")?;
    let in_time = until_stopped(settings, parts, stop).await;
    // Also where the connection was lost before.
    paid::settled(&parts.models, &parts.lanes).await;
    Ok(in_time)
}

/// Connects, works and connects anew until `stop` fires; says whether everything ended within the grace period.
async fn until_stopped(settings: &Settings, parts: &SupervisedResources, stop: CancellationToken) -> bool {
    let mut backoff = Backoff::default();
    loop {
        let started = tokio::select! {
            biased;
            () = stop.cancelled() => return true,
            started = start(settings, parts) => started,
        };
        let pause = match started {
            Ok((worker, broker)) => {
                let since = Instant::now();
                if let Some(drained) = work(parts, worker, broker, &stop).await {
                    return drained;
                }
                let (lived, pause) = (since.elapsed(), backoff.lost(since.elapsed()));
                tracing::warn!(
                    lived_ms = ms(lived),
                    pause_ms = ms(pause),
                    "the broker connection is lost; connecting anew"
                );
                pause
            }
            Err(NotStarted::Unreached(reason)) => {
                let pause = backoff.unreached();
                tracing::warn!(pause_ms = ms(pause), "{reason}");
                pause
            }
            // It was made, and ended before anything could be consumed: by the first thing that was delivered, perhaps.
            Err(NotStarted::Lost(reason)) => {
                let pause = backoff.lost(Duration::ZERO);
                tracing::warn!(pause_ms = ms(pause), "{reason}");
                pause
            }
        };
        tokio::select! {
            () = stop.cancelled() => return true,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Why no worker was started; each with what is said of it.
enum NotStarted {
    /// There is no connection.
    Unreached(String),
    /// There was one.
    Lost(String),
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

async fn start(settings: &Settings, parts: &SupervisedResources) -> Result<(Worker, Broker), NotStarted> {
    let connected = broker(settings, &format!("worker {}", parts.worker_id)).await;
    let broker = connected.map_err(|failure| NotStarted::Unreached(failure.message))?;
    match open(parts, &broker).await {
        Ok(worker) => Ok((worker, broker)),
        Err(error) => {
            broker.close().await;
            let reason = format!("start consuming: {error}; if a queue is missing: precis topology apply");
            // What is refused is there, and says no: a queue that is missing is waited for as a broker that is away.
            Err(if error == BrokerError::Closed { NotStarted::Lost(reason) } else { NotStarted::Unreached(reason) })
        }
    }
}

async fn open(parts: &SupervisedResources, broker: &Broker) -> Result<Worker, BrokerError> {
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
async fn work(parts: &SupervisedResources, worker: Worker, broker: Broker, stop: &CancellationToken) -> Option<bool> {
    parts.health.set_ready(true);
    metrics().broker.connected(true);
    tracing::info!(worker_id = %parts.worker_id, version = precis_runtime::VERSION, "consuming");
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
