//! Runs a worker across connections: connects, declares missing topology, works until the connection is lost, and reconnects; drains when
//! stopped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use precis_runtime::broker::{Broker, BrokerError, MemoryBroker, Topology, names};
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
use super::content_watch::{until_usable, unusable};
use super::roll_call::keep_telling;
use crate::assembly::paid;
use crate::collections::keep_waking;
use crate::lanes::Lanes;

/// The exchange without a name, which every worker may publish to.
const DEFAULT_EXCHANGE: &str = "";
/// How often the depths of the queues are measured.
const MEASURE: Duration = Duration::from_secs(15);

/// Where a worker finds its broker.
#[derive(Debug)]
pub enum BrokerSource {
    /// On the server that these settings name.
    Server(Box<Settings>),
    /// In this process.
    Process(MemoryBroker),
}

impl BrokerSource {
    /// Opens a connection for `worker_id`; otherwise returns the message to log.
    async fn connect(&self, worker_id: &str) -> Result<Broker, String> {
        match self {
            Self::Server(settings) => {
                broker(settings, &format!("worker {worker_id}")).await.map_err(|failure| failure.message)
            }
            Self::Process(server) => Ok(Broker::Memory(server.connect(Failpoints::none()))),
        }
    }
}

/// The parts of a worker that outlive a connection.
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
    /// The queues it serves.
    pub queues: Queues,
    /// The settings of its runner.
    pub runner: RunnerSettings,
    /// How long its jobs may take to finish when it is stopped.
    pub grace: Duration,
    /// The health state, ready while work is consumed.
    pub health: Health,
}

/// Works until `stop` fires; returns whether everything ended within the grace period. Waits for an unreachable broker or a missing queue.
pub async fn supervise(source: &BrokerSource, parts: &SupervisedResources, stop: CancellationToken) -> bool {
    let in_time = tokio::select! {
        biased;
        in_time = until_stopped(source, parts, stop.clone()) => in_time,
        () = keep_telling((&parts.worker_id, &parts.queues), &parts.store, &stop) => unreachable!("telling has no end"),
    };
    // Also if the connection was lost before: calls already sent are paid, so wait for their answers.
    paid::settle_sent(&parts.models, &parts.lanes).await;
    in_time
}

