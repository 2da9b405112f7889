//! Why a handler returned no result.

use precis_proto::response::ErrorInfo;

/// Why a wait was interrupted. Handlers pass it on with `?`; the runner handles it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Interrupt {
    /// The lease has reached its length, or the worker is draining: the session goes to another worker with its partial state.
    #[error("the lease was handed over")]
    HandOver,
    /// The session was cancelled.
    #[error("the session was cancelled")]
    Cancelled,
    /// The broker did not accept a job, most likely because the connection, and the lease with it, is lost.
    #[error("the broker connection failed")]
    Disconnected,
    /// A worker found a later revision of the session: this result is no longer needed.
    #[error("a later revision of the session has been published")]
    Superseded,
    /// A job was done while the content store of its worker was away or full: what it did not find may be there.
    #[error("the content store of a worker is away or full")]
    WithoutContent,
}

/// Why a phase returned no step.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PhaseError {
    /// Another attempt may succeed.
    #[error("{code}: {message}")]
    Transient {
        /// Stable code; metric label.
        code: &'static str,
        /// What was tried on what.
        message: String,
    },
    /// No attempt can succeed: the session ends with this failure.
    #[error("{}: {}", .0.code, .0.message)]
    Permanent(Box<ErrorInfo>),
    /// A wait was interrupted.
    #[error(transparent)]
    Interrupted(#[from] Interrupt),
}

impl PhaseError {
    /// Builds a transient error.
    pub fn transient(code: &'static str, message: impl Into<String>) -> Self {
        Self::Transient { code, message: message.into() }
    }
}

/// Why a job has no answer. The session degrades by policy; the runner does not retry the job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The same job might succeed later.
    #[error("{code}: {message}")]
    Transient {
        /// Stable code; metric label.
        code: String,
        /// What was tried on what.
        message: String,
    },
    /// The same job would fail again.
    #[error("{code}: {message}")]
    Permanent {
        /// Stable code; metric label.
        code: String,
        /// What was tried on what.
        message: String,
    },
    /// A wait was interrupted.
    #[error(transparent)]
    Interrupted(#[from] Interrupt),
}

impl JobError {
    /// Builds a transient error.
    pub fn transient(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Transient { code: code.into(), message: message.into() }
    }

    /// Builds a permanent error.
    pub fn permanent(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Permanent { code: code.into(), message: message.into() }
    }

    /// The stable code; `interrupted` for an interrupted wait.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Transient { code, .. } | Self::Permanent { code, .. } => code,
            Self::Interrupted(_) => "interrupted",
        }
    }
}
