//! Checks the numbers of a research against each other: every hit has one fate, and every search its hits.

use precis_proto::research::{Iteration, KeptReport, Research};
use precis_proto::response::ReportData;

use super::mismatch::Mismatch;

/// The numbers that do not add up: hits and their fates, hits of each search, searches made and counted.
pub(super) fn check(research: &Research) -> Vec<Mismatch> {
    let hits = &research.hits;
    let fates = [hits.read, hits.duplicate, hits.below_cut, hits.over_budget, hits.refused, hits.failed];
    let mut found = vec![differs("hits.found".to_owned(), hits.found, sum(&fates))];
    let queries = research.rounds.iter().flat_map(|round| &round.directives).flat_map(|directive| {
        directive.queries.iter().map(move |query| (format!("{}#{}", directive.id, query.n), query))
    });
    let queries: Vec<_> = queries.collect();
    found.extend(queries.iter().map(|(name, query)| {
        differs(format!("hits of {name}"), query.hits, sum(&[query.new, query.related, query.duplicate]))
    }));
    let hits_by_search: Vec<u32> = queries.iter().map(|(_, query)| query.hits).collect();
    found.push(differs("hits.found against the searches".to_owned(), hits.found, sum(&hits_by_search)));
    if let Some(forked) = research.forked.as_ref().filter(|forked| forked.round as usize > research.rounds.len()) {
        found.push(differs("forked.round".to_owned(), forked.round, research.rounds.len() as u32));
    }
    found.extend(searches(research));
    found.into_iter().flatten().collect()
}

/// Searches made and counted: those of folders apart, except in reports of versions that counted all together.
fn searches(research: &Research) -> Vec<Option<Mismatch>> {
    let directives = research.rounds.iter().flat_map(|round| &round.directives);
    let (mut charged, mut free) = (0_u32, 0_u32);
    for directive in directives {
        let made = directive.queries.iter().filter(|query| query.is_search()).count() as u32;
        match directive.is_of_folders() && research.budget.folder_searches.is_some() {
            true => free = free.saturating_add(made),
            false => charged = charged.saturating_add(made),
        }
    }
    vec![
        differs("budget.searches".to_owned(), research.budget.searches[0], charged),
        differs("budget.folder_searches".to_owned(), research.budget.folder_searches.unwrap_or(0), free),
    ]
}

/// Contradictions between passes and iterations: each iteration that read something has a pass in the ledger, in order, and the report
/// rests on the pass of the last iteration that was kept.
pub(super) fn check_passes(data: &ReportData) -> Vec<Mismatch> {
    let iterations =
        data.research.iter().filter_map(|research| research.refinement.as_ref()).flat_map(|one| &one.iterations);
    let passes: Vec<&Iteration> = iterations.filter(|one| one.visit.is_some()).collect();
    let visits = passes.iter().filter_map(|one| one.visit);
    let last = data.ledger.iter().map(|row| row.visit).max().unwrap_or(0);
    let mut found = vec![differs("number of later passes in the ledger".to_owned(), last, passes.len() as u32)];
    found.extend((1..).zip(visits).map(|(n, visit)| differs(format!("pass of iteration {n}"), visit, n)));
    let kept = passes.iter().rev().find(|one| one.kept == KeptReport::Later).and_then(|one| one.visit).unwrap_or(0);
    found.push(differs("pass of the report".to_owned(), data.content_fidelity.visit(), kept));
    found.into_iter().flatten().collect()
}

fn sum(parts: &[u32]) -> u32 {
    parts.iter().fold(0, |all, part| all.saturating_add(*part))
}

