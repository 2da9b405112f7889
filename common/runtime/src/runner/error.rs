//! Why a handler did not return what it was asked for.

use precis_proto::response::ErrorInfo;

/// Why a wait was broken off. Handlers pass it on with `?`; the runner knows what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Interrupt {
    /// The lease has lasted long enough, or the worker is draining: the session goes to another worker with what it has.
    #[error("the lease is handed over")]
    HandOver,
    /// Somebody cancelled the session.
    #[error("the session was cancelled")]
    Cancelled,
    /// The broker did not take a job, most likely because the connection is gone, and the lease with it.
    #[error("the broker connection failed")]
    Disconnected,
    /// A worker knows that the session has moved on: nobody waits for this any more.
    #[error("the session has moved on")]
    Superseded,
}

/// Why a phase did not return a step.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PhaseError {
    /// Worth another try later.
    #[error("{code}: {message}")]
    Transient {
        /// Stable code; metric label.
        code: &'static str,
        /// What was tried on what.
        message: String,
    },
    /// Never worth another try: the session ends with this as its stated failure.
    #[error("{}: {}", .0.code, .0.message)]
    Permanent(Box<ErrorInfo>),
    /// A wait was broken off.
    #[error(transparent)]
    Interrupted(#[from] Interrupt),
}

impl PhaseError {
    /// A transient error.
    pub fn transient(code: &'static str, message: impl Into<String>) -> Self {
        Self::Transient { code, message: message.into() }
    }
}

/// Why a job has no answer. Its session degrades by policy; there is no retry behind its back.
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
    /// A wait was broken off.
    #[error(transparent)]
    Interrupted(#[from] Interrupt),
}

impl JobError {
    /// A transient error.
    pub fn transient(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Transient { code: code.into(), message: message.into() }
    }

    /// A permanent error.
    pub fn permanent(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Permanent { code: code.into(), message: message.into() }
    }

    /// The stable code; `interrupted` where a wait was broken off.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Transient { code, .. } | Self::Permanent { code, .. } => code,
            Self::Interrupted(_) => "interrupted",
        }
    }
}
