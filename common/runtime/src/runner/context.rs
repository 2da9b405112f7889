//! What handlers may use: scatter, model, content, cache, time left, warnings, progress. No broker, no store keys, no queue.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use precis_proto::event::EventKind;
use precis_proto::job::{CallRecord, JobKind, JobOutcome};
use precis_proto::state::LayerUsage;
use precis_proto::task::Task;
use precis_proto::warning::{Warning, push_once};
use precis_proto::{JobId, Phase, SessionId, Timestamp};
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::gather;
use super::handler::Interrupt;
use super::worker::{Core, Services};
use crate::model::{Called, ModelError};

/// The tokens a lease listens to. Each fires once and stays fired.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    /// Somebody cancelled the session.
    pub cancelled: CancellationToken,
    /// The worker drains, or the lease has lasted long enough.
    pub hand_over: CancellationToken,
    /// The deadline has passed or somebody asked for an early end: what is not answered yet will not be waited for.
    pub stopped: CancellationToken,
}

/// What one lease, and every job under it, shares.
#[derive(Debug)]
pub struct Frame {
    pub(super) core: Arc<Core>,
    pub(super) session_id: SessionId,
    pub(super) phase: Phase,
    pub(super) revision: u64,
    pub(super) epoch: u32,
    /// Nothing scattered from here is worked on after this.
    pub(super) deadline: Timestamp,
    /// When a phase hands over; a job has none.
    pub(super) lease_until: Option<Instant>,
    pub(super) signals: Signals,
    /// Answers by job: those that came with the state, and those gathered since. Ends with the lease.
    pub(super) gathered: Mutex<BTreeMap<JobId, Value>>,
    pub(super) record: Mutex<Record>,
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

    pub(super) fn known(&self, id: &JobId) -> Option<Value> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    pub(super) fn keep(&self, id: JobId, answer: Value) {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner).insert(id, answer);
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

    async fn model(&self, task: &Task) -> Result<Called, ModelError> {
        let called = self.core.services.models.call(&self.session_id, self.phase, task, self.time_left()).await?;
        self.record(|r| {
            r.calls.extend(called.records.iter().cloned());
            r.usage.extend(called.usage.iter().cloned());
            for warning in &called.warnings {
                push_once(&mut r.warnings, warning.clone());
            }
        });
        Ok(called)
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
        gather::scatter::<L>(&self.frame, jobs).await
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
        gather::scatter::<L>(&self.frame, jobs).await
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

            /// Puts a task to the models of its role; calls, tokens and warnings are recorded.
            ///
            /// # Errors
            /// [`ModelError`] where the whole chain failed.
            pub async fn model(&self, task: &Task) -> Result<Called, ModelError> {
                self.frame.model(task).await
            }

            /// Records a warning of the session and tells whoever listens.
            pub fn warn(&self, warning: Warning) {
                self.frame.core.events.send(&self.frame.session_id, EventKind::Warned { warning: warning.clone() });
                self.frame.record(|r| push_once(&mut r.warnings, warning));
            }
        }
    };
}

shared!(impl PhaseContext);
shared!(impl<K: JobKind> JobContext<K>);
