//! Failure codes of searches, and the consequences of each: retry, next provider, breaker outcome, usage.

use std::fmt;
use std::time::Duration;

use precis_proto::closed_words;
use serde::Serialize;

use crate::store::CallOutcome;

closed_words! {
    /// Why a search failed.
    #[derive(PartialOrd, Ord, Hash, Serialize)]
    pub enum SearchCode: serde {
        /// No connection could be made.
        ConnectFailed => "connect_failed",
        /// No complete answer arrived within the provider's timeout.
        Timeout => "timeout",
        /// The connection ended in the middle of the answer.
        ConnectionCut => "connection_cut",
        /// Status 5xx.
        ServerError => "server_error",
        /// Status 200 with a body that is not in the documented format: an error page, a captcha, incomplete JSON. Never "no results".
        BadAnswer => "bad_answer",
        /// The answer exceeds the size limit.
        AnswerTooLarge => "answer_too_large",
        /// A metasearch engine reported that none of its engines answered.
        EnginesUnresponsive => "engines_unresponsive",
        /// Too many requests.
        RateLimited => "rate_limited",
        /// A configured rate limit leaves no room before the deadline.
        LimitReached => "limit_reached",
        /// A spending ceiling of the session or its tenant is reached.
        CeilingReached => "ceiling_reached",
        /// The credit, plan or quota is used up.
        QuotaExhausted => "quota_exhausted",
        /// The key is missing, wrong or not allowed.
        Unauthorized => "unauthorized",
        /// The server's JSON output is disabled.
        JsonDisabled => "json_disabled",
        /// Any other 4xx, or a redirect.
        Refused => "refused",
        /// The breaker is open.
        BreakerOpen => "breaker_open",
        /// The caller's time budget is used up.
        OutOfTime => "out_of_time",
        /// The caller is gone, or this process is shutting down.
        Stopped => "stopped",
        /// The search is invalid for every provider.
        Unusable => "unusable",
        /// No provider of that name is set up.
        UnknownProvider => "unknown_provider",
        /// An internal error of this program.
        Internal => "internal",
    }
}

impl SearchCode {
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
            // Also unresponsive engines: the server in front of them has answered.
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