fn differs(what: String, said: u32, sum: u32) -> Option<Mismatch> {
    (said != sum).then_some(Mismatch::Research { what, said, sum })
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub(in crate::verify) fn research() -> Research {
        let query = json!({ "n": 1, "text": "dam", "provider": "corpus", "hits": 5, "new": 3, "related": 1, "duplicate": 1, "served": "paid" });
        let inventory = json!({ "sources": 1, "domains": 1, "lines": [], "data_points": 0 });
        let directive = json!({
            "id": "r1.d1", "sub_questions": ["q1"], "topic": "dam", "stopped": "complete", "queries": [query], "inventory": inventory,
        });
        let value = json!({
            "brief": {
                "question": "q", "restated": "q", "type": "fact", "complexity": "simple", "language": "en", "assumptions": [],
                "written_by": "local:extractive",
            },
            "plan": [{ "id": "q1", "text": "q", "answered_when": "w", "priority": 1, "origin": "plan" }],
            "rounds": [{ "n": 1, "decision": "stop", "reason": "r", "directives": [directive], "coverage": [] }],
            "coverage": [], "disagreements": [], "unanswered": [], "stop": "covered",
            "hits": { "found": 5, "read": 2, "duplicate": 1, "below_cut": 2, "over_budget": 0, "refused": 0, "failed": 0 },
            "budget": { "rounds": [1, 3], "searches": [1, 4], "sources": [1, 10] },
        });
        serde_json::from_value(value).expect("a research")
    }

    fn faults(change: impl FnOnce(&mut Research)) -> Vec<String> {
        let mut research = research();
        change(&mut research);
        check(&research).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_withheld_or_logged_query_is_no_search() {
        let query = |served: &str, more: serde_json::Value| {
            let mut query =
                json!({ "n": 2, "provider": "", "hits": 0, "new": 0, "related": 0, "duplicate": 0, "served": served });
            query.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
            serde_json::from_value::<precis_proto::research::Query>(query).expect("a query")
        };
        for (query, searches) in [
            (query("log", json!({ "text": "dam" })), 1),
            (query("none", json!({ "withheld": "private_text" })), 1),
            (query("none", json!({ "text": "dyke", "failure": "timeout" })), 2),
            (query("memo", json!({ "text": "dyke" })), 2),
        ] {
            let faults = |searches: u32| {
                faults(|r| {
                    r.rounds[0].directives[0].queries.push(query.clone());
                    r.budget.searches = [searches, 4];
                })
            };
            assert!(faults(searches).is_empty(), "{query:?}");
            assert_eq!(faults(3 - searches).len(), 1, "{query:?}");
        }
    }

    #[test]
    fn searches_of_folders_are_counted_apart_since_they_are_free() {
        for (id, charged, free, faults) in [
            ("r1.d1", 1, None, 0),
            ("r1.d1", 0, Some(1), 0),
            ("r1.w1", 1, Some(0), 0),
            ("r1.a1", 1, Some(0), 0),
            ("r1.d1", 1, Some(0), 2),
            ("r1.w1", 0, Some(1), 2),
        ] {
            let found = self::faults(|research| {
                research.rounds[0].directives[0].id = id.to_owned();
                research.budget.searches[0] = charged;
                research.budget.folder_searches = free;
            });
            assert_eq!(found.len(), faults, "{id} {charged} {free:?}: {found:?}");
        }
    }

    #[test]
    fn each_number_that_does_not_add_up_is_named() {
        assert!(faults(|_| ()).is_empty());
        assert_eq!(faults(|r| r.hits.read = 3), ["research: hits.found is 5, but the other numbers add up to 6"]);
        assert_eq!(
            faults(|r| r.budget.searches[0] = 2),
            ["research: budget.searches is 2, but the other numbers add up to 1"]
        );
        let said = faults(|r| r.rounds[0].directives[0].queries[0].new = 4);
        assert_eq!(said, ["research: hits of r1.d1#1 is 5, but the other numbers add up to 6"]);
        let said = faults(|r| (r.hits.found, r.hits.read) = (6, 3));
        assert_eq!(said, ["research: hits.found against the searches is 6, but the other numbers add up to 5"]);
        let forked = |round: u32| {
            let report = format!("sha256:{}", "0".repeat(64));
            serde_json::from_value(json!({ "session": "s", "report": report, "round": round })).expect("a fork")
        };
        assert!(faults(|r| r.forked = Some(forked(0))).is_empty() && faults(|r| r.forked = Some(forked(1))).is_empty());
        assert_eq!(
            faults(|r| r.forked = Some(forked(2))),
            ["research: forked.round is 2, but the other numbers add up to 1"]
        );
    }
}
