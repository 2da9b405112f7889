//! What one lease shares with every job under it: session, account, time limits, gathered answers, the record.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
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
use precis_proto::{JobId, LifeId, Phase, SessionId, SourceId};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::core::{Core, Services};
use super::error::Interrupt;
use super::signals::Signals;
use crate::model::{BillingContext, Failure, ModelAnswer, ModelError, Unanswered};
use crate::telemetry::TraceContext;
use crate::telemetry::spans::unit_span;

/// How long a model call takes before a waiting event is sent, and the interval of further ones.
const WAITING_INTERVAL: Duration = Duration::from_secs(15);

/// What one lease shares with every job under it.
#[derive(Debug)]
pub struct LeaseContext {
    pub(super) core: Arc<Core>,
    /// The content store and the models. The handle of the store is this lease's own: it remembers the outages met here.
    pub(super) services: Services,
    pub(super) session_id: SessionId,
    /// The life of the session, by which jobs scattered from here read the fence; `None` if it does not count for them.
    pub(super) life: Option<LifeId>,
    /// The account that model calls are charged to, with what is known to be spent.
    pub(super) account: Account,
    /// The earlier context of the session, by reference; and once it was read. Dropped with the lease.
    pub(super) prior: Option<ContentRef>,
    pub(super) read_prior: OnceCell<Arc<Prior>>,
    pub(super) phase: Phase,
    pub(super) revision: u64,
    pub(super) epoch: u32,
    /// Trace context of the delivery; jobs scattered from here continue it.
    pub(super) traceparent: Option<String>,
    /// Jobs scattered from here are not worked on after this.
    pub(super) deadline: Instant,
    /// When a phase hands over; `None` for a job.
    pub(super) lease_until: Option<Instant>,
    /// Whether nobody has worked here before, as far as is known, so that no earlier answers exist. A wrong guess costs a message.
    pub(super) is_fresh: bool,
    /// Shared with `Controls`, which holds them weakly: they live as long as the lease.
    pub(super) signals: Arc<Signals>,
    /// Answers by job, as JSON: those that came with the state and those gathered since. Dropped with the lease.
    pub(super) gathered: Mutex<HashMap<JobId, Bytes>>,
    pub(super) record: Mutex<LeaseRecord>,
    /// Warnings already sent as events in this lease.
    pub(super) announced: Mutex<Vec<Warning>>,
    /// Requests to models that were sent and have no answer yet.
    pub(super) unanswered: Unanswered,
    /// Why a server gave no vectors; then it is not asked again in this lease, so that no job waits for it text by text.
    pub(super) no_vectors: OnceLock<Failure>,
}

/// What a lease reports besides its result.
#[derive(Debug, Default, Clone)]
pub struct LeaseRecord {
    /// Model calls, in the order their answers were used.
    pub calls: Vec<CallRecord>,
    /// Warnings, each once.
    pub warnings: Vec<Warning>,
    /// Tokens per prompt layer.
    pub usage: Vec<LayerUsage>,
}

