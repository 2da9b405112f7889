//! What handlers may use: scatter, model, content, cache, time left, warnings, progress. No broker, no store keys, no queue.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use precis_proto::account::Account;
use precis_proto::event::EventKind;
use precis_proto::job::{CallRecord, JobKind, JobOutcome};
use precis_proto::prior::Prior;
use precis_proto::source::ContentRef;
use precis_proto::state::LayerUsage;
use precis_proto::task::{Role, Task};
use precis_proto::warning::{Warning, WarningCode, push_once};
use precis_proto::{JobId, Phase, SessionId, SourceId, Timestamp};
use tokio::sync::OnceCell;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::gather::{self, Pace};
use super::handler::{Interrupt, JobError, PhaseError};
use super::worker::{Core, Services};
use crate::model::{Called, ModelError, Payer};

/// How long a model call takes before people are told, and how often they are told again.
const TOLD_OF_WAITING: Duration = Duration::from_secs(15);
/// Part of a lease that is kept for the built-in model to stand in.
const STAND_IN: u32 = 20;

/// The tokens a lease listens to. Each fires once and stays fired.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    /// Somebody cancelled the session.
    pub cancelled: CancellationToken,
    /// The worker drains, or the lease has lasted long enough.
    pub hand_over: CancellationToken,
    /// The deadline has passed or somebody asked for an early end: the session ends with what it has.
    pub stopped: CancellationToken,
}

/// What one lease, and every job under it, shares.
#[derive(Debug)]
pub struct Frame {
    pub(super) core: Arc<Core>,
    pub(super) session_id: SessionId,
    /// Who pays for the model calls made here, with what is known to be spent.
    pub(super) account: Account,
    /// What was before the session, by reference, and once it was read. Ends with the lease.
    pub(super) prior: Option<ContentRef>,
    pub(super) read_prior: OnceCell<Arc<Prior>>,
    pub(super) phase: Phase,
    pub(super) revision: u64,
    pub(super) epoch: u32,
    /// Trace context of the delivery; what is scattered from here follows from it.
    pub(super) traceparent: Option<String>,
    /// Nothing scattered from here is worked on after this.
    pub(super) deadline: Timestamp,
    /// When a phase hands over; a job has none.
    pub(super) lease_until: Option<Instant>,
    /// Nobody has worked here before, as far as one can tell: there is no answer to look for. A wrong guess costs a message.
    pub(super) is_fresh: bool,
    pub(super) signals: Signals,
    /// Answers by job, as JSON: those that came with the state, and those gathered since. Ends with the lease.
    pub(super) gathered: Mutex<HashMap<JobId, Bytes>>,
    pub(super) record: Mutex<Record>,
    /// Warnings that whoever listens has heard of in this lease.
    pub(super) told: Mutex<Vec<Warning>>,
}

/// What a lease has to tell beside its result.
#[derive(Debug, Default, Clone)]
pub struct Record {
    /// Model calls, in the order their answers were used.
    pub calls: Vec<CallRecord>,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// Tokens per prompt layer.
    pub usage: Vec<LayerUsage>,
}

