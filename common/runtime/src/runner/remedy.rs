//! What a caller can do about a session without a report. Pure: publishes nothing.

use precis_proto::dead_reason::DeadReason;
use precis_proto::failure_code::{FailureCode, FailureKind};

/// The remedy for a failure with this code. `None` if the message already contains it, or if the phase that reports the failure
/// supplies one, since that phase knows the session.
pub(super) fn remedy_of(code: &FailureCode) -> Option<&'static str> {
    match (code, code.kind()) {
        (FailureCode::DeadLetter(reason), _) => Some(remedy_of_dead_letter(reason)),
        (FailureCode::StateTooLarge, _) => Some("submit again with fewer sources, or split the question"),
        (FailureCode::ContentStoreFull, _) => {
            Some("free space in the store at `content_url`, or set `content_url` to another store; then submit again")
        }
        (FailureCode::ContentTooLarge, _) => Some("submit again with smaller sources"),
        (_, FailureKind::ContentStore) => {
            Some("check that the store at `content_url` is reachable and writable; then submit again")
        }
        (_, FailureKind::Cancelled) => Some("submit again under another session id"),
        (
            _,
            FailureKind::Request
            | FailureKind::Session
            | FailureKind::Defect
            | FailureKind::DeadLetter
            | FailureKind::Unknown,
        ) => None,
    }
}

