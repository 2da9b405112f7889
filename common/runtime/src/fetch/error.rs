//! What can go wrong with a fetch, and whether another try may go better.

use std::error::Error;
use std::time::Duration;

use super::policy::Denial;
use super::resolver::LookUpError;

/// Why there is no page. The message names the host at most: the rest of a URL may carry secrets.
///
/// | code | transient | when |
/// | --- | --- | --- |
/// | `fetch_refused` | no | the URL, a redirect of it or an address of its host is not allowed |
/// | `no_such_host` | no | its name server says that there is no such name, or that it has no address |
/// | `unresolved`, `unreachable`, `timed_out`, `cut_short` | yes | the network or the server |
/// | `busy` | yes | 408, 425, 429 or any 5xx; or the host asked to be left alone |
/// | `http_status` | no | any other answer that is no page |
/// | `too_many_redirects`, `too_large`, `too_dense` | no | a limit |
/// | `unsupported_type`, `unsupported_encoding`, `broken_encoding`, `not_a_pdf`, `no_text` | no | what came is of no use |
/// | `client_unavailable` | yes, or no where a setting is missing | the client could not be made |
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct FetchError {
    /// Stable; metric label.
    pub code: &'static str,
    /// Whether the same fetch might succeed later.
    pub transient: bool,
    /// What was tried on what.
    pub message: String,
}

impl FetchError {
    pub(super) fn permanent(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, transient: false, message: message.into() }
    }

    pub(super) fn transient(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, transient: true, message: message.into() }
    }

    /// `client_unavailable`, which no repetition mends.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::permanent("client_unavailable", message)
    }

    pub(super) fn refused(denial: &Denial) -> Self {
        Self::permanent("fetch_refused", denial.to_string())
    }

    pub(super) fn timed_out(limit: Duration) -> Self {
        Self::transient("timed_out", format!("no page within {} s", limit.as_secs_f64()))
    }

    /// What an error of the HTTP client means.
    pub(super) fn from_reqwest(error: &reqwest::Error, host: &str) -> Self {
        let mut causes = causes(error);
        match causes.iter().find_map(|cause| cause.downcast_ref::<LookUpError>()) {
            Some(LookUpError::Denied(denial)) => return Self::refused(denial),
            Some(gone @ LookUpError::NoSuchHost(_)) => return Self::permanent(gone.code(), gone.to_string()),
            Some(failed @ LookUpError::Failed(_)) => return Self::transient(failed.code(), failed.to_string()),
            None => {}
        }
        let cause = causes.pop().map_or_else(String::new, |cause| format!(": {cause}"));
        if error.is_timeout() {
            Self::transient("timed_out", format!("fetch from {host}: nothing came in time"))
        } else if error.is_connect() {
            Self::transient("unreachable", format!("connect to {host}{cause}"))
        } else {
            Self::transient("cut_short", format!("fetch from {host}{cause}"))
        }
    }
}

/// What led to `error`, the first cause last. The error itself, which would name the URL, is left out.
fn causes(error: &reqwest::Error) -> Vec<&(dyn Error + 'static)> {
    let mut causes = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause);
        next = cause.source();
    }
    causes
}
