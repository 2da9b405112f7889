//! Progress, published for whoever listens. Nothing depends on an event arriving, and none holds text of a document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::response::Status;
use crate::task::Role;
use crate::warning::Warning;
use crate::{Phase, SessionId, Timestamp};

/// One thing that happened to a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// The session.
    pub session_id: SessionId,
    /// When.
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventKind {
    /// A request was accepted.
    SessionAccepted {
        /// How many sources it names.
        sources: u64,
    },
    /// A worker took up a phase; again after a crash or a hand over.
    PhaseStarted {
        /// Which.
        phase: Phase,
        /// Which try, from 1.
        attempt: u32,
    },
    /// Jobs of a phase came back.
    JobsProgress {
        /// Which phase.
        phase: Phase,
        /// Answered so far.
        done: u64,
        /// Scattered in all.
        total: u64,
    },
    /// A round of research was taken in; again after a crash or a hand over. What was searched for is not said: it may hold words of
    /// private documents.
    RoundFinished {
        /// Which, from 1.
        round: u32,
        /// Searches so far, of all lanes.
        searches: u64,
        /// Passages that they found, each once.
        passages: u64,
        /// Sub-questions that these cover.
        covered: u32,
        /// All of them.
        sub_questions: u32,
    },
    /// A model call of a phase has had no answer for a while; told again while it lasts.
    Waiting {
        /// Which phase.
        phase: Phase,
        /// What the call is for.
        role: Role,
        /// Seconds it has taken so far.
        seconds: u64,
    },
    /// Something went less well than asked.
    Warned {
        /// What.
        warning: Warning,
    },
    /// A phase is done and published.
    PhaseFinished {
        /// Which.
        phase: Phase,
        /// Seconds it took, by the worker's clock.
        seconds: f64,
    },
    /// The result is published.
    SessionFinished {
        /// How it ended.
        status: Status,
    },
}

impl EventKind {
    /// The word of this kind on the wire and in routing keys.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::SessionAccepted { .. } => "session_accepted",
            Self::PhaseStarted { .. } => "phase_started",
            Self::JobsProgress { .. } => "jobs_progress",
            Self::RoundFinished { .. } => "round_finished",
            Self::Waiting { .. } => "waiting",
            Self::Warned { .. } => "warned",
            Self::PhaseFinished { .. } => "phase_finished",
            Self::SessionFinished { .. } => "session_finished",
        }
    }
}
