//! A session that was given up on, told to its caller with what can be done about it. Decides; publishes nothing.

use precis_proto::SessionId;
use precis_proto::dead_reason::DeadReason;
use precis_proto::response::{ErrorInfo, Status};

use super::stated_failure::stated;

/// The failure of a session that became a dead letter for `reason`, whose word is its code.
pub(super) fn dead_letter_failure(session: &SessionId, reason: &DeadReason, message: String) -> ErrorInfo {
    let failure = stated(session, Status::Failed, reason.as_str(), message);
    ErrorInfo { remedy: Some(remedy_of(reason).to_owned()), ..failure }
}

/// What a caller can do about a dead letter with this reason.
fn remedy_of(reason: &DeadReason) -> &'static str {
    match reason {
        DeadReason::AttemptsExhausted => {
            "mend what the worker's log names for this session, then `precis dead redrive`, or ask again"
        }
        DeadReason::Panicked => {
            "this is a defect of the program; please report it with the worker's log for this session"
        }
        DeadReason::TimedOut => "see in the worker's log what it waited for, or ask with fewer sources",
        DeadReason::DeliveryLimit => {
            "its workers ended while they held it: look for memory or disk that ran out, then `precis dead redrive`, or ask \
             again with fewer sources"
        }
        DeadReason::StatePageMissing => {
            "bring the page back to the store at `content_url` and redrive the dead letter, or ask again; keep its retention \
             longer than sessions wait"
        }
        // Of the first nobody is known who could be told; the others are the broker's own, which no queue of ours should ever give.
        DeadReason::Undecodable
        | DeadReason::Rejected
        | DeadReason::Expired
        | DeadReason::MaxLen
        | DeadReason::UndertakerLimit
        | DeadReason::Other(_) => "look at it with `precis dead show`, then `precis dead redrive`, or ask again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::settle::{DeliveryOutcome, Policy, Settlement, settle};

    #[test]
    fn each_reason_to_give_up_has_a_remedy_of_its_own() {
        let session = SessionId::new("s").expect("an id");
        let remedy =
            |reason: DeadReason| dead_letter_failure(&session, &reason, String::new()).remedy.expect("a remedy");
        let outcomes = [DeliveryOutcome::Transient("x"), DeliveryOutcome::Panicked, DeliveryOutcome::TimedOut];
        let buried = outcomes.iter().map(|outcome| match settle(outcome, 5, &Policy::default()) {
            Settlement::Bury(reason) => reason,
            other => panic!("{other:?}"),
        });
        let others = [DeadReason::DeliveryLimit, DeadReason::StatePageMissing, DeadReason::Expired];
        let mut remedies: Vec<String> = buried.chain(others).map(remedy).collect();
        let all = remedies.len();
        remedies.sort();
        remedies.dedup();
        assert_eq!(remedies.len(), all, "{remedies:?}");
        assert_eq!(remedy(DeadReason::Rejected), remedy(DeadReason::Expired));
    }

    /// What happened and what an operator does about it, as the runbook says.
    fn runbook_row(reason: &DeadReason) -> [&'static str; 2] {
        let policies = "Compare the broker's policies with `ops/rabbitmq/definitions.template.json`.";
        match reason {
            DeadReason::Undecodable => [
                "A message that cannot be read, and mostly no address to tell.",
                "Find who published it. A version that can read it takes it after a redrive; else drop it.",
            ],
            DeadReason::DeliveryLimit => [
                "Workers died over it: 21 deliveries of a session, 6 of a job; 41 and 10 where it was held alone.",
                "Look for what kills workers, first of all memory limits.",
            ],
            DeadReason::Rejected => ["Somebody rejected it by hand.", "Ask who works on our queues; then redrive."],
            DeadReason::Expired => ["Somebody set a policy that expires messages.", policies],
            DeadReason::MaxLen => ["Somebody set a policy that bounds a queue.", policies],
            DeadReason::AttemptsExhausted => [
                "A phase failed five times for a passing reason that did not pass.",
                "The workers' log lines with this `session_id` name it.",
            ],
            DeadReason::Panicked => ["A defect in a handler.", "Keep the message and report it with the version."],
            DeadReason::TimedOut => {
                ["A phase did not hand over in time.", "As `panicked`; a frozen disk or a stopped machine does it too."]
            }
            DeadReason::StatePageMissing => [
                "A page of the session's state is gone from the content store.",
                "Bring it back to `content_url`, then redrive; keep its retention longer than sessions wait.",
            ],
            DeadReason::UndertakerLimit => [
                "Workers died over its headers alone; it lies in `precis.dead.last`.",
                "As `delivery_limit`; `precis dead ls` and `redrive` reach it there.",
            ],
            DeadReason::Other(_) => [
                "A word of the broker or of a newer version that this one does not know.",
                "Look at it with `precis dead show`; upgrade, then redrive.",
            ],
        }
    }

    #[test]
    fn the_runbook_has_a_row_for_every_reason_and_no_other() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ops/runbooks/dead-letters.md");
        let text = std::fs::read_to_string(file).expect("it is checked in");
        let rows: Vec<&str> = text
            .lines()
            .skip_while(|line| !line.starts_with("| ---"))
            .skip(1)
            .take_while(|l| l.starts_with('|'))
            .collect();
        let row = |word: &str, [happened, do_this]: [&str; 2]| format!("| {word} | {happened} | {do_this} |");
        let known = DeadReason::KNOWN.iter().map(|reason| row(&format!("`{reason}`"), runbook_row(reason)));
        let other = row("any other", runbook_row(&DeadReason::Other(String::new())));
        let expected: Vec<String> = known.chain([other]).collect();
        assert!(rows == expected, "the table of {file} is to be\n{}", expected.join("\n"));
    }
}
