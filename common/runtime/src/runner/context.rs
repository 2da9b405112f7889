//! What handlers may use: scatter, model, content, cache, time left, warnings, progress. No broker, no store keys, no queue.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use precis_proto::event::EventKind;
use precis_proto::job::{JobKind, JobOutcome};
use precis_proto::label::Label;
use precis_proto::prior::Prior;
use precis_proto::task::Task;
use precis_proto::warning::{Warning, push_once};
use precis_proto::{Phase, SessionId, SourceId, Timestamp};

use super::core::Services;
use super::error::{Interrupt, JobError, PhaseError};
use super::gather::{self, Pace};
use super::lease_context::{LeaseContext, LeaseRecord};
use crate::cache::Cache;
use crate::model::{BillingContext, ModelAnswer, ModelError};
use crate::store::SharedBreakers;

/// Part of a lease that is kept for the built-in model to stand in.
const STAND_IN: u32 = 20;

/// What a phase handler may use.
#[derive(Debug)]
pub struct PhaseContext {
    pub(super) context: Arc<LeaseContext>,
}

/// What a job handler of kind `K` may use.
#[derive(Debug)]
pub struct JobContext<K> {
    context: Arc<LeaseContext>,
    kind: PhantomData<fn() -> K>,
}

impl<K: JobKind> JobContext<K> {
    pub(super) fn new(context: Arc<LeaseContext>) -> Self {
        Self { context, kind: PhantomData }
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
        gather::scatter::<L>(&self.context, jobs, Pace::default()).await
    }

    /// What was before the session; empty where it stands on its own.
    ///
    /// # Errors
    /// Transient `content_unavailable` where it cannot be read.
    pub async fn prior(&self) -> Result<Arc<Prior>, JobError> {
        self.context.prior().await.map_err(|e| JobError::transient("content_unavailable", e))
    }

    /// Puts a task to the models of its role; calls, tokens and warnings are recorded.
    ///
    /// # Errors
    /// [`ModelError`] where the whole chain failed.
    pub async fn model(&self, task: &Task) -> Result<ModelAnswer, ModelError> {
        self.context.model(task, self.context.time_left()).await
    }

    /// The same for a task of which strangers may be told as much as `label` says; that of [`Self::model`] is private.
    ///
    /// # Errors
    /// [`ModelError`] where the whole chain failed.
    pub async fn model_labelled(&self, label: Label, task: &Task) -> Result<ModelAnswer, ModelError> {
        self.context.model_labelled(label, None, task, self.context.time_left()).await
    }

    /// The same, within `longest` or the time left, whichever is shorter.
    ///
    /// # Errors
    /// [`ModelError`] where the whole chain failed.
    pub async fn model_within(&self, task: &Task, longest: Duration) -> Result<ModelAnswer, ModelError> {
        self.context.model(task, longest.min(self.context.time_left())).await
    }

    /// The same for a task about `source` alone, within `longest` or the time left, whichever is shorter.
    ///
    /// # Errors
    /// [`ModelError`] where the whole chain failed.
    pub async fn model_about(
        &self,
        source: &SourceId,
        task: &Task,
        longest: Duration,
    ) -> Result<ModelAnswer, ModelError> {
        self.context.model_about(Some(source), task, longest.min(self.context.time_left())).await
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
        gather::scatter::<L>(&self.context, jobs, pace).await
    }

    /// Tells whoever listens what happened; nothing depends on anybody hearing it.
    pub fn announce(&self, what: EventKind) {
        self.context.core.events.send(&self.context.session_id, what);
    }

    /// Puts a task to the models of its role; calls, tokens and warnings are recorded.
    ///
    /// A call that the end of the lease would cut short goes on after a hand over, where its answer may lie ready. Only one that
    /// has outlasted half a lease yields to the built-in model: it would outlast the next lease too.
    ///
    /// # Errors
    /// An [`Interrupt`] to pass on; transient `model_failed` where the whole chain failed.
    pub async fn model(&self, task: &Task) -> Result<ModelAnswer, PhaseError> {
        self.model_labelled(Label::Private, task).await
    }

    /// The same for a task of which strangers may be told as much as `label` says; that of [`Self::model`] is private.
    ///
    /// # Errors
    /// As [`Self::model`].
    pub async fn model_labelled(&self, label: Label, task: &Task) -> Result<ModelAnswer, PhaseError> {
        let (context, lease, left) = (&self.context, self.context.core.settings.lease, self.context.time_left());
        let budget = if left < lease / 2 { left } else { left.saturating_sub(lease / STAND_IN) };
        tokio::select! {
            biased;
            interrupt = context.interrupted() => Err(interrupt.into()),
            called = context.model_labelled(label, None, task, budget) => called.map_err(|e| PhaseError::transient("model_failed", e.to_string())),
        }
    }

    /// What was before the session; empty where it stands on its own.
    ///
    /// # Errors
    /// Transient `content_unavailable` where it cannot be read.
    pub async fn prior(&self) -> Result<Arc<Prior>, PhaseError> {
        self.context.prior().await.map_err(|e| PhaseError::transient("content_unavailable", e))
    }

    /// Whether the session should end with what it has.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.context.signals.stopped.is_cancelled()
    }

    /// What this lease has recorded so far.
    #[must_use]
    pub fn recorded(&self) -> LeaseRecord {
        self.context.taken()
    }
}

macro_rules! shared {
    ($($head:tt)*) => {
        $($head)* {
            /// The session this works for.
            #[must_use]
            pub fn session_id(&self) -> &SessionId {
                &self.context.session_id
            }

            /// The phase this works in.
            #[must_use]
            pub fn phase(&self) -> Phase {
                self.context.phase
            }

            /// Who pays for what is asked of others here.
            #[must_use]
            pub fn billing(&self) -> BillingContext {
                self.context.billing()
            }

            /// Content store, archive, models, fetch.
            #[must_use]
            pub fn services(&self) -> &Services {
                &self.context.core.services
            }

            /// What may be kept and found again.
            #[must_use]
            pub fn cache(&self) -> Cache<'_> {
                Cache::from(&self.context.core.store)
            }

            /// The breakers of the fleet.
            #[must_use]
            pub fn breakers(&self) -> SharedBreakers<'_> {
                SharedBreakers::from(&self.context.core.store)
            }

            /// The time now, by the worker's clock.
            #[must_use]
            pub fn now(&self) -> Timestamp {
                self.context.core.clock.now()
            }

            /// How long there is until the deadline or the end of the lease.
            #[must_use]
            pub fn time_left(&self) -> Duration {
                self.context.time_left()
            }

            /// Records a warning of the session and tells whoever listens.
            pub fn warn(&self, warning: Warning) {
                self.context.tell(&warning);
                self.context.record(|r| push_once(&mut r.warnings, warning));
            }
        }
    };
}

shared!(impl PhaseContext);
shared!(impl<K: JobKind> JobContext<K>);
