//! Failure codes of calls to a provider, and the consequences of each: retry, breaker outcome, usage.

use std::fmt;
use std::time::Duration;

use precis_proto::closed_words;

use crate::store::{Amount, CallOutcome};

closed_words! {
    /// Why a call to a provider failed.
    #[derive(PartialOrd, Ord)]
    pub enum Code {
        /// No connection could be made.
        Connect => "connect_failed",
        /// No complete answer arrived within the provider's timeout.
        Timeout => "timeout",
        /// The provider left this session's calls unanswered for so long that the session no longer calls it.
        Silent => "silent",
        /// The connection ended in the middle of the answer.
        Cut => "connection_cut",
        /// The command-line tool does not exist or may not be started.
        ToolMissing => "tool_missing",
        /// A command-line tool failed for a reason that is not recognised.
        ToolFailed => "tool_failed",
        /// Status 5xx.
        ServerError => "server_error",
        /// Status 200 with a body that is not an answer of the vendor's format.
        BadAnswer => "bad_answer",
        /// The answer exceeds the size limit.
        AnswerTooLarge => "answer_too_large",
        /// Status 429.
        RateLimited => "rate_limited",
        /// A configured rate limit leaves no room before the deadline.
        LimitReached => "limit_reached",
        /// A spending ceiling of the session or its tenant is reached.
        CeilingReached => "ceiling_reached",
        /// Status 402, or 429 because the account is used up.
        QuotaExhausted => "quota_exhausted",
        /// Status 401 or 403.
        Unauthorized => "unauthorized",
        /// Any other 4xx, or a redirect.
        Refused => "refused",
        /// The payload exceeds the provider's window.
        Overflow => "context_overflow",
        /// The provider named a smaller window than known; the caller splits the text into parts that fit and calls again.
        WindowNamed => "window_named",
        /// The provider declined to answer this content.
        Filtered => "content_filtered",
        /// No answer was valid, not even after the complaint and one level down.
        Malformed => "malformed_output",
        /// Nothing useful fits into this provider's window.
        OverBudget => "over_budget",
        /// The breaker is open.
        BreakerOpen => "breaker_open",
        /// The caller's time budget is used up.
        OutOfTime => "out_of_time",
        /// The caller is gone, or this process is shutting down.
        Stopped => "stopped",
        /// An internal error of this program.
        Internal => "internal",
    }
}

impl Code {
    /// Whether the same request may succeed a moment later.
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

    /// Returns the outcome reported to the breaker of the whole server: whether it can be reached. A failure of one model does not
    /// count against the server's other models.
    #[must_use]
    pub fn outcome_for_server(self) -> CallOutcome {
        match self {
            Self::Connect => CallOutcome::Failure,
            // An answer of any kind, and one that broke off, shows that the server is there.
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

    /// Returns the outcome reported to the breaker of a model. Only failures of the model itself count; 4xx, 429 and an unreachable server
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

    /// Returns the usage to settle for a request that failed with this code: all of `reserved` if the provider may have processed it, the
    /// request without tokens if it was refused, nothing if it was not sent.
    #[must_use]
    pub fn used_amount(self, reserved: Amount) -> Amount {
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
            // The provider may have read all of it, and may bill it: a limit or ceiling that is kept too well is the smaller fault.
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

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The kind of failure.
    pub code: Code,
    /// For the log: what happened, or the provider's message, shortened, without secrets and without the text sent to it; may be empty.
    pub detail: String,
    /// For the user: the provider's message, shortened and without secrets, if it is more specific than `detail`.
    pub said: Option<String>,
    /// The pause the provider asks for.
    pub retry_after: Option<Duration>,
    /// The window the provider names when it reports an overflow.
    pub window: Option<u64>,
    /// The provider's token count of a payload that was not sent because it exceeds the room.
    pub counted: Option<u64>,
}

impl Failure {
    /// A failure with only a code and a detail for the log.
    #[must_use]
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), said: None, retry_after: None, window: None, counted: None }
    }

    /// The caller is gone or the process is stopping.
    pub(super) fn stopped() -> Self {
        Self::new(Code::Stopped, "the caller is gone or the process is stopping")
    }

    /// The time of the call ended before an answer.
    pub(super) fn out_of_time() -> Self {
        Self::new(Code::OutOfTime, "the time of the call ended before an answer")
    }

    /// Returns the message for the user, without a full stop; may be empty.
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