impl LeaseContext {
    pub(super) fn record(&self, add: impl FnOnce(&mut LeaseRecord)) {
        add(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn lease_record(&self) -> LeaseRecord {
        let mut recorded = self.record.lock().unwrap_or_else(PoisonError::into_inner).clone();
        recorded.calls.extend(self.unanswered.left());
        recorded
    }

    pub(super) fn gathered_answer(&self, id: &JobId) -> Option<Bytes> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    pub(super) fn keep(&self, id: JobId, answer: Bytes) {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner).insert(id, answer);
    }

    /// Sends a warning as an event, once per lease. A job's warnings travel with its answer and are sent by the phase that gathers it,
    /// so that they are sent wherever and whenever the job ran.
    pub(super) fn announce_warning(&self, warning: &Warning) {
        if self.lease_until.is_none() {
            return;
        }
        let mut announced = self.announced.lock().unwrap_or_else(PoisonError::into_inner);
        if !announced.contains(warning) {
            announced.push(warning.clone());
            self.core.events.send(&self.session_id, EventKind::Warned { warning: warning.clone() });
        }
    }

    /// Waits until the lease must end. Never returns if nothing ends it.
    pub(super) async fn wait_for_interrupt(&self) -> Interrupt {
        let lease_end = async {
            match self.lease_until {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // Biased: a cancellation wins, so that a cancelled session is not handed over and resumed.
            biased;
            () = self.signals.cancelled.cancelled() => Interrupt::Cancelled,
            () = self.signals.hand_over.cancelled() => Interrupt::HandOver,
            () = lease_end => Interrupt::HandOver,
        }
    }

    pub(super) fn time_left(&self) -> Duration {
        let deadline = self.deadline.saturating_duration_since(Instant::now());
        match self.lease_until {
            Some(at) => deadline.min(at.saturating_duration_since(Instant::now())),
            None => deadline,
        }
    }

    /// Fires on an early end in the gathering phases, which then leave out unanswered jobs. Never fires in later phases: these produce
    /// the report, and finish with the built-in model.
    pub(super) async fn stopped_early(&self) {
        if self.phase < Phase::Compression {
            self.signals.stopped.cancelled().await;
        } else {
            std::future::pending().await
        }
    }

    /// Returns the earlier context of the session; read once per lease.
    pub(super) async fn prior(&self) -> Result<Arc<Prior>, String> {
        let Some(content) = &self.prior else { return Ok(Arc::default()) };
        let read = || async {
            let bytes = self.services.content.get(content).await.map_err(|e| e.to_string())?;
            serde_json::from_slice(&bytes).map(Arc::new).map_err(|e| precis_proto::envelope::json_fault(&e))
        };
        self.read_prior.get_or_try_init(read).await.cloned()
    }

    /// Sends a waiting event at intervals while a call takes long.
    async fn announce_waiting(&self, role: Role) {
        let began = Instant::now();
        loop {
            tokio::time::sleep(WAITING_INTERVAL).await;
            let (phase, seconds) = (self.phase, began.elapsed().as_secs());
            self.core.events.send(&self.session_id, EventKind::Waiting { phase, role, seconds });
        }
    }

    pub(super) fn billing(&self) -> BillingContext {
        let (session, account) = (self.session_id.clone(), self.account.clone());
        BillingContext { session, account, unanswered: self.unanswered.clone(), span: self.span() }
    }

    /// The span of this phase, or of this job: that of its message, of which there is one only.
    fn span(&self) -> Option<TraceContext> {
        let trace = self.traceparent.as_deref().and_then(TraceContext::parse)?;
        let is_phase = self.lease_until.is_some();
        Some(if is_phase { unit_span(trace, self.session_id.as_str(), self.revision) } else { trace })
    }

    /// Calls the models within `budget`. After an early end only the built-in model is used.
    pub(super) async fn model(&self, task: &Task, budget: Duration) -> Result<ModelAnswer, ModelError> {
        self.model_about(None, task, budget).await
    }

    /// As [`Self::model`], for a task about `source` alone, if given: warnings about lost content name that source.
    pub(super) async fn model_about(
        &self,
        source: Option<&SourceId>,
        task: &Task,
        budget: Duration,
    ) -> Result<ModelAnswer, ModelError> {
        self.model_labelled(Label::Private, source, task, budget).await
    }

    /// As [`Self::model_about`], with `label` stating how much of the task may be disclosed to outside services.
    pub(super) async fn model_labelled(
        &self,
        label: Label,
        source: Option<&SourceId>,
        task: &Task,
        budget: Duration,
    ) -> Result<ModelAnswer, ModelError> {
        // The earlier context is private, and what supervision and research produce may be sent to a search provider.
        let prior = match task.role() {
            Role::Supervision | Role::Research => Arc::default(),
            role => self.prior().await.map_err(|e| ModelError::without_prior(role, e))?,
        };
        let billing = self.billing();
        let call = |budget| self.core.services.models.call(label, &billing, &prior, self.phase, task, budget);
        // Stopped first: an early end must not wait for an outside model. Dropping its call is safe: a paid request runs on, and its
        // answer goes to the memo.
        let mut called = tokio::select! {
            biased;
            () = self.signals.stopped.cancelled() => call(Duration::ZERO).await,
            called = call(budget) => called,
            () = self.announce_waiting(task.role()) => unreachable!("waiting has no end of its own"),
        };
        if let (Ok(called), Some(source)) = (&mut called, source) {
            let of_content = |code| matches!(code, WarningCode::ContentTruncated | WarningCode::ContentDropped);
            called.warnings.iter_mut().filter(|w| of_content(w.code)).for_each(|w| w.item_id = Some(source.clone()));
        }
        let (records, warnings): (&[_], &[_]) = match &called {
            Ok(called) => (&called.records, &called.warnings),
            // What a failed chain has cost is still spent.
            Err(error) => (&error.records, &error.warnings),
        };
        self.record(|r| {
            r.calls.extend_from_slice(records);
            r.usage.extend(called.iter().flat_map(|called| called.usage.iter().cloned()));
            for warning in warnings {
                push_once(&mut r.warnings, warning.clone());
            }
        });
        warnings.iter().for_each(|warning| self.announce_warning(warning));
        called
    }
}
