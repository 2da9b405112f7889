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
use super::embedder::Embedder;
use super::error::{Interrupt, JobError, PhaseError};
use super::gather::{self, Pace};
use super::lease_context::{LeaseContext, LeaseRecord};
use crate::cache::Cache;
use crate::content::ContentError;
use crate::model::{BillingContext, ModelAnswer, ModelError};
use crate::store::SharedBreakers;

/// Divisor of the lease: this share of it is kept for a fallback to the built-in model.
const STAND_IN: u32 = 20;

/// The context of a phase handler.
#[derive(Debug)]
pub struct PhaseContext {
    pub(super) context: Arc<LeaseContext>,
}

/// The context of a handler of job kind `K`.
#[derive(Debug)]
pub struct JobContext<K> {
    context: Arc<LeaseContext>,
    kind: PhantomData<fn() -> K>,
}

impl<K: JobKind> JobContext<K> {
    pub(super) fn new(context: Arc<LeaseContext>) -> Self {
        Self { context, kind: PhantomData }
    }

    /// Scatters jobs of a lower rank and returns their outcomes in the order given. Each job comes with its content key.
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

    /// Returns `outcome`, unless this job met an outage of the content store: what came of it then says nothing of the work.
    ///
    /// # Errors
    /// Those of `outcome`; [`Interrupt::WithoutContent`].
    pub fn unless_without_content<T>(&self, outcome: Result<T, JobError>) -> Result<T, JobError> {
        match self.context.services.content.outage() {
            Some(_) => Err(Interrupt::WithoutContent.into()),
            None => outcome,
        }
    }

    /// Sends a progress event. Events may be lost, and come again if the job runs again; nothing may depend on them.
    pub fn announce(&self, what: EventKind) {
        self.context.core.events.send(&self.context.session_id, what);
    }

    /// The earlier context of the session; empty if it has none.
    ///
    /// # Errors
    /// Transient `content_unavailable` if it cannot be read.
    pub async fn prior(&self) -> Result<Arc<Prior>, JobError> {
        self.context.prior().await.map_err(|e| JobError::transient("content_unavailable", e))
    }

    /// Calls the models of the task's role; records calls, tokens and warnings. The task is labelled private.
    ///
    /// # Errors
    /// [`ModelError`] if the whole chain failed.
    pub async fn model(&self, task: &Task) -> Result<ModelAnswer, ModelError> {
        self.context.model(task, self.context.time_left()).await
    }

    /// As [`Self::model`], with `label` stating how much of the task may be disclosed to outside services.
    ///
    /// # Errors
    /// [`ModelError`] if the whole chain failed.
    pub async fn model_labelled(&self, label: Label, task: &Task) -> Result<ModelAnswer, ModelError> {
        self.context.model_labelled(label, None, task, self.context.time_left()).await
    }

    /// As [`Self::model`], within `longest` or the time left, whichever is shorter.
    ///
    /// # Errors
    /// [`ModelError`] if the whole chain failed.
    pub async fn model_within(&self, task: &Task, longest: Duration) -> Result<ModelAnswer, ModelError> {
        self.context.model(task, longest.min(self.context.time_left())).await
    }

    /// As [`Self::model_within`], for a task about `source` alone: warnings about lost content name that source.
    ///
    /// # Errors
    /// [`ModelError`] if the whole chain failed.
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
    /// Scatters jobs and returns their outcomes in the order given. Each job comes with its content key, which identifies the work
    /// within this session: a job that was answered before is not run again.
    ///
    /// # Errors
    /// An [`Interrupt`] to pass on.
    pub async fn scatter<L: JobKind>(
        &self,
        jobs: Vec<(String, L::Body)>,
    ) -> Result<Vec<JobOutcome<L::Answer>>, Interrupt> {
        self.scatter_at::<L>(Pace::default(), jobs).await
    }

    /// As [`Self::scatter`], at the given pace.
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

