//! Why a call to a provider failed, in stable codes, and what follows from each: a second try, a mark against the provider.

use std::fmt;
use std::time::Duration;

use crate::store::{Amount, CallOutcome};

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// No connection.
    Connect,
    /// No whole answer within the provider's timeout.
    Timeout,
    /// It has not answered this session for so long that it is not asked any more.
    Silent,
    /// The connection ended within the answer.
    Cut,
    /// There is no such command-line tool, or it may not be started.
    ToolMissing,
    /// A command-line tool ended with a failure and did not say which.
    ToolFailed,
    /// 5xx.
    ServerError,
    /// 200 with a body that is no chat completion.
    BadAnswer,
    /// A body over the limit.
    AnswerTooLarge,
    /// 429.
    RateLimited,
    /// The limit set for this provider leaves no room in the time there is.
    LimitReached,
    /// What the session or its tenant may spend leaves no room.
    CeilingReached,
    /// 429 because the account is used up.
    QuotaExhausted,
    /// 401 or 403.
    Unauthorized,
    /// Any other 4xx, or a redirect.
    Refused,
    /// The payload is over the provider's window.
    Overflow,
    /// It has named a window smaller than the one known, and the text can be put into parts that fit it: whoever asked does that.
    WindowNamed,
    /// The provider declined to answer this content.
    Filtered,
    /// The text did not hold against the task, also after the complaint and one level down.
    Malformed,
    /// Nothing useful fits into this provider's room.
    OverBudget,
    /// The breaker is open.
    BreakerOpen,
    /// The time the caller gave is over.
    OutOfTime,
    /// This process is shutting down.
    Stopped,
    /// A part of this program failed.
    Internal,
}

impl Code {
    /// The stable word: in warnings, errors and metric labels.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connect => "connect_failed",
            Self::Timeout => "timeout",
            Self::Silent => "silent",
            Self::Cut => "connection_cut",
            Self::ToolMissing => "tool_missing",
            Self::ToolFailed => "tool_failed",
            Self::ServerError => "server_error",
            Self::BadAnswer => "bad_answer",
            Self::AnswerTooLarge => "answer_too_large",
            Self::RateLimited => "rate_limited",
            Self::LimitReached => "limit_reached",
            Self::CeilingReached => "ceiling_reached",
            Self::QuotaExhausted => "quota_exhausted",
            Self::Unauthorized => "unauthorized",
            Self::Refused => "refused",
            Self::Overflow => "context_overflow",
            Self::WindowNamed => "window_named",
            Self::Filtered => "content_filtered",
            Self::Malformed => "malformed_output",
            Self::OverBudget => "over_budget",
            Self::BreakerOpen => "breaker_open",
            Self::OutOfTime => "out_of_time",
            Self::Stopped => "stopped",
            Self::Internal => "internal",
        }
    }

    /// Whether the same request may work a moment later.
    #[must_use]
    pub fn is_transient(self) -> bool {
        match self {
            Self::Connect
            | Self::Timeout
            | Self::Cut
            | Self::ToolFailed
            | Self::ServerError
            | Self::BadAnswer
            | Self::RateLimited => true,
            Self::AnswerTooLarge
            | Self::Silent
            | Self::WindowNamed
            | Self::ToolMissing
            | Self::LimitReached
            | Self::CeilingReached
            | Self::QuotaExhausted
            | Self::Unauthorized
            | Self::Refused
            | Self::Overflow
            | Self::Filtered
            | Self::Malformed
            | Self::OverBudget
            | Self::BreakerOpen
            | Self::OutOfTime
            | Self::Stopped
            | Self::Internal => false,
        }
    }

    /// What the breaker of the whole server hears: whether it can be reached. What one model does says nothing of its neighbours.
    #[must_use]
    pub fn outcome_for_server(self) -> CallOutcome {
        match self {
            Self::Connect => CallOutcome::Failure,
            Self::ServerError
            | Self::BadAnswer
            | Self::AnswerTooLarge
            | Self::RateLimited
            | Self::QuotaExhausted
            | Self::Unauthorized
            | Self::Refused
            | Self::Overflow
            | Self::Filtered
            | Self::Cut => CallOutcome::Success,
            _ => CallOutcome::Neutral,
        }
    }

    /// What the breaker of a model hears. Only what speaks of the model's health counts; 4xx, 429 and a server that cannot be reached
    /// do not.
    #[must_use]
    pub fn outcome_for_model(self) -> CallOutcome {
        if self == Self::Connect { CallOutcome::Neutral } else { self.outcome() }
    }

    fn outcome(self) -> CallOutcome {
        match self {
            Self::Connect
            | Self::Timeout
            | Self::Cut
            | Self::ToolFailed
            | Self::ServerError
            | Self::BadAnswer
            | Self::AnswerTooLarge => CallOutcome::Failure,
            Self::RateLimited
            | Self::Silent
            | Self::WindowNamed
            | Self::ToolMissing
            | Self::LimitReached
            | Self::CeilingReached
            | Self::QuotaExhausted
            | Self::Unauthorized
            | Self::Refused
            | Self::Overflow
            | Self::Filtered
            | Self::Malformed
            | Self::OverBudget
            | Self::BreakerOpen
            | Self::OutOfTime
            | Self::Stopped
            | Self::Internal => CallOutcome::Neutral,
        }
    }

    /// What a request that ended so has used up of the `reserved` limits. Where the provider may have worked on it, all of
    /// them; where it was turned away, itself and no tokens.
    #[must_use]
    pub fn used(self, reserved: Amount) -> Amount {
        match self {
            Self::Connect
            | Self::Silent
            | Self::WindowNamed
            | Self::ToolMissing
            | Self::BreakerOpen
            | Self::LimitReached
            | Self::CeilingReached
            | Self::OverBudget => Amount::default(),
            Self::RateLimited
            | Self::QuotaExhausted
            | Self::Unauthorized
            | Self::Refused
            | Self::Overflow
            | Self::ServerError => Amount { requests: reserved.requests, ..Amount::default() },
            Self::Timeout
            | Self::Cut
            | Self::ToolFailed
            | Self::BadAnswer
            | Self::AnswerTooLarge
            | Self::Filtered
            | Self::Malformed
            | Self::OutOfTime
            | Self::Stopped
            | Self::Internal => reserved,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub code: Code,
    /// For the log: what happened, or what the provider said, shortened, without secrets and without what it was sent; may be empty.
    pub detail: String,
    /// For whoever asked: what the provider said, shortened and without secrets, where that says more than `detail`.
    pub said: Option<String>,
    /// How long the provider asks to be left alone.
    pub retry_after: Option<Duration>,
    /// The window the provider names in an overflow.
    pub window: Option<u64>,
    /// Tokens the provider counted in a payload that was not sent, since that is more than there is room for.
    pub counted: Option<u64>,
}

impl Failure {
    /// A failure with nothing but its code and a detail for the log.
    #[must_use]
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), said: None, retry_after: None, window: None, counted: None }
    }

    /// What is told to whoever asked: without a full stop; may be empty.
    #[must_use]
    pub fn words(&self) -> &str {
        self.said.as_deref().unwrap_or(&self.detail).trim_end_matches('.')
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.detail.as_str() {
            "" => write!(f, "{}", self.code),
            detail => write!(f, "{}: {detail}", self.code),
        }
    }
}
