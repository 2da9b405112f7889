//! Content store errors: how often to retry, and the failure to send. Pure: publishes nothing.

use precis_proto::SessionId;
use precis_proto::failure_code::FailureCode;
use precis_proto::job::JobFailure;
use precis_proto::response::{ErrorInfo, Status};

use super::settle::{DeliveryOutcome, Policy};
use super::stated_failure::failure_info;
use crate::content::{ContentError, ContentStore};

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

/// The failure of a job that met an outage of the content store, whatever else it would have answered.
pub(super) fn outage(fault: &ContentError) -> JobFailure {
    JobFailure::transient(content_word(fault), fault.to_string())
}

/// The outage that a failed job met, if any.
pub(super) fn outage_of(failure: &JobFailure) -> Option<ContentError> {
    let is = |code: FailureCode| failure.is_transient && code.known_word() == Some(failure.code.as_str());
    let message = failure.message.clone();
    if is(FailureCode::ContentStoreFull) {
        return Some(ContentError::Full(message));
    }
    is(FailureCode::ContentStoreUnavailable).then_some(ContentError::Unavailable(message))
}

/// How a delivery ends that met `fault` at `content`. A store that a fleet shares is waited for as long as it is full or away. If it can be
/// used now, the attempt counts, so that a single content that cannot be read, or is larger than what is free, keeps no session for ever.
pub(super) async fn outcome_of(content: &ContentStore, fault: &ContentError) -> DeliveryOutcome {
    let is_waited_for = match fault {
        ContentError::Full(_) | ContentError::Unavailable(_) => {
            content.is_shared() && content.check_usable().await.is_err()
        }
        ContentError::Missing(_) | ContentError::Corrupt(_) | ContentError::TooLarge { .. } => false,
    };
    if is_waited_for { DeliveryOutcome::WithoutContent } else { DeliveryOutcome::Transient(content_word(fault)) }
}

/// The session's failure, to be sent to its caller and not kept.
pub(super) fn content_failure(session: &SessionId, fault: &ContentError) -> ErrorInfo {
    failure_info(session, Status::Failed, content_code(fault), fault.to_string())
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
        let full = outage_of(&outage(&ContentError::Full("x".into())));
        assert!(matches!(full, Some(ContentError::Full(_))), "{full:?}");
        assert_eq!(outage_of(&JobFailure::transient("content_unavailable", "one text cannot be read")), None);
        let single = Policy { max_attempts: 1 };
        assert_eq!(content_policy(&ContentError::Full("x".into()), single), single);
    }

    #[tokio::test]
    async fn only_an_unavailable_or_full_fleet_store_is_waited_for() {
        let home = tempfile::tempdir().expect("a directory");
        let url = |name: &str| format!("file://{}", home.path().join(name).display());
        let here = ContentStore::create(&url("here")).await.expect("made");
        let away = ContentStore::open(&url("away")).expect("an address");
        let own = ContentStore::directory(home.path().join("own")).expect("opens");
        let (full, unavailable) = (ContentError::Full("x".into()), ContentError::Unavailable("x".into()));
        let waits = |outcome| matches!(outcome, DeliveryOutcome::WithoutContent);
        for (store, fault, is_waited_for) in [
            // One content was too large for what is free.
            (&here, &full, false),
            (&away, &full, true),
            (&here, &unavailable, false),
            (&away, &unavailable, true),
            (&own, &full, false),
            (&own, &unavailable, false),
        ] {
            assert_eq!(waits(outcome_of(store, fault).await), is_waited_for, "{store:?} {fault}");
        }
    }
}
