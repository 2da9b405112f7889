//! The handlers of a worker. Types are erased here and nowhere else.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use precis_proto::job::{JobAnswer, JobKind, JobOutcome};
use precis_proto::state::SessionState;
use precis_proto::{JobId, Phase};
use serde::Deserialize;

use super::context::{JobContext, PhaseContext};
use super::error::{JobError, PhaseError};
use super::handler::{JobHandler, PhaseHandler, Step};
use super::indexing::CollectionIndexer;
use super::lease_context::{LeaseContext, LeaseRecord};

/// Handlers by phase and by job kind.
#[derive(Default, Clone)]
pub struct Registry {
    phases: BTreeMap<Phase, Arc<dyn ErasedPhase>>,
    jobs: BTreeMap<&'static str, Arc<dyn ErasedJob>>,
    indexer: Option<Arc<dyn CollectionIndexer>>,
}

impl Registry {
    /// Adds the handler of a phase.
    #[must_use]
    pub fn phase<H: PhaseHandler>(mut self, handler: H) -> Self {
        self.phases.insert(H::PHASE, Arc::new(handler));
        self
    }

    /// Adds the handler of a job kind.
    #[must_use]
    pub fn job<H: JobHandler>(mut self, handler: H) -> Self {
        self.jobs.insert(H::Kind::NAME, Arc::new(TypedHandler(handler)));
        self
    }

    /// Adds what indexes collections.
    #[must_use]
    pub fn indexer(self, indexer: impl CollectionIndexer + 'static) -> Self {
        Self { indexer: Some(Arc::new(indexer)), ..self }
    }

    /// What indexes collections, if this worker does.
    pub(super) fn collection_indexer(&self) -> Option<Arc<dyn CollectionIndexer>> {
        self.indexer.clone()
    }

    /// Phases that have a handler.
    pub fn phases(&self) -> impl Iterator<Item = Phase> + '_ {
        self.phases.keys().copied()
    }

    /// Job kinds that have a handler.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.jobs.keys().copied()
    }

    /// The registered kind named in a header, or `unknown`: metric labels must stay few.
    pub(super) fn known_kind(&self, kind: &str) -> &'static str {
        self.jobs.get_key_value(kind).map_or("unknown", |(known, _)| *known)
    }

    pub(super) fn phase_handler(&self, phase: Phase) -> Option<Arc<dyn ErasedPhase>> {
        self.phases.get(&phase).cloned()
    }

    pub(super) fn job_handler(&self, kind: &str) -> Option<Arc<dyn ErasedJob>> {
        self.jobs.get(kind).cloned()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("phases", &self.phases.keys()).field("jobs", &self.jobs.keys()).finish()
    }
}

pub(super) trait ErasedPhase: Send + Sync {
    fn run<'a>(&'a self, session: SessionState, ctx: &'a PhaseContext) -> BoxFuture<'a, Result<Step, PhaseError>>;
}

impl<H: PhaseHandler> ErasedPhase for H {
    fn run<'a>(&'a self, session: SessionState, ctx: &'a PhaseContext) -> BoxFuture<'a, Result<Step, PhaseError>> {
        Box::pin(PhaseHandler::run(self, session, ctx))
    }
}

/// Encodes a job's answer, with what was recorded during its run, as JSON. Holds the value and hides its type.
pub(super) type AnswerWriter = Box<dyn FnOnce(&JobId, &LeaseRecord) -> serde_json::Result<Vec<u8>> + Send>;

pub(super) trait ErasedJob: Send + Sync {
    /// Runs the job encoded in `job`.
    fn run(&self, job: Bytes, context: Arc<LeaseContext>) -> BoxFuture<'_, Result<AnswerWriter, JobError>>;
}

struct TypedHandler<H>(H);

/// The part of a [`precis_proto::job::Job`] that a handler reads.
#[derive(Deserialize)]
struct JobBody<B> {
    body: B,
}

impl<H: JobHandler> ErasedJob for TypedHandler<H> {
    fn run(&self, job: Bytes, context: Arc<LeaseContext>) -> BoxFuture<'_, Result<AnswerWriter, JobError>> {
        Box::pin(async move {
            let work: JobBody<<H::Kind as JobKind>::Body> = serde_json::from_slice(&job)
                .map_err(|e| JobError::permanent("undecodable", precis_proto::envelope::json_fault(&e)))?;
            let value = self.0.run(work.body, &JobContext::new(context)).await?;
            let write: AnswerWriter = Box::new(move |id, record| {
                serde_json::to_vec(&JobAnswer {
                    job_id: id.clone(),
                    outcome: JobOutcome::Done(value),
                    calls: record.calls.clone(),
                    warnings: record.warnings.clone(),
                    usage: record.usage.clone(),
                })
            });
            Ok(write)
        })
    }
}
