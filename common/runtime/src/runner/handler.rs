//! What a phase and a job look like to their author: typed in, typed out, no broker in sight.

use std::future::Future;
use std::time::Duration;

use precis_proto::Phase;
use precis_proto::job::JobKind;
use precis_proto::response::Response;
use precis_proto::state::SessionState;

use super::context::{JobContext, PhaseContext};
use super::error::{JobError, PhaseError};

/// What a phase handler returns.
#[derive(Debug)]
pub enum Step {
    /// The phase is done; go on with the one named.
    Next(Box<SessionState>, Phase),
    /// Not done; publish the partial state and let some worker go on.
    Continue(Box<SessionState>),
    /// The session is done; this is its result.
    Finish(Box<SessionState>, Box<Response>),
    /// Come back later; not a failure, not an attempt.
    Snooze(Box<SessionState>, Duration, &'static str),
}

/// One phase of a session.
pub trait PhaseHandler: Send + Sync + 'static {
    /// Which.
    const PHASE: Phase;

    /// Does the phase's work on a copy of the state. The same state twice gives the same step, or finds its jobs answered.
    fn run(&self, session: SessionState, ctx: &PhaseContext) -> impl Future<Output = Result<Step, PhaseError>> + Send;
}

/// One kind of job.
pub trait JobHandler: Send + Sync + 'static {
    /// Which.
    type Kind: JobKind;

    /// Does the job. The same body twice gives the same answer.
    fn run(
        &self,
        body: <Self::Kind as JobKind>::Body,
        ctx: &JobContext<Self::Kind>,
    ) -> impl Future<Output = Result<<Self::Kind as JobKind>::Answer, JobError>> + Send;
}
