//! A worker: consumers, their tasks, and the way it stops.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use precis_proto::Phase;
use precis_proto::account::Account;
use precis_proto::state::STATE_SCHEMA_VERSION;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::control::{self, Controls};
use super::events::{self, Events};
use super::identity::TenantRules;
use super::pages::Paging;
use super::registry::Registry;
use super::replies::ReplyRouter;
use super::settle::Policy;
use super::{intake, job, session, suspects, undertaker};
use crate::broker::{Broker, BrokerError, Consumer, Delivery, ReplyAddresses, names};
use crate::clock::Clock;
use crate::content::ContentStore;
use crate::failpoints::Failpoints;
use crate::model::Models;
use crate::store::Store;

/// What handlers reach through their context.
#[derive(Debug)]
pub struct Services {
    /// Texts and results.
    pub content: ContentStore,
    /// Language models and the built-in one.
    pub models: Models,
}

/// How the runner behaves.
#[derive(Debug, Clone)]
pub struct RunnerSettings {
    /// How long a phase holds a delivery before it hands over: a third of the broker's consumer timeout.
    pub lease: Duration,
    /// How long a job is waited for before it is scattered again.
    pub job_timeout: Duration,
    /// Jobs a session has under way at once.
    pub window: usize,
    /// Failed tries.
    pub policy: Policy,
    /// Version of the states this worker writes.
    pub emit_version: u32,
    /// From which size on a state travels as pages.
    pub paging: Paging,
    /// Sessions held at once, per phase.
    pub session_prefetch: u16,
    /// Jobs held at once, per kind.
    pub job_prefetch: u16,
    /// The account of a session whose request asks for nothing less; its tenant is not looked at.
    pub account: Account,
    /// Where callers may want their answers.
    pub reply_addresses: ReplyAddresses,
    /// Whose tenants are whose.
    pub tenants: TenantRules,
    /// Users of the broker that may end any session, and publish requests of others again.
    pub operator_users: Vec<String>,
}

impl Default for RunnerSettings {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(600),
            job_timeout: Duration::from_secs(300),
            window: 8,
            policy: Policy::default(),
            emit_version: STATE_SCHEMA_VERSION,
            paging: Paging::default(),
            session_prefetch: 64,
            job_prefetch: 16,
            account: Account::default(),
            reply_addresses: ReplyAddresses::default(),
            tenants: TenantRules::default(),
            operator_users: Vec::new(),
        }
    }
}

/// Which queues a worker serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Queues {
    /// All it has handlers for.
    All,
    /// These, by queue name.
    Only(Vec<String>),
}

impl Queues {
    fn serves(&self, queue: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.iter().any(|name| name == queue),
        }
    }
}

/// What all tasks of a worker share.
#[derive(Debug)]
pub struct Core {
    pub(super) worker_id: String,
    pub(super) broker: Broker,
    pub(super) store: Store,
    pub(super) services: Services,
    pub(super) registry: Registry,
    pub(super) settings: RunnerSettings,
    pub(super) clock: Clock,
    pub(super) failpoints: Failpoints,
    pub(super) replies: ReplyRouter,
    pub(super) events: Events,
    pub(super) controls: Controls,
    /// Room for requests that are being read, in KiB.
    pub(super) reading: Semaphore,
    /// Held by the one suspect job that is worked on, whatever its kind.
    pub(super) suspect: Arc<Semaphore>,
    /// Memory for sessions that were read from pages, in KiB.
    pub(super) carrying: Semaphore,
    /// Fires when the worker drains: sessions hand over.
    pub(super) draining: CancellationToken,
    /// Fires when the grace period is over: whatever still runs is cut off.
    pub(super) aborting: CancellationToken,
}

/// What a worker is made of.
#[derive(Debug)]
pub struct WorkerParts {
    /// Unique in the fleet.
    pub worker_id: String,
    /// Its connection.
    pub broker: Broker,
    /// The shared store.
    pub store: Store,
    /// What handlers reach.
    pub services: Services,
    /// Its handlers.
    pub registry: Registry,
    /// How the runner behaves.
    pub settings: RunnerSettings,
    /// Which queues it serves.
    pub queues: Queues,
    /// Its clock.
    pub clock: Clock,
    /// Where a test may interfere.
    pub failpoints: Failpoints,
}