    /// Sends a progress event. Events may be lost; nothing may depend on them.
    pub fn announce(&self, what: EventKind) {
        self.context.core.events.send(&self.context.session_id, what);
    }

    /// Calls the models of the task's role; records calls, tokens and warnings. The task is labelled private.
    ///
    /// A call that the end of the lease cuts short is repeated after the hand over, where its answer may already be in the memo. A call
    /// that started in the second half of the lease gets all the time left; one that started earlier and outlasts the lease falls back
    /// to the built-in model, because it would outlast the next lease too.
    ///
    /// # Errors
    /// An [`Interrupt`] to pass on; transient `model_failed` if the whole chain failed.
    pub async fn model(&self, task: &Task) -> Result<ModelAnswer, PhaseError> {
        self.model_labelled(Label::Private, task).await
    }

    /// As [`Self::model`], with `label` stating how much of the task may be disclosed to outside services.
    ///
    /// # Errors
    /// As [`Self::model`].
    pub async fn model_labelled(&self, label: Label, task: &Task) -> Result<ModelAnswer, PhaseError> {
        let (context, lease, left) = (&self.context, self.context.core.settings.lease, self.context.time_left());
        let budget = if left < lease / 2 { left } else { left.saturating_sub(lease / STAND_IN) };
        // Biased: a hand over is not delayed by an answer. Dropping the call is safe: a paid request runs on, and its answer goes to
        // the memo.
        tokio::select! {
            biased;
            interrupt = context.wait_for_interrupt() => Err(interrupt.into()),
            called = context.model_labelled(label, None, task, budget) => called.map_err(|e| PhaseError::transient("model_failed", e.to_string())),
        }
    }

    /// The earlier context of the session; empty if it has none.
    ///
    /// # Errors
    /// Transient `content_unavailable` if it cannot be read.
    pub async fn prior(&self) -> Result<Arc<Prior>, PhaseError> {
        self.context.prior().await.map_err(|e| PhaseError::transient("content_unavailable", e))
    }

    /// Ends this lease because of `fault`, which it met at a place inside the content store: the session waits until the store can be used.
    #[must_use]
    pub fn without_content(&self, fault: ContentError) -> PhaseError {
        self.context.services.content.meet(fault);
        Interrupt::WithoutContent.into()
    }

    /// Whether the session should end early with the results it has.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.context.signals.stopped.is_cancelled()
    }

    /// A copy of what this lease has recorded so far.
    #[must_use]
    pub fn lease_record(&self) -> LeaseRecord {
        self.context.lease_record()
    }
}

macro_rules! shared {
    ($($head:tt)*) => {
        $($head)* {
            /// The session of this work.
            #[must_use]
            pub fn session_id(&self) -> &SessionId {
                &self.context.session_id
            }

            /// The phase of this work.
            #[must_use]
            pub fn phase(&self) -> Phase {
                self.context.phase
            }

            /// The session and account that paid calls made here are charged to.
            #[must_use]
            pub fn billing(&self) -> BillingContext {
                self.context.billing()
            }

            /// Asks a server for vectors on behalf of this work.
            #[must_use]
            pub fn embedder(&self) -> Embedder {
                Embedder::new(&self.context)
            }

            /// The content store and the models.
            #[must_use]
            pub fn services(&self) -> &Services {
                &self.context.services
            }

            /// The shared cache.
            #[must_use]
            pub fn cache(&self) -> Cache<'_> {
                Cache::of_lease(&self.context.core.store, &self.context.services.content)
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

            /// The time until the deadline or the end of the lease, whichever is earlier.
            #[must_use]
            pub fn time_left(&self) -> Duration {
                self.context.time_left()
            }

            /// Records a warning of the session and sends it as a progress event.
            pub fn warn(&self, warning: Warning) {
                self.context.announce_warning(&warning);
                self.context.record(|r| push_once(&mut r.warnings, warning));
            }
        }
    };
}

shared!(impl PhaseContext);
shared!(impl<K: JobKind> JobContext<K>);