impl Frame {
    pub(super) fn record(&self, add: impl FnOnce(&mut Record)) {
        add(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn taken(&self) -> Record {
        self.record.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn known(&self, id: &JobId) -> Option<Bytes> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    pub(super) fn keep(&self, id: JobId, answer: Bytes) {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner).insert(id, answer);
    }

    /// Tells whoever listens, once. A job's warnings travel with its answer and are told by the phase that gathers it, so that
    /// they are heard wherever the job ran, and also where it ran long ago.
    pub(super) fn tell(&self, warning: &Warning) {
        if self.lease_until.is_none() {
            return;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !told.contains(warning) {
            told.push(warning.clone());
            self.core.events.send(&self.session_id, EventKind::Warned { warning: warning.clone() });
        }
    }

    /// Waits until the lease must be given up. Never returns where nothing asks for it.
    pub(super) async fn interrupted(&self) -> Interrupt {
        let lease_end = async {
            match self.lease_until {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.signals.cancelled.cancelled() => Interrupt::Cancelled,
            () = self.signals.hand_over.cancelled() => Interrupt::HandOver,
            () = lease_end => Interrupt::HandOver,
        }
    }

    fn time_left(&self) -> Duration {
        let deadline = self.core.clock.until(self.deadline);
        match self.lease_until {
            Some(at) => deadline.min(at.saturating_duration_since(Instant::now())),
            None => deadline,
        }
    }

    /// Fires where an early end leaves out what is not answered yet: in the phases that gather. The later ones are what an early
    /// end needs; they finish with the built-in model.
    pub(super) async fn left_out(&self) {
        if self.phase < Phase::Compression {
            self.signals.stopped.cancelled().await;
        } else {
            std::future::pending().await
        }
    }

    /// What was before the session; read once in a lease.
    async fn prior(&self) -> Result<Arc<Prior>, String> {
        let Some(content) = &self.prior else { return Ok(Arc::default()) };
        let read = || async {
            let bytes = self.core.services.content.get(content).await.map_err(|e| e.to_string())?;
            serde_json::from_slice(&bytes).map(Arc::new).map_err(|e| precis_proto::envelope::json_fault(&e))
        };
        self.read_prior.get_or_try_init(read).await.cloned()
    }

    /// Tells whoever listens, again and again, that a call takes long.
    async fn tell_of_waiting(&self, role: Role) {
        let began = Instant::now();
        loop {
            tokio::time::sleep(TOLD_OF_WAITING).await;
            let (phase, seconds) = (self.phase, began.elapsed().as_secs());
            self.core.events.send(&self.session_id, EventKind::Waiting { phase, role, seconds });
        }
    }

    fn payer(&self) -> Payer {
        Payer { session: self.session_id.clone(), account: self.account.clone() }
    }

    /// Asks the models within `budget`; from an early end on nobody is asked any more, and the built-in model answers.
    async fn model(&self, task: &Task, budget: Duration) -> Result<Called, ModelError> {
        self.model_about(None, task, budget).await
    }

    /// The same; what a call that speaks of one source alone lost is told of that source.
    async fn model_about(
        &self,
        source: Option<&SourceId>,
        task: &Task,
        budget: Duration,
    ) -> Result<Called, ModelError> {
        // What was before is the user's own; what plans and searches may be told to a search provider.
        let prior = match task.role() {
            Role::Supervision | Role::Research => Arc::default(),
            role => self.prior().await.map_err(|e| ModelError::without_prior(role, e))?,
        };
        let payer = self.payer();
        let call = |budget| self.core.services.models.call_for(&payer, &prior, self.phase, task, budget);
        let mut called = tokio::select! {
            biased;
            () = self.signals.stopped.cancelled() => call(Duration::ZERO).await,
            called = call(budget) => called,
            () = self.tell_of_waiting(task.role()) => unreachable!("waiting has no end of its own"),
        };
        if let (Ok(called), Some(source)) = (&mut called, source) {
            let of_content = |code| matches!(code, WarningCode::ContentTruncated | WarningCode::ContentDropped);
            called.warnings.iter_mut().filter(|w| of_content(w.code)).for_each(|w| w.item_id = Some(source.clone()));
        }
        let (records, warnings): (&[_], &[_]) = match &called {
            Ok(called) => (&called.records, &called.warnings),
            // What a chain was paid for that failed as a whole is spent all the same.
            Err(error) => (&error.records, &error.warnings),
        };
        self.record(|r| {
            r.calls.extend_from_slice(records);
            r.usage.extend(called.iter().flat_map(|called| called.usage.iter().cloned()));
            for warning in warnings {
                push_once(&mut r.warnings, warning.clone());
            }
        });
        warnings.iter().for_each(|warning| self.tell(warning));
        called
    }
}

/// What a phase handler may use.
#[derive(Debug)]
pub struct PhaseContext {
    pub(super) frame: Arc<Frame>,
}

/// What a job handler of kind `K` may use.
#[derive(Debug)]
pub struct JobContext<K> {
    frame: Arc<Frame>,
    kind: PhantomData<fn() -> K>,
}

impl<K: JobKind> JobContext<K> {
    pub(super) fn new(frame: Arc<Frame>) -> Self {
        Self { frame, kind: PhantomData }
    }

    /// Scatters jobs of a lower rank and gathers their outcomes, in the order given. Each job comes with its content key.
    ///
    /// # Errors
    /// An [`Interrupt`] to pass on.
    pub async fn scatter<L: JobKind>(
        &self,
        jobs: Vec<(String, L::Body)>,
    ) -> Result<Vec<JobOutcome<L::Answer>>, Interrupt> {
        const { assert!(L::RANK < K::RANK, "a job may wait only for jobs of a lower rank") };
        gather::scatter::<L>(&self.frame, jobs, Pace::default()).await
    }

    /// What was before the session; empty where it stands on its own.
    ///
    /// # Errors
    /// Transient `content_unavailable` where it cannot be read.
    pub async fn prior(&self) -> Result<Arc<Prior>, JobError> {
        self.frame.prior().await.map_err(|e| JobError::transient("content_unavailable", e))
    }

    /// Puts a task to the models of its role; calls, tokens and warnings are recorded.
    ///
    /// # Errors
    /// [`ModelError`] where the whole chain failed.
    pub async fn model(&self, task: &Task) -> Result<Called, ModelError> {
        self.frame.model(task, self.frame.time_left()).await
    }

    /// The same for a task about `source` alone, within `longest` or the time left, whichever is shorter.
    ///
    /// # Errors
    /// [`ModelError`] where the whole chain failed.
    pub async fn model_about(&self, source: &SourceId, task: &Task, longest: Duration) -> Result<Called, ModelError> {
        self.frame.model_about(Some(source), task, longest.min(self.frame.time_left())).await
    }
}

impl PhaseContext {
    /// Scatters jobs and gathers their outcomes, in the order given. Each job comes with its content key: what makes two jobs of
    /// this session the same work. A job that was answered before is not done again.
    ///
    /// # Errors
    /// An [`Interrupt`] to pass on.
    pub async fn scatter<L: JobKind>(
        &self,
        jobs: Vec<(String, L::Body)>,
    ) -> Result<Vec<JobOutcome<L::Answer>>, Interrupt> {
        self.scatter_at::<L>(Pace::default(), jobs).await
    }

    /// As [`Self::scatter`], at a pace of its own.
    ///
    /// # Errors
    /// An [`Interrupt`] to pass on.
    pub async fn scatter_at<L: JobKind>(
        &self,
        pace: Pace,
        jobs: Vec<(String, L::Body)>,
    ) -> Result<Vec<JobOutcome<L::Answer>>, Interrupt> {
        gather::scatter::<L>(&self.frame, jobs, pace).await
    }

    /// Puts a task to the models of its role; calls, tokens and warnings are recorded.
    ///
    /// A call that the end of the lease would cut short goes on after a hand over, where its answer may lie ready. Only one that
    /// has outlasted half a lease yields to the built-in model: it would outlast the next lease too.
    ///
    /// # Errors
    /// An [`Interrupt`] to pass on; transient `model_failed` where the whole chain failed.
    pub async fn model(&self, task: &Task) -> Result<Called, PhaseError> {
        let (frame, lease, left) = (&self.frame, self.frame.core.settings.lease, self.frame.time_left());
        let budget = if left < lease / 2 { left } else { left.saturating_sub(lease / STAND_IN) };
        tokio::select! {
            biased;
            interrupt = frame.interrupted() => Err(interrupt.into()),
            called = frame.model(task, budget) => called.map_err(|e| PhaseError::transient("model_failed", e.to_string())),
        }
    }

    /// What was before the session; empty where it stands on its own.
    ///
    /// # Errors
    /// Transient `content_unavailable` where it cannot be read.
    pub async fn prior(&self) -> Result<Arc<Prior>, PhaseError> {
        self.frame.prior().await.map_err(|e| PhaseError::transient("content_unavailable", e))
    }

    /// Whether the session should end with what it has.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.frame.signals.stopped.is_cancelled()
    }

    /// What this lease has recorded so far.
    #[must_use]
    pub fn recorded(&self) -> Record {
        self.frame.taken()
    }
}

macro_rules! shared {
    ($($head:tt)*) => {
        $($head)* {
            /// The session this works for.
            #[must_use]
            pub fn session_id(&self) -> &SessionId {
                &self.frame.session_id
            }

            /// The phase this works in.
            #[must_use]
            pub fn phase(&self) -> Phase {
                self.frame.phase
            }

            /// Who pays for what is asked of others here.
            #[must_use]
            pub fn payer(&self) -> Payer {
                self.frame.payer()
            }

            /// Content store, archive, models, fetch.
            #[must_use]
            pub fn services(&self) -> &Services {
                &self.frame.core.services
            }

            /// The store as a cache: families `digest:`, `summary:`, `extract:`, `tokens:`.
            #[must_use]
            pub fn cache(&self) -> &crate::store::Store {
                &self.frame.core.store
            }

            /// The time now, by the worker's clock.
            #[must_use]
            pub fn now(&self) -> Timestamp {
                self.frame.core.clock.now()
            }

            /// How long there is until the deadline or the end of the lease.
            #[must_use]
            pub fn time_left(&self) -> Duration {
                self.frame.time_left()
            }

            /// Records a warning of the session and tells whoever listens.
            pub fn warn(&self, warning: Warning) {
                self.frame.tell(&warning);
                self.frame.record(|r| push_once(&mut r.warnings, warning));
            }
        }
    };
}

shared!(impl PhaseContext);
shared!(impl<K: JobKind> JobContext<K>);
