//! Warnings of the report about passages not read and messages not shown; the numbers are in `data.research`.

use precis_proto::Phase;
use precis_proto::research::Research;
use precis_proto::warning::{Warning, WarningCode};

/// Codes that gathering uses for the whole session.
const LEFT_OUT: [WarningCode; 2] = [WarningCode::ContentDropped, WarningCode::ContentTruncated];

/// Replaces the gathering warnings in `warnings` with those of `research`. Each pass counts everything searched so far, so warnings of an
/// earlier pass are removed.
pub fn renew(warnings: &mut Vec<Warning>, research: &Research) {
    let is_ours = |known: &Warning| known.phase == Some(Phase::Gathering) && known.item_id.is_none();
    warnings.retain(|known| !(is_ours(known) && LEFT_OUT.contains(&known.code)));
    warnings.extend(left_out(research));
}

/// A warning for passages beyond the source limit, and one for messages dropped from researchers' windows.
fn left_out(research: &Research) -> impl Iterator<Item = Warning> {
    let directives = research.rounds.iter().flat_map(|round| &round.directives);
    let messages = directives.map(|directive| directive.dropped_messages.len()).sum();
    let counted = [
        (
            research.hits.over_budget as usize,
            WarningCode::ContentDropped,
            "in documents beyond the source limit",
            (
                "passage found by search was not read, because it is",
                "passages found by search were not read, because they are",
            ),
        ),
        (
            messages,
            WarningCode::ContentTruncated,
            "left out of later turns to fit the model's window",
            ("researcher message was", "researcher messages were"),
        ),
    ];
    let warning = |(count, code, rest, (one, many))| {
        let subject = if count == 1 { one } else { many };
        Warning::new(code, Phase::Gathering, format!("{count} {subject} {rest}"))
    };
    counted.into_iter().filter(|(count, ..)| *count > 0).map(warning)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn research(over_budget: u32, dropped: usize) -> Research {
        let message = json!({ "n": 3, "role": "tool", "why": "window" });
        let directive = json!({
            "id": "r1.d1", "sub_questions": [], "topic": "t", "stopped": "complete", "queries": [],
            "inventory": { "sources": 0, "domains": 0, "lines": [], "data_points": 0 }, "dropped_messages": vec![message; dropped],
        });
        let value = json!({
            "brief": {
                "question": "q", "restated": "q", "type": "fact", "complexity": "simple", "language": "en", "assumptions": [],
                "written_by": "local:extractive",
            },
            "plan": [], "rounds": [{ "n": 1, "decision": "stop", "reason": "r", "coverage": [], "directives": [directive] }],
            "coverage": [], "disagreements": [], "stop": "covered", "unanswered": [],
            "hits": { "found": over_budget, "read": 0, "duplicate": 0, "below_cut": 0, "over_budget": over_budget, "refused": 0, "failed": 0 },
            "budget": { "rounds": [1, 3], "searches": [1, 4], "sources": [2, 10] },
        });
        serde_json::from_value(value).expect("a research")
    }

    #[test]
    fn omissions_of_a_search_are_reported_once_by_the_latest_pass() {
        let other = Warning::new(WarningCode::SearchProviderFailed, Phase::Gathering, "p: away");
        let mut warnings = vec![other.clone()];
        for (over_budget, dropped, want) in [
            (0, 0, vec![]),
            (1, 0, vec!["1 passage found by search was not read"]),
            (7, 2, vec!["7 passages found by search were not read", "2 researcher messages were"]),
            (7, 2, vec!["7 passages found by search were not read", "2 researcher messages were"]),
            (0, 1, vec!["1 researcher message was"]),
        ] {
            renew(&mut warnings, &research(over_budget, dropped));
            assert_eq!(warnings[0], other);
            let said: Vec<&str> = warnings[1..].iter().map(|warning| warning.message.as_str()).collect();
            assert_eq!(said.len(), want.len(), "{said:?}");
            assert!(said.iter().zip(&want).all(|(said, want)| said.starts_with(want)), "{said:?}");
        }
    }
}
