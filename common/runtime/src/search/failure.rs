//! Failure codes of searches, and the consequences of each: retry, next provider, breaker outcome, usage.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::store::CallOutcome;

/// Why a search failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchCode {
    /// No connection could be made.
    ConnectFailed,
    /// No complete answer arrived within the provider's timeout.
    Timeout,
    /// The connection ended in the middle of the answer.
    ConnectionCut,
    /// Status 5xx.
    ServerError,
    /// Status 200 with a body that is not in the documented format: an error page, a captcha, incomplete JSON. Never "no results".
    BadAnswer,
    /// The answer exceeds the size limit.
    AnswerTooLarge,
    /// A metasearch engine reported that none of its engines answered.
    EnginesUnresponsive,
    /// Too many requests.
    RateLimited,
    /// A configured rate limit leaves no room before the deadline.
    LimitReached,
    /// A spending ceiling of the session or its tenant is reached.
    CeilingReached,
    /// The credit, plan or quota is used up.
    QuotaExhausted,
    /// The key is missing, wrong or not allowed.
    Unauthorized,
    /// The server's JSON output is disabled.
    JsonDisabled,
    /// Any other 4xx, or a redirect.
    Refused,
    /// The breaker is open.
    BreakerOpen,
    /// The caller's time budget is used up.
    OutOfTime,
    /// The caller is gone, or this process is shutting down.
    Stopped,
    /// The search is invalid for every provider.
    Unusable,
    /// No provider of that name is set up.
    UnknownProvider,
    /// An internal error of this program.
    Internal,
}

impl SearchCode {
    /// Every code.
    pub const ALL: [Self; 20] = [
        Self::ConnectFailed,
        Self::Timeout,
        Self::ConnectionCut,
        Self::ServerError,
        Self::BadAnswer,
        Self::AnswerTooLarge,
        Self::EnginesUnresponsive,
        Self::RateLimited,
        Self::LimitReached,
        Self::CeilingReached,
        Self::QuotaExhausted,
        Self::Unauthorized,
        Self::JsonDisabled,
        Self::Refused,
        Self::BreakerOpen,
        Self::OutOfTime,
        Self::Stopped,
        Self::Unusable,
        Self::UnknownProvider,
        Self::Internal,
    ];

    /// Returns the stable name used in reports, errors and metric labels.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ConnectFailed => "connect_failed",
            Self::Timeout => "timeout",
            Self::ConnectionCut => "connection_cut",
            Self::ServerError => "server_error",
            Self::BadAnswer => "bad_answer",
            Self::AnswerTooLarge => "answer_too_large",
            Self::EnginesUnresponsive => "engines_unresponsive",
            Self::RateLimited => "rate_limited",
            Self::LimitReached => "limit_reached",
            Self::CeilingReached => "ceiling_reached",
            Self::QuotaExhausted => "quota_exhausted",
            Self::Unauthorized => "unauthorized",
            Self::JsonDisabled => "json_disabled",
            Self::Refused => "refused",
            Self::BreakerOpen => "breaker_open",
            Self::OutOfTime => "out_of_time",
            Self::Stopped => "stopped",
            Self::Unusable => "unusable",
            Self::UnknownProvider => "unknown_provider",
            Self::Internal => "internal",
        }
    }

    /// Whether the same request may succeed a moment later, so that it is repeated.
    #[must_use]
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::ConnectFailed
                | Self::Timeout
                | Self::ConnectionCut
                | Self::ServerError
                | Self::BadAnswer
                | Self::EnginesUnresponsive
                | Self::RateLimited
        )
    }

    /// Whether the next provider is called: not if the search is invalid, the time is over or this process is stopping.
    #[must_use]
    pub fn fails_over(self) -> bool {
        !matches!(self, Self::OutOfTime | Self::Stopped | Self::Unusable)
    }

    /// Whether the same search may succeed later.
    #[must_use]
    pub fn may_pass(self) -> bool {
        self.is_transient() || matches!(self, Self::BreakerOpen | Self::LimitReached | Self::OutOfTime | Self::Stopped)
    }

    /// Returns the outcome reported to the provider's breaker. Only failures of the provider itself count.
    #[must_use]
    pub fn outcome(self) -> CallOutcome {
        match self {
            Self::ConnectFailed
            | Self::Timeout
            | Self::ConnectionCut
            | Self::ServerError
            | Self::BadAnswer
            | Self::AnswerTooLarge => CallOutcome::Failure,
            _ => CallOutcome::Neutral,
        }
    }

    /// Whether the provider may have processed and charged the request, without our knowing.
    pub(super) fn may_cost(self) -> bool {
        matches!(
            self,
            Self::Timeout
                | Self::ConnectionCut
                | Self::BadAnswer
                | Self::AnswerTooLarge
                | Self::EnginesUnresponsive
                | Self::OutOfTime
                | Self::Stopped
                | Self::Internal
        )
    }

    /// Whether the request was sent and counts against the rate limit.
    pub(super) fn was_sent(self) -> bool {
        !matches!(
            self,
            Self::ConnectFailed
                | Self::LimitReached
                | Self::CeilingReached
                | Self::BreakerOpen
                | Self::Unusable
                | Self::UnknownProvider
        )
    }
}

