//! What one lease, and every job under it, shares: whose it is, how long it has, what it has gathered and has to tell.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use precis_proto::account::Account;
use precis_proto::call::{CallRecord, LayerUsage};
use precis_proto::event::EventKind;
use precis_proto::label::Label;
use precis_proto::prior::Prior;
use precis_proto::source::ContentRef;
use precis_proto::task::{Role, Task};
use precis_proto::warning::{Warning, WarningCode, push_once};
use precis_proto::{JobId, Phase, SessionId, SourceId, Timestamp};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::core::Core;
use super::error::Interrupt;
use super::signals::Signals;
use crate::model::{BillingContext, ModelAnswer, ModelError};

/// How long a model call takes before people are told, and how often they are told again.
const TOLD_OF_WAITING: Duration = Duration::from_secs(15);

/// What one lease, and every job under it, shares.
#[derive(Debug)]
pub struct LeaseContext {
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
    /// Shared with whoever tells the lease to end; nobody keeps them alive but the lease.
    pub(super) signals: Arc<Signals>,
    /// Answers by job, as JSON: those that came with the state, and those gathered since. Ends with the lease.
    pub(super) gathered: Mutex<HashMap<JobId, Bytes>>,
    pub(super) record: Mutex<LeaseRecord>,
    /// Warnings that whoever listens has heard of in this lease.
    pub(super) told: Mutex<Vec<Warning>>,
}

/// What a lease has to tell beside its result.
#[derive(Debug, Default, Clone)]
pub struct LeaseRecord {
    /// Model calls, in the order their answers were used.
    pub calls: Vec<CallRecord>,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// Tokens per prompt layer.
    pub usage: Vec<LayerUsage>,
}

impl LeaseContext {
    pub(super) fn record(&self, add: impl FnOnce(&mut LeaseRecord)) {
        add(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn taken(&self) -> LeaseRecord {
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

    pub(super) fn time_left(&self) -> Duration {
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
    pub(super) async fn prior(&self) -> Result<Arc<Prior>, String> {
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

    pub(super) fn billing(&self) -> BillingContext {
        BillingContext { session: self.session_id.clone(), account: self.account.clone() }
    }

    /// Asks the models within `budget`; from an early end on nobody is asked any more, and the built-in model answers.
    pub(super) async fn model(&self, task: &Task, budget: Duration) -> Result<ModelAnswer, ModelError> {
        self.model_about(None, task, budget).await
    }

    /// The same; what a call that speaks of one source alone lost is told of that source.
    pub(super) async fn model_about(
        &self,
        source: Option<&SourceId>,
        task: &Task,
        budget: Duration,
    ) -> Result<ModelAnswer, ModelError> {
        self.model_labelled(Label::Private, source, task, budget).await
    }

    /// The same for a task of which strangers may be told as much as `label` says.
    pub(super) async fn model_labelled(
        &self,
        label: Label,
        source: Option<&SourceId>,
        task: &Task,
        budget: Duration,
    ) -> Result<ModelAnswer, ModelError> {
        // What was before is the user's own; what plans and searches may be told to a search provider.
        let prior = match task.role() {
            Role::Supervision | Role::Research => Arc::default(),
            role => self.prior().await.map_err(|e| ModelError::without_prior(role, e))?,
        };
        let billing = self.billing();
        let call = |budget| self.core.services.models.call_labelled(label, &billing, &prior, self.phase, task, budget);
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