/// A running worker. Dropping it is like its death: every task ends where it is.
#[derive(Debug)]
pub struct Worker {
    core: Arc<Core>,
    /// One task per consumer; each owns the tasks of its deliveries. Ends with the connection, a drain or the drop.
    consumers: JoinSet<()>,
    /// Reply router, events, control. Ends with the connection or the drop.
    helpers: JoinSet<()>,
    /// Tells the consumers to take no more.
    stop: CancellationToken,
    /// Fires when a consumer ended that was not told to.
    disconnected: CancellationToken,
}

impl Worker {
    /// Opens the worker's channels and starts consuming.
    ///
    /// # Errors
    /// [`BrokerError`] where a queue is missing or the connection fails.
    pub async fn start(parts: WorkerParts) -> Result<Self, BrokerError> {
        let (events, outgoing) = Events::new(parts.clock);
        let controls = parts.broker.subscribe(names::CONTROL, "").await?;
        let replies = ReplyRouter::new(parts.broker.replies().await?);
        let core = Arc::new(Core {
            worker_id: parts.worker_id,
            broker: parts.broker,
            store: parts.store,
            services: parts.services,
            registry: parts.registry,
            settings: parts.settings,
            clock: parts.clock,
            failpoints: parts.failpoints,
            replies,
            events,
            controls: Controls::default(),
            reading: Semaphore::new(intake::READING_KIB as usize),
            suspect: Arc::new(Semaphore::new(1)),
            carrying: Semaphore::new(session::whole::CARRYING_KIB as usize),
            draining: CancellationToken::new(),
            aborting: CancellationToken::new(),
        });
        let mut helpers = JoinSet::new();
        helpers.spawn(events::publish(core.broker.clone(), outgoing));
        helpers.spawn(control::listen(Arc::clone(&core), controls));
        let routing = Arc::clone(&core);
        helpers.spawn(async move { routing.replies.route().await });
        let mut worker = Self {
            core,
            consumers: JoinSet::new(),
            helpers,
            stop: CancellationToken::new(),
            disconnected: CancellationToken::new(),
        };
        worker.consume(&parts.queues).await?;
        Ok(worker)
    }

    async fn consume(&mut self, queues: &Queues) -> Result<(), BrokerError> {
        let core = Arc::clone(&self.core);
        let (sessions, jobs) = (core.settings.session_prefetch, core.settings.job_prefetch);
        for phase in core.registry.phases() {
            self.serve(queues, &names::session_queue(phase), sessions, session::hold).await?;
        }
        for kind in core.registry.kinds() {
            self.serve(queues, &names::job_queue(kind), jobs, job::hold).await?;
        }
        self.serve(queues, names::SESSIONS_ALONE, suspects::HELD_ALONE, session::hold).await?;
        for kind in core.registry.kinds() {
            self.serve(queues, &names::jobs_alone(kind), suspects::HELD_ALONE, job::hold).await?;
        }
        if core.registry.phases().any(|phase| phase == Phase::first(false)) {
            self.serve(queues, names::REQUESTS, intake::HELD.min(sessions), intake::hold).await?;
            self.serve(queues, names::REQUESTS_ALONE, suspects::HELD_ALONE, intake::hold).await?;
        }
        self.serve(queues, names::UNDERTAKER, undertaker::HELD.min(sessions), undertaker::hold).await
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

    /// Waits until the connection is gone. Its deliveries are with others by then: dropping the worker ends what it does.
    pub async fn disconnected(&self) {
        self.disconnected.cancelled().await;
    }

    /// Waits until the connection is gone and every task with it.
    pub async fn ended(&mut self) {
        while self.consumers.join_next().await.is_some() {}
    }

    /// Drains: takes no more, lets jobs finish within `grace`, hands sessions over, closes the connection.
    ///
    /// Returns whether everything ended within the grace period; what did not goes back to its queue.
    pub async fn drain(mut self, grace: Duration) -> bool {
        self.stop.cancel();
        self.core.draining.cancel();
        let in_time = tokio::time::timeout(grace, self.ended()).await.is_ok();
        if !in_time {
            self.core.aborting.cancel();
            let _ = tokio::time::timeout(Duration::from_secs(5), self.ended()).await;
        }
        self.core.services.models.drain(Duration::from_secs(5)).await;
        self.core.broker.close().await;
        self.helpers.shutdown().await;
        in_time
    }
}

/// Feeds deliveries to their handler, one task each, until told to stop or cut off; then waits for the tasks.
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