/// The remedy for a dead letter with this reason.
fn remedy_of_dead_letter(reason: &DeadReason) -> &'static str {
    match reason {
        DeadReason::AttemptsExhausted => {
            "fix the error the worker log shows for this session, then run `precis dead redrive`, or submit the request again"
        }
        DeadReason::Panicked => "this is a bug; report it with the worker log of this session",
        DeadReason::TimedOut => {
            "check the worker log for what the phase waited for, or submit again with fewer sources"
        }
        DeadReason::DeliveryLimit => {
            "workers ended while they held this session: check for memory or disk that ran out, then run `precis dead redrive`, \
             or submit again with fewer sources"
        }
        DeadReason::StatePageMissing => {
            "restore the page in the store at `content_url`, then run `precis dead redrive`, or submit again; keep the store's \
             retention longer than sessions wait"
        }
        // For `Undecodable` no caller is known; the others come from the broker itself, and our queues should never cause them.
        DeadReason::Undecodable
        | DeadReason::Rejected
        | DeadReason::Expired
        | DeadReason::MaxLen
        | DeadReason::UndertakerLimit
        | DeadReason::Other(_) => "inspect it with `precis dead show`, then run `precis dead redrive`, or submit again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::settle::{DeliveryOutcome, Policy, Settlement, settle};

    #[test]
    fn each_reason_to_give_up_has_a_remedy_of_its_own() {
        let remedy = |reason: DeadReason| remedy_of(&FailureCode::DeadLetter(reason)).expect("a remedy");
        let outcomes = [DeliveryOutcome::Transient("x"), DeliveryOutcome::Panicked, DeliveryOutcome::TimedOut];
        let buried = outcomes.iter().map(|outcome| match settle(outcome, 5, &Policy::default()) {
            Settlement::Bury(reason) => reason,
            other => panic!("{other:?}"),
        });
        let others = [DeadReason::DeliveryLimit, DeadReason::StatePageMissing, DeadReason::Expired];
        let mut remedies: Vec<&str> = buried.chain(others).map(remedy).collect();
        let all = remedies.len();
        remedies.sort();
        remedies.dedup();
        assert_eq!(remedies.len(), all, "{remedies:?}");
        assert_eq!(remedy(DeadReason::Rejected), remedy(DeadReason::Expired));
    }

    /// What happened and what an operator does about it; must match the runbook.
    fn runbook_row(reason: &DeadReason) -> [&'static str; 2] {
        let policies = "Compare the broker's policies with `ops/rabbitmq/definitions.template.json`.";
        match reason {
            DeadReason::Undecodable => [
                "A message that cannot be read, mostly without an address for a reply.",
                "Find its publisher. If a newer version can read it, redrive it; otherwise drop it.",
            ],
            DeadReason::DeliveryLimit => [
                "Workers died while they held it: 21 deliveries of a session, 6 of a job; 41 and 10 if it was worked on alone.",
                "Find the cause of the deaths; check memory limits first.",
            ],
            DeadReason::Rejected => {
                ["Someone rejected it by hand.", "Find out who works on these queues; then redrive."]
            }
            DeadReason::Expired => ["Someone set a policy that expires messages.", policies],
            DeadReason::MaxLen => ["Someone set a policy that bounds a queue.", policies],
            DeadReason::AttemptsExhausted => [
                "A phase failed five times for a reason that should have been transient.",
                "The workers' log lines with this `session_id` name the reason.",
            ],
            DeadReason::Panicked => ["A defect in a handler.", "Keep the message and report it, with the version."],
            DeadReason::TimedOut => [
                "A phase did not hand over in time.",
                "As for `panicked`; a frozen disk or a stopped machine also causes it.",
            ],
            DeadReason::StatePageMissing => [
                "A page of the session's state is gone from the content store.",
                "Restore it to `content_url`, then redrive; set a retention longer than sessions wait.",
            ],
            DeadReason::UndertakerLimit => [
                "Workers died while reading only its headers; it is in `precis.dead.last`.",
                "As for `delivery_limit`; `precis dead ls` and `redrive` reach it there.",
            ],
            DeadReason::Other(_) => [
                "A reason of the broker or of a newer version that this version does not know.",
                "Look at it with `precis dead show`; upgrade, then redrive.",
            ],
        }
    }

    /// The rows of the first table of a runbook.
    fn table(file: &str) -> Vec<String> {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ops/runbooks/");
        let text = std::fs::read_to_string(format!("{dir}{file}")).expect("it is checked in");
        let rows = text.lines().skip_while(|line| !line.starts_with("| ---")).skip(1);
        rows.take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
    }

    fn row(word: &str, [happened, do_this]: [&str; 2]) -> String {
        format!("| {word} | {happened} | {do_this} |")
    }

    #[test]
    fn the_runbook_has_a_row_for_every_reason_and_no_other() {
        let known = DeadReason::KNOWN.iter().map(|reason| row(&format!("`{reason}`"), runbook_row(reason)));
        let other = row("any other", runbook_row(&DeadReason::Other(String::new())));
        let expected: Vec<String> = known.chain([other]).collect();
        assert!(table("dead-letters.md") == expected, "the table is to be\n{}", expected.join("\n"));
    }

    /// The same for a failure; `None` for codes that are the caller's mistake.
    fn failure_row(code: &FailureCode) -> Option<[&'static str; 2]> {
        let defect = "Keep `precis result SESSION --json` and report it with the version.";
        Some(match code {
            request if request.kind() == FailureKind::Request => return None,
            FailureCode::StateTooLarge => [
                "The session's state is larger than a message may be.",
                "Submit fewer sources. While `emit_version` is below 3, at most 300 of them.",
            ],
            FailureCode::NoReadableSource => [
                "No source could be read; `error.sources` gives the reason for each.",
                "If addresses were refused, check `fetch_allow_hosts`, `fetch_allow_networks`, the egress proxy.",
            ],
            FailureCode::OverBudget => [
                "No content fits into the window of any model of a role.",
                "The message shows the calculation and the key to change.",
            ],
            FailureCode::SummarizationFailed | FailureCode::CompressionFailed => [
                "Every model of the role failed.",
                "`precis doctor` checks each; a chain that ends with `local:extractive` always answers.",
            ],
            FailureCode::SearchProviderMissing => [
                "The request names a search provider that these workers do not have.",
                "Set it up in `[search.providers.NAME]` of all workers, or inform the caller.",
            ],
            FailureCode::CorpusMissing => [
                "A corpus that the request names is not in the content store, or cannot be opened.",
                "Run `precis corpus publish` again.",
            ],
            FailureCode::ContentStoreFull => ["The content store is full.", "Make room at `content_url`."],
            FailureCode::ContentTooLarge => {
                ["A text is larger than the content store accepts.", "Inform the caller; a retry does not help."]
            }
            FailureCode::ContentDamaged => [
                "A text is missing from the content store, or was changed there.",
                "Set a retention longer than sessions wait; find out who else writes there.",
            ],
            FailureCode::ContentStoreUnavailable => {
                ["The content store was unreachable for too long.", "`precis doctor`."]
            }
            FailureCode::Cancelled => ["It was cancelled on request.", "Nothing."],
            FailureCode::LedgerUnbalanced => ["A phase lost something without a record.", defect],
            FailureCode::CitationUnproved => {
                ["The report would have cited a text that its archive does not contain.", defect]
            }
            FailureCode::NoResearch | FailureCode::NoPlan | FailureCode::NoCourse | FailureCode::NoReport => [
                "A phase received a session without the output of the previous phase.",
                "Look for workers of different versions; otherwise report it with the version.",
            ],
            other => panic!("`{other}` has no row in the runbook"),
        })
    }

    #[test]
    fn the_runbook_has_a_row_for_every_code_and_no_other() {
        let (of_session, of_request): (Vec<&FailureCode>, Vec<&FailureCode>) =
            FailureCode::KNOWN.iter().partition(|code| failure_row(code).is_some());
        let said = |code: &&FailureCode| row(&format!("`{code}`"), failure_row(code).expect("a row"));
        let words: Vec<String> = of_request.iter().map(|code| format!("`{code}`")).collect();
        let caller = [
            "The caller sends a request that cannot be processed; `precis_requests_refused_total` counts them by code.",
            "Contact the owner of the caller: `error.pointer` gives the place in the request.",
        ];
        let dead =
            ["A phase was given up on, and its state is kept.", "Continue with [dead letters](dead-letters.md)."];
        let reasons: Vec<String> = DeadReason::KNOWN.iter().map(|reason| format!("`{reason}`")).collect();
        let last = [row(&words.join(", "), caller), row(&reasons.join(", "), dead)];
        let expected: Vec<String> = of_session.iter().map(said).chain(last).collect();
        assert!(table("sessions-failing.md") == expected, "the table is to be\n{}", expected.join("\n"));
    }

    #[test]
    fn a_code_that_no_phase_states_has_a_remedy() {
        for code in FailureCode::KNOWN {
            let is_ours = matches!(code.kind(), FailureKind::ContentStore | FailureKind::Cancelled);
            let has_remedy = is_ours || *code == FailureCode::StateTooLarge;
            assert_eq!(remedy_of(code).is_some(), has_remedy, "{code}");
        }
    }
}
