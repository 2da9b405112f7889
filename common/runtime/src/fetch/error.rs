//! Errors of a fetch, and whether another try may succeed.

use std::error::Error;
use std::time::Duration;

use super::policy::Denial;
use super::resolver::LookUpError;
use super::rules::RuleError;

/// Why a page could not be fetched. The message names at most the host, since the rest of a URL may contain secrets.
///
/// | code | transient | when |
/// | --- | --- | --- |
/// | `fetch_refused` | no | the URL, a redirect target or an address of its host is not allowed; or a rule of the policy is invalid |
/// | `no_such_host` | no | the name server reports that the name does not exist or has no address |
/// | `unresolved`, `unreachable`, `timed_out`, `cut_short` | yes | the network or the server failed |
/// | `busy` | yes | status 408, 425, 429 or any 5xx; or the host asked for a pause |
/// | `http_status` | no | any other status without a page |
/// | `too_many_redirects`, `too_large`, `too_dense` | no | a limit was exceeded |
/// | `unsupported_type`, `unsupported_encoding`, `broken_encoding`, `not_a_pdf`, `no_text` | no | the response cannot be read |
/// | `client_unavailable` | yes; no if a setting is missing | the client could not be created |
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct FetchError {
    /// The stable code; also a metric label.
    pub code: &'static str,
    /// Whether the same fetch may succeed later.
    pub transient: bool,
    /// What was tried, and on which host.
    pub message: String,
}

impl FetchError {
    pub(super) fn permanent(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, transient: false, message: message.into() }
    }

    pub(super) fn transient(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, transient: true, message: message.into() }
    }

    /// A permanent `client_unavailable`.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::permanent("client_unavailable", message)
    }

    pub(super) fn from_denial(denial: &Denial) -> Self {
        Self::permanent("fetch_refused", denial.to_string())
    }

    pub(super) fn timed_out(limit: Duration) -> Self {
        Self::transient("timed_out", format!("no page within {} s", limit.as_secs_f64()))
    }

    /// Converts an error of the HTTP client.
    pub(super) fn from_reqwest(error: &reqwest::Error, host: &str) -> Self {
        let mut causes = causes(error);
        match causes.iter().find_map(|cause| cause.downcast_ref::<LookUpError>()) {
            Some(LookUpError::Denied(denial)) => return Self::from_denial(denial),
            Some(gone @ LookUpError::NoSuchHost(_)) => return Self::permanent(gone.code(), gone.to_string()),
            Some(failed @ LookUpError::Failed(_)) => return Self::transient(failed.code(), failed.to_string()),
            None => {}
        }
        let cause = causes.pop().map_or_else(String::new, |cause| format!(": {cause}"));
        if error.is_timeout() {
            Self::transient("timed_out", format!("fetch from {host}: no data in time"))
        } else if error.is_connect() {
            Self::transient("unreachable", format!("connect to {host}{cause}"))
        } else {
            Self::transient("cut_short", format!("fetch from {host}{cause}"))
        }
    }
}

/// With an invalid rule nothing is fetched.
impl From<RuleError> for FetchError {
    fn from(error: RuleError) -> Self {
        Self::permanent("fetch_refused", error.to_string())
    }
}

/// Returns the causes of `error`, the innermost last, without the error itself, which would name the URL.
fn causes(error: &reqwest::Error) -> Vec<&(dyn Error + 'static)> {
    let mut causes = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause);
        next = cause.source();
    }
    causes
}
