//! A worker: its consumers, their tasks, and its shutdown.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use precis_proto::Phase;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::control;
use super::controls::Controls;
use super::core::{Core, Services};
use super::events::{self, Events};
use super::registry::Registry;
use super::replies::ReplyRouter;
use super::settings::RunnerSettings;
use super::{dead_letters, indexing, intake, job, quarantine, session, shared_time, webhook};
use crate::broker::{Broker, BrokerError, Consumer, Delivery, names};
use crate::clock::Clock;
use crate::content::Tallies;
use crate::failpoints::Failpoints;
use crate::store::Store;

/// The queues a worker serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Queues {
    /// All queues it has handlers for.
    All,
    /// These queues, by name.
    Only(Vec<String>),
}

impl Queues {
    /// Whether `queue` is one of them.
    #[must_use]
    pub fn serves(&self, queue: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.iter().any(|name| name == queue),
        }
    }
}

/// The parts a worker is built from.
#[derive(Debug)]
pub struct WorkerParts {
    /// Id of the worker, unique in the fleet.
    pub worker_id: String,
    /// The worker's connection.
    pub broker: Broker,
    /// The shared store.
    pub store: Store,
    /// The services handlers use.
    pub services: Services,
    /// The worker's handlers.
    pub registry: Registry,
    /// The runner's settings.
    pub settings: RunnerSettings,
    /// The queues to serve.
    pub queues: Queues,
    /// The worker's clock; it follows that of the store.
    pub clock: Clock,
    /// The points at which tests may interfere.
    pub failpoints: Failpoints,
}

/// A running worker. Dropping it acts like a crash: every task ends where it is.
#[derive(Debug)]
pub struct Worker {
    core: Arc<Core>,
    registry: Arc<Registry>,
    /// One task per consumer; each owns the tasks of its deliveries. Ends with the connection, a drain or the drop.
    consumers: JoinSet<()>,
    /// Reply router, events, control. Ends with the connection or the drop.
    helpers: JoinSet<()>,
    /// Makes the consumers stop taking deliveries.
    stop: CancellationToken,
    /// Fires when a consumer ends without having been stopped.
    disconnected: CancellationToken,
}

impl Worker {
    /// Opens the worker's channels and starts consuming.
    ///
    /// # Errors
    /// [`BrokerError`] if a queue is missing or the connection fails.
    pub async fn start(parts: WorkerParts) -> Result<Self, BrokerError> {
        // Before the first delivery: its deadline is compared with this clock.
        shared_time::ask(&parts.store, &parts.clock, &parts.worker_id).await;
        let (events, outgoing) = Events::new(parts.clock.clone());
        // Controls and replies before the first delivery: neither may arrive before this worker can receive it.
        let controls = parts.broker.subscribe(names::CONTROL, "").await?;
        let replies = ReplyRouter::new(parts.broker.replies().await?);
        let core = Arc::new(Core {
            worker_id: parts.worker_id,
            broker: parts.broker,
            store: parts.store,
            services: parts.services,
            settings: parts.settings,
            clock: parts.clock,
            failpoints: parts.failpoints,
            replies,
            events,
            controls: Controls::default(),
            tallies: Tallies::new(),
            reading: Semaphore::new(intake::READING_KIB as usize),
            suspect: Arc::new(Semaphore::new(1)),
            carrying: Semaphore::new(session::CARRYING_KIB as usize),
            draining: CancellationToken::new(),
            aborting: CancellationToken::new(),
        });
        let mut helpers = JoinSet::new();
        helpers.spawn(events::publish(core.broker.clone(), core.store.clone(), outgoing));
        helpers.spawn(control::listen(Arc::clone(&core), controls));
        let following = Arc::clone(&core);
        helpers.spawn(async move { shared_time::follow(&following).await });
        let routing = Arc::clone(&core);
        helpers.spawn(async move { routing.replies.route().await });
        let mut worker = Self {
            core,
            registry: Arc::new(parts.registry),
            consumers: JoinSet::new(),
            helpers,
            stop: CancellationToken::new(),
            disconnected: CancellationToken::new(),
        };
        worker.consume(&parts.queues).await?;
        Ok(worker)
    }

