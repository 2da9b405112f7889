//! Progress events, published for any listener. Nothing depends on an event arriving, and no event contains document text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::response::Status;
use crate::source::ContentRef;
use crate::task::Role;
use crate::warning::Warning;
use crate::{Phase, SessionId, Timestamp};

/// A progress event of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// The session.
    pub session_id: SessionId,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// A request was accepted.
    SessionAccepted {
        /// Number of sources in the request.
        sources: u64,
    },
    /// A worker started a phase; repeated after a crash or a hand over.
    PhaseStarted {
        /// The phase.
        phase: Phase,
        /// Number of the attempt, from 1.
        attempt: u32,
    },
    /// Jobs of a phase were answered.
    JobsProgress {
        /// The phase.
        phase: Phase,
        /// Number of jobs answered so far.
        done: u64,
        /// Number of all jobs of the phase.
        total: u64,
    },
    /// The plan of research was written.
    PlanWritten {
        /// Reference to the plan in the content store.
        plan: ContentRef,
        /// Number of sub-questions.
        sub_questions: u32,
    },
    /// A round of research started; repeated after a crash or a hand over. Its queries are in the content store only: they may contain
    /// words of private documents.
    RoundStarted {
        /// Number of the round, from 1.
        round: u32,
        /// Number of directives, each worked on by one researcher.
        directives: u32,
        /// Reference to the list of assignments in the content store.
        assignments: ContentRef,
    },
    /// A researcher took a turn; repeated after a crash. What it searches, reads, thinks and concludes is in the content store only: it may
    /// contain words of private documents.
    ResearcherTurn {
        /// Id of the directive, `r1.w1`.
        directive: String,
        /// Reference to the calls of the turn in the content store, in order.
        calls: ContentRef,
    },
    /// A round of research finished; repeated after a crash or a hand over.
    RoundFinished {
        /// Number of the round, from 1.
        round: u32,
        /// Number of searches so far, in all lanes.
        searches: u64,
        /// Number of distinct passages found.
        passages: u64,
        /// Number of sub-questions covered by them.
        covered: u32,
        /// Number of all sub-questions.
        sub_questions: u32,
        /// Reference to the logs of the round in the content store.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        logs: Option<ContentRef>,
    },
    /// A model call has been unanswered for a while; repeated while it lasts.
    Waiting {
        /// The phase.
        phase: Phase,
        /// Role of the call.
        role: Role,
        /// Duration of the call so far, in seconds.
        seconds: u64,
    },
    /// A warning was raised.
    Warned {
        /// The warning.
        warning: Warning,
    },
    /// A phase finished and its result was published.
    PhaseFinished {
        /// The phase.
        phase: Phase,
        /// Duration in seconds, by the clock of the worker.
        seconds: f64,
    },
    /// The result of the session was published.
    SessionFinished {
        /// How the session ended.
        status: Status,
    },
}

impl EventKind {
    /// Returns the word for this event on the wire and in routing keys.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::SessionAccepted { .. } => "session_accepted",
            Self::PhaseStarted { .. } => "phase_started",
            Self::JobsProgress { .. } => "jobs_progress",
            Self::PlanWritten { .. } => "plan_written",
            Self::RoundStarted { .. } => "round_started",
            Self::ResearcherTurn { .. } => "researcher_turn",
            Self::RoundFinished { .. } => "round_finished",
            Self::Waiting { .. } => "waiting",
            Self::Warned { .. } => "warned",
            Self::PhaseFinished { .. } => "phase_finished",
            Self::SessionFinished { .. } => "session_finished",
        }
    }
}
