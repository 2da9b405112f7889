//! A session that was given up on, told to its caller with what can be done about it. Decides; publishes nothing.

use precis_proto::SessionId;
use precis_proto::response::{ErrorInfo, Status};

use super::stated_failure::stated;

/// The failure of a session that became a dead letter for `reason`, which is its code.
pub(super) fn dead_letter_failure(session: &SessionId, reason: &str, message: String) -> ErrorInfo {
    let failure = stated(session, Status::Failed, reason, message);
    ErrorInfo { remedy: Some(remedy_of(reason).to_owned()), ..failure }
}

/// What to do about a dead letter with this reason.
fn remedy_of(reason: &str) -> &'static str {
    match reason {
        "attempts_exhausted" => {
            "mend what the worker's log names for this session, then `precis dead redrive`, or ask again"
        }
        "panicked" => "this is a defect of the program; please report it with the worker's log for this session",
        "timed_out" => "see in the worker's log what it waited for, or ask with fewer sources",
        "delivery_limit" => {
            "its workers ended while they held it: look for memory or disk that ran out, then `precis dead redrive`, or ask \
             again with fewer sources"
        }
        // The broker's own reasons, which no queue of ours should ever give.
        _ => "look at it with `precis dead show`, then `precis dead redrive`, or ask again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::settle::{DeliveryOutcome, Policy, Settlement, settle};

    #[test]
    fn each_reason_to_give_up_has_a_remedy_of_its_own() {
        let session = SessionId::new("s").expect("an id");
        let remedy = |reason: &str| dead_letter_failure(&session, reason, String::new()).remedy.expect("a remedy");
        let outcomes = [DeliveryOutcome::Transient("x"), DeliveryOutcome::Panicked, DeliveryOutcome::TimedOut];
        let buried = outcomes.iter().map(|outcome| match settle(outcome, 5, &Policy::default()) {
            Settlement::Bury(reason) => reason,
            other => panic!("{other:?}"),
        });
        let mut remedies: Vec<String> = buried.chain(["delivery_limit", "expired"]).map(remedy).collect();
        let all = remedies.len();
        remedies.sort();
        remedies.dedup();
        assert_eq!(remedies.len(), all, "{remedies:?}");
        assert_eq!(remedy("rejected"), remedy("expired"));
    }
}
