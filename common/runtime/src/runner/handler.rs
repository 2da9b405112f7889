//! The traits that phases and jobs implement: typed input, typed output, no broker.

use std::future::Future;
use std::time::Duration;

use precis_proto::Phase;
use precis_proto::job::JobKind;
use precis_proto::response::Response;
use precis_proto::state::SessionState;

use super::context::{JobContext, PhaseContext};
use super::error::{JobError, PhaseError};

/// The result of a phase handler.
#[derive(Debug)]
pub enum Step {
    /// The phase is done; continue with the phase named.
    Next(Box<SessionState>, Phase),
    /// The phase is not done; publish the partial state for any worker to continue.
    Continue(Box<SessionState>),
    /// The session is done, with this result.
    Finish(Box<SessionState>, Box<Response>),
    /// Run the phase again after this time. Neither a failure nor an attempt.
    Snooze(Box<SessionState>, Duration, &'static str),
}

/// One phase of a session.
///
/// ```
/// use precis_proto::Phase;
/// use precis_proto::state::SessionState;
/// use precis_runtime::runner::{PhaseContext, PhaseError, PhaseHandler, Registry, Step};
///
/// struct SkipDigest;
///
/// impl PhaseHandler for SkipDigest {
///     const PHASE: Phase = Phase::Digest;
///
///     async fn run(&self, session: SessionState, _ctx: &PhaseContext) -> Result<Step, PhaseError> {
///         Ok(Step::Next(Box::new(session), Phase::Compression))
///     }
/// }
///
/// let registry = Registry::default().phase(SkipDigest);
/// assert!(registry.phases().eq([Phase::Digest]));
/// ```
pub trait PhaseHandler: Send + Sync + 'static {
    /// The phase this handles.
    const PHASE: Phase;

    /// Does the phase's work on a copy of the state. Must be repeatable: the same state gives the same step, or finds its jobs
    /// answered.
    fn run(&self, session: SessionState, ctx: &PhaseContext) -> impl Future<Output = Result<Step, PhaseError>> + Send;
}

/// One kind of job.
pub trait JobHandler: Send + Sync + 'static {
    /// The kind this handles.
    type Kind: JobKind;

    /// Does the job. Must be repeatable: the same body gives the same answer.
    fn run(
        &self,
        body: <Self::Kind as JobKind>::Body,
        ctx: &JobContext<Self::Kind>,
    ) -> impl Future<Output = Result<<Self::Kind as JobKind>::Answer, JobError>> + Send;
}
