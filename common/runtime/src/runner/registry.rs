//! Which handlers this worker has. Types are erased here and nowhere else.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use precis_proto::Phase;
use precis_proto::job::JobKind;
use precis_proto::state::SessionState;
use serde_json::Value;

use super::context::{Frame, JobContext, PhaseContext};
use super::handler::{JobError, JobHandler, PhaseError, PhaseHandler, Step};

/// Handlers by phase and by job kind.
#[derive(Default, Clone)]
pub struct Registry {
    phases: BTreeMap<Phase, Arc<dyn ErasedPhase>>,
    jobs: BTreeMap<&'static str, Arc<dyn ErasedJob>>,
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
        self.jobs.insert(H::Kind::NAME, Arc::new(Typed(handler)));
        self
    }

    /// Phases that have a handler.
    pub fn phases(&self) -> impl Iterator<Item = Phase> + '_ {
        self.phases.keys().copied()
    }

    /// Job kinds that have a handler.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.jobs.keys().copied()
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

pub(super) trait ErasedJob: Send + Sync {
    fn run(&self, body: Value, frame: Arc<Frame>) -> BoxFuture<'_, Result<Value, JobError>>;
}

struct Typed<H>(H);

impl<H: JobHandler> ErasedJob for Typed<H> {
    fn run(&self, body: Value, frame: Arc<Frame>) -> BoxFuture<'_, Result<Value, JobError>> {
        Box::pin(async move {
            let body = serde_json::from_value(body)
                .map_err(|e| JobError::permanent("undecodable", precis_proto::envelope::json_fault(&e)))?;
            let answer = self.0.run(body, &JobContext::new(frame)).await?;
            serde_json::to_value(answer).map_err(|e| JobError::permanent("unencodable", e.to_string()))
        })
    }
}