impl fmt::Display for SearchCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The failure of one provider. Contains no key, no URL with parameters and no query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderFailure {
    /// Its name in the configuration.
    pub provider: String,
    /// The kind of failure.
    pub code: SearchCode,
    /// What happened, or the provider's message, shortened; may be empty.
    pub detail: String,
    /// The operator's remedy: lower case, no full stop.
    pub advice: Option<String>,
    /// The pause the provider asks for.
    pub retry_after: Option<Duration>,
}

impl ProviderFailure {
    pub(super) fn new(code: SearchCode, detail: impl Into<String>) -> Self {
        Self { provider: String::new(), code, detail: detail.into(), advice: None, retry_after: None }
    }
}

impl fmt::Display for ProviderFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` failed ({})", self.provider, self.code)?;
        let parts = [Some(self.detail.as_str()).filter(|detail| !detail.is_empty()), self.advice.as_deref()];
        let reason = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
        if reason.is_empty() { Ok(()) } else { write!(f, ": {reason}") }
    }
}

/// No provider answered. An empty result is not a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchFailure {
    /// Each provider that was tried, in order; at least one.
    pub tried: Vec<ProviderFailure>,
}

impl SearchFailure {
    /// Returns the code of the provider that was tried last.
    #[must_use]
    pub fn code(&self) -> SearchCode {
        self.tried.last().map_or(SearchCode::Internal, |failure| failure.code)
    }

    /// Whether the same search may succeed later, because one of the failures may pass.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.tried.iter().any(|failure| failure.code.may_pass())
    }
}

impl fmt::Display for SearchFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, failure) in self.tried.iter().enumerate() {
            write!(f, "{}{failure}", if n == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for SearchFailure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_unique_word_that_is_its_wire_form() {
        let words: std::collections::BTreeSet<&str> = SearchCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(words.len(), SearchCode::ALL.len());
        for code in SearchCode::ALL {
            assert_eq!(serde_json::to_value(code).expect("a word"), code.as_str());
        }
    }

    #[test]
    fn what_follows_from_a_failure_is_decided_in_one_table() {
        // Code, second try, next provider, breaker, may have cost.
        for (code, again, over, counts, costs) in [
            (SearchCode::ConnectFailed, true, true, true, false),
            (SearchCode::Timeout, true, true, true, true),
            (SearchCode::ServerError, true, true, true, false),
            (SearchCode::BadAnswer, true, true, true, true),
            (SearchCode::AnswerTooLarge, false, true, true, true),
            (SearchCode::EnginesUnresponsive, true, true, false, true),
            (SearchCode::RateLimited, true, true, false, false),
            (SearchCode::QuotaExhausted, false, true, false, false),
            (SearchCode::Unauthorized, false, true, false, false),
            (SearchCode::JsonDisabled, false, true, false, false),
            (SearchCode::Refused, false, true, false, false),
            (SearchCode::CeilingReached, false, true, false, false),
            (SearchCode::BreakerOpen, false, true, false, false),
            (SearchCode::OutOfTime, false, false, false, true),
            (SearchCode::Stopped, false, false, false, true),
            (SearchCode::Unusable, false, false, false, false),
        ] {
            let found =
                (code.is_transient(), code.fails_over(), code.outcome() == CallOutcome::Failure, code.may_cost());
            assert_eq!(found, (again, over, counts, costs), "{code}");
        }
    }

    #[test]
    fn a_failure_tells_each_provider_in_order() {
        let failure = |provider: &str, code, detail: &str, advice: Option<&str>| ProviderFailure {
            provider: provider.to_owned(),
            advice: advice.map(str::to_owned),
            ..ProviderFailure::new(code, detail)
        };
        let all = SearchFailure {
            tried: vec![
                failure("a", SearchCode::Unauthorized, "401", Some("check the key")),
                failure("b", SearchCode::Timeout, "", None),
            ],
        };
        assert_eq!(all.to_string(), "`a` failed (unauthorized): 401; check the key; `b` failed (timeout)");
        assert!(all.is_transient() && all.code() == SearchCode::Timeout);
    }
}