    async fn consume(&mut self, queues: &Queues) -> Result<(), BrokerError> {
        let registry = Arc::clone(&self.registry);
        let (sessions, jobs) = (self.core.settings.session_prefetch, self.core.settings.job_prefetch);
        let handlers = Arc::clone(&registry);
        let hold_session = move |core, delivery| session::hold(core, Arc::clone(&handlers), delivery);
        let handlers = Arc::clone(&registry);
        let hold_job = move |core, delivery| job::hold(core, Arc::clone(&handlers), delivery);
        for phase in registry.phases() {
            self.serve(queues, &names::session_queue(phase), sessions, hold_session.clone()).await?;
        }
        for kind in registry.kinds() {
            self.serve(queues, &names::job_queue(kind), jobs, hold_job.clone()).await?;
        }
        self.serve(queues, names::SESSIONS_ALONE, quarantine::HELD_ALONE, hold_session).await?;
        for kind in registry.kinds() {
            self.serve(queues, &names::jobs_alone(kind), quarantine::HELD_ALONE, hold_job.clone()).await?;
        }
        if registry.phases().any(|phase| phase == Phase::first(false)) {
            self.serve(queues, names::REQUESTS, intake::HELD.min(sessions), intake::hold).await?;
            self.serve(queues, names::REQUESTS_ALONE, quarantine::HELD_ALONE, intake::hold).await?;
        }
        if let Some(indexer) = registry.collection_indexer() {
            let hold = move |core, delivery| indexing::hold(core, Arc::clone(&indexer), delivery);
            self.serve(queues, names::INDEXING, indexing::HELD, hold).await?;
        }
        if self.core.settings.webhooks.is_some() {
            self.serve(queues, names::WEBHOOKS, webhook::HELD, webhook::hold).await?;
        }
        self.serve(queues, names::UNDERTAKER, dead_letters::HELD.min(sessions), dead_letters::hold).await
    }

    async fn serve<F, H>(&mut self, queues: &Queues, queue: &str, prefetch: u16, handle: H) -> Result<(), BrokerError>
    where
        H: Fn(Arc<Core>, Delivery) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        if queues.serves(queue) {
            let consumer = self.core.broker.consume(queue, prefetch).await?;
            let (stop, disconnected) = (self.stop.clone(), self.disconnected.clone());
            self.consumers.spawn(deliver(Arc::clone(&self.core), consumer, stop, disconnected, handle));
        }
        Ok(())
    }

    /// Waits until the connection is lost. By then the broker has requeued its deliveries: dropping the worker ends work that others
    /// redo.
    pub async fn wait_for_disconnect(&self) {
        self.disconnected.cancelled().await;
    }

    /// Waits until the connection is lost and every task has ended.
    pub async fn wait_for_end(&mut self) {
        while self.consumers.join_next().await.is_some() {}
    }

    /// Drains: takes no more deliveries, lets jobs finish within `grace`, hands sessions over, closes the connection. Paid requests may
    /// still be in flight: the owner of the models and search providers waits for them.
    ///
    /// Returns whether everything ended within `grace`; deliveries that did not finish go back to their queues.
    pub async fn drain(mut self, grace: Duration) -> bool {
        // Stopped before sessions hand over: a session that was handed over must not be delivered here again.
        self.stop.cancel();
        self.core.draining.cancel();
        let in_time = tokio::time::timeout(grace, self.wait_for_end()).await.is_ok();
        if !in_time {
            self.core.aborting.cancel();
            // Sessions hand over now. Jobs do not notice: they are dropped with the consumers at the end, and the broker redelivers them.
            let _ = tokio::time::timeout(Duration::from_secs(5), self.wait_for_end()).await;
        }
        // The helpers end last: sessions publish events and receive replies until they have handed over.
        self.core.broker.close().await;
        self.helpers.shutdown().await;
        in_time
    }
}

/// Starts a handler task per delivery until stopped or disconnected; then waits for the tasks.
async fn deliver<F, H>(
    core: Arc<Core>,
    mut consumer: Consumer,
    stop: CancellationToken,
    disconnected: CancellationToken,
    handle: H,
) where
    H: Fn(Arc<Core>, Delivery) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    loop {
        tokio::select! {
            // Stopped first: deliveries that are ready must not keep a draining worker taking more.
            biased;
            () = stop.cancelled() => break,
            Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
            delivery = consumer.next() => match delivery {
                Some(delivery) => { tasks.spawn(handle(Arc::clone(&core), delivery)); }
                None => {
                    disconnected.cancel();
                    break;
                }
            },
        }
    }
    while tasks.join_next().await.is_some() {}
}
