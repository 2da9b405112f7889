//! What the answer to a delivery means. Pure.

use std::time::Duration;

use crate::fetch::{FetchError, PostAnswer};

/// What becomes of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The receiver has it.
    Delivered,
    /// It is tried again, not before the wait that the receiver asks for.
    Again {
        /// Why.
        reason: String,
        /// What it asks for.
        retry_after: Option<Duration>,
    },
    /// It is over.
    Failed {
        /// Why.
        reason: String,
    },
}

impl Verdict {
    /// The verdict on an attempt.
    #[must_use]
    pub fn of(attempt: &Result<PostAnswer, FetchError>) -> Self {
        let answer = match attempt {
            Ok(answer) => answer,
            // The address itself is refused: no later attempt finds another one.
            Err(error) if error.code == "fetch_refused" => return Self::Failed { reason: error.to_string() },
            Err(error) => return Self::Again { reason: error.to_string(), retry_after: None },
        };
        let reason = format!("http_status: it answered {}", answer.status);
        match answer.status {
            200..=299 => Self::Delivered,
            408 | 429 | 500..=599 => Self::Again { reason, retry_after: answer.retry_after },
            // Redirects are not followed, and every other 4xx says that this message is not wanted, 410 for good.
            _ => Self::Failed { reason },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_has_its_verdict() {
        let word = |status: u16| {
            let answer = PostAnswer { status, retry_after: Some(Duration::from_secs(7)) };
            match Verdict::of(&Ok(answer)) {
                Verdict::Delivered => "delivered",
                Verdict::Again { retry_after: Some(_), .. } => "again",
                Verdict::Again { .. } => "again without its wait",
                Verdict::Failed { .. } => "failed",
            }
        };
        for (statuses, expected) in [
            (&[200, 202, 204, 299][..], "delivered"),
            (&[408, 429, 500, 502, 503, 599], "again"),
            (&[100, 199, 300, 301, 302, 307, 308, 400, 401, 403, 404, 407, 409, 410, 428, 430, 499, 600], "failed"),
        ] {
            for status in statuses {
                assert_eq!(word(*status), expected, "{status}");
            }
        }
    }

    #[test]
    fn a_refused_address_ends_it_and_an_unavailable_one_does_not() {
        let error = |code, transient| FetchError { code, transient, message: "words".to_owned() };
        assert!(matches!(Verdict::of(&Err(error("fetch_refused", false))), Verdict::Failed { .. }));
        for code in ["timed_out", "unreachable", "no_such_host", "unresolved", "cut_short"] {
            assert!(matches!(Verdict::of(&Err(error(code, true))), Verdict::Again { .. }), "{code}");
        }
    }
}
