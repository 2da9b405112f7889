//! Content store errors: how often to retry, and the failure to send. Pure: publishes nothing.

use precis_proto::SessionId;
use precis_proto::failure_code::FailureCode;
use precis_proto::response::{ErrorInfo, Status};

use super::settle::Policy;
use super::stated_failure::stated;
use crate::content::ContentError;

/// Attempts while the store is full: space may be freed meanwhile, but seldom is (chosen, not measured).
const FULL_TRIES: u32 = 3;

/// The stable failure code of a content store error.
pub(super) fn content_code(fault: &ContentError) -> FailureCode {
    match fault {
        ContentError::Full(_) => FailureCode::ContentStoreFull,
        ContentError::TooLarge { .. } => FailureCode::ContentTooLarge,
        ContentError::Missing(_) | ContentError::Corrupt(_) => FailureCode::ContentDamaged,
        ContentError::Unavailable(_) => FailureCode::ContentStoreUnavailable,
    }
}

/// The retry policy: an unavailable store may come back, a full one seldom empties, and no retry makes a text smaller.
pub(super) fn content_policy(fault: &ContentError, policy: Policy) -> Policy {
    let max_attempts = match fault {
        ContentError::Full(_) => policy.max_attempts.min(FULL_TRIES),
        ContentError::TooLarge { .. } => 1,
        ContentError::Missing(_) | ContentError::Corrupt(_) | ContentError::Unavailable(_) => policy.max_attempts,
    };
    Policy { max_attempts }
}

/// The session's failure, to be sent to its caller and not kept.
pub(super) fn content_failure(session: &SessionId, fault: &ContentError) -> ErrorInfo {
    stated(session, Status::Failed, content_code(fault), fault.to_string())
}

/// The name of [`content_code`], for the log.
pub(super) fn content_word(fault: &ContentError) -> &'static str {
    content_code(fault).known_word().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_store_is_tried_less_often_than_one_that_is_away() {
        let policy = Policy { max_attempts: 5 };
        let table = [
            (ContentError::Full("x".into()), 3, "content_store_full"),
            (ContentError::Unavailable("x".into()), 5, "content_store_unavailable"),
            (ContentError::TooLarge { bytes: 2, limit: 1 }, 1, "content_too_large"),
        ];
        for (fault, tries, code) in table {
            assert_eq!((content_policy(&fault, policy).max_attempts, content_word(&fault)), (tries, code));
        }
        let single = Policy { max_attempts: 1 };
        assert_eq!(content_policy(&ContentError::Full("x".into()), single), single);
    }
}