/// Connects, works and reconnects until `stop` fires; returns whether everything ended within the grace period.
async fn until_stopped(source: &BrokerSource, parts: &SupervisedResources, stop: CancellationToken) -> bool {
    let mut backoff = Backoff::default();
    loop {
        until_usable(&parts.content, &parts.health, &stop).await;
        let started = tokio::select! {
            biased;
            () = stop.cancelled() => return true,
            started = start(source, parts) => started,
        };
        let pause = match started {
            Ok((worker, broker)) => {
                let since = Instant::now();
                match work(parts, worker, broker, &stop).await {
                    WorkEnd::Stopped { in_time } => return in_time,
                    WorkEnd::WithoutContent => continue,
                    WorkEnd::Disconnected => {}
                }
                let (lived, pause) = (since.elapsed(), backoff.pause_after_loss(since.elapsed()));
                tracing::warn!(
                    lived_ms = ms(lived),
                    pause_ms = ms(pause),
                    "the broker connection is lost; reconnecting"
                );
                pause
            }
            Err(NotStarted::Unreached(reason)) => {
                let pause = backoff.pause_when_unreachable();
                tracing::warn!(pause_ms = ms(pause), "{reason}");
                pause
            }
            // The connection was lost before consuming began, perhaps because of the first delivery: back off as for a short life.
            Err(NotStarted::Lost(reason)) => {
                let pause = backoff.pause_after_loss(Duration::ZERO);
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

/// Why no worker was started, with the message to log.
enum NotStarted {
    /// No connection could be made, or a queue is missing.
    Unreached(String),
    /// The connection was made and lost.
    Lost(String),
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

async fn start(source: &BrokerSource, parts: &SupervisedResources) -> Result<(Worker, Broker), NotStarted> {
    let broker = source.connect(&parts.worker_id).await.map_err(NotStarted::Unreached)?;
    match open(parts, &broker).await {
        Ok(worker) => Ok((worker, broker)),
        Err(error) => {
            broker.close().await;
            let reason = format!("start consuming: {error}; if a queue is missing, run `precis topology apply`");
            // Any other error means that the broker answered and refused: wait for the missing queue as for an unreachable broker.
            Err(if error == BrokerError::Closed { NotStarted::Lost(reason) } else { NotStarted::Unreached(reason) })
        }
    }
}

async fn open(parts: &SupervisedResources, broker: &Broker) -> Result<Worker, BrokerError> {
    // Not an error: a broker user without configure permission uses what an operator declared; a missing queue fails when consumed.
    if let Err(error) = broker.declare(&Topology::standard()).await {
        tracing::info!(%error, "this worker could not declare the topology");
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

/// Why a worker stopped consuming.
enum WorkEnd {
    /// It was stopped, and has drained; whether everything ended within the grace period.
    Stopped { in_time: bool },
    /// The content store is away or full. The worker has drained: others, whose store is there, get its work.
    WithoutContent,
    /// The connection is lost.
    Disconnected,
}

/// Works until the connection is lost or the worker has drained.
async fn work(parts: &SupervisedResources, worker: Worker, broker: Broker, stop: &CancellationToken) -> WorkEnd {
    parts.health.set_ready(true);
    metrics().broker.record_connection(true);
    tracing::info!(worker_id = %parts.worker_id, version = precis_runtime::VERSION, "consuming");
    let end = tokio::select! {
        biased;
        () = stop.cancelled() => WorkEnd::Stopped { in_time: true },
        () = worker.wait_for_disconnect() => WorkEnd::Disconnected,
        error = unusable(&parts.content) => {
            tracing::warn!(%error, "the content store cannot be used");
            parts.health.set_without_content(Some(error.to_string()));
            WorkEnd::WithoutContent
        }
        () = wake_collections(parts, &broker) => unreachable!("waking has no end"),
        () = measure(&broker) => unreachable!("measuring has no end"),
        () = watch_alarms(&broker, &parts.health) => unreachable!("watching has no end"),
    };
    // Before draining, which may take the whole grace period: from here on the worker takes no new work.
    parts.health.set_ready(false);
    let end = match end {
        WorkEnd::Stopped { .. } => {
            tracing::info!("draining");
            WorkEnd::Stopped { in_time: worker.drain(parts.grace).await }
        }
        WorkEnd::WithoutContent => {
            worker.drain(parts.grace).await;
            WorkEnd::WithoutContent
        }
        WorkEnd::Disconnected => {
            // Cancel its work: the broker has already redelivered it to other workers. Model calls already sent run on, so that paid answers
            // are stored.
            drop(worker);
            broker.close().await;
            WorkEnd::Disconnected
        }
    };
    set_blocked(&parts.health, false);
    metrics().broker.record_connection(false);
    end
}

/// Has collections looked at, by a worker that indexes them.
async fn wake_collections(parts: &SupervisedResources, broker: &Broker) {
    if parts.queues.serves(names::INDEXING) {
        keep_waking(broker, &parts.content).await;
    }
    std::future::pending().await
}

async fn measure(broker: &Broker) {
    let queues: Arc<[String]> = Topology::standard().queues.into_iter().map(|queue| queue.name).collect();
    loop {
        // A broker with an alarm answers nothing on this connection, and waiting for an answer would end it.
        broker.wait_until_unblocked().await;
        // RabbitMQ tells a connection of an alarm only after it has published, and an idle worker publishes nothing.
        let _ = broker.probe(DEFAULT_EXCHANGE).await;
        broker.wait_until_unblocked().await;
        for queue in queues.iter() {
            if let Ok(depth) = broker.depth(queue).await {
                metrics().broker.depth(queue, depth.ready, depth.consumers);
            }
        }
        tokio::time::sleep(MEASURE).await;
    }
}

/// Keeps readiness and metric as the broker's alarms are.
async fn watch_alarms(broker: &Broker, health: &Health) {
    loop {
        broker.wait_until_blocked().await;
        set_blocked(health, true);
        broker.wait_until_unblocked().await;
        set_blocked(health, false);
    }
}

fn set_blocked(health: &Health, is_blocked: bool) {
    health.set_blocked(is_blocked);
    metrics().broker.record_blocked(is_blocked);
}
