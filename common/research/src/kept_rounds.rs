//! Rebuilds the rounds of a finished research from its report and the texts that were read, so that a new research continues from them.
//!
//! The report has each search and the documents it found that were read; the archive has their texts. Other hits are not stored. So a
//! rebuilt search returns passages of the documents read (the head of each and the best for its query); its other hits are only counted.

use precis_evidence::ranking::{Ranker, rank};
use precis_proto::CharRange;
use precis_proto::research::{
    Assignment, AssignmentResult, CompletedSearch, Directive, Hit, Lane, Plan, PlannedSearch, Query, Research,
    RoundLog, Served,
};
use precis_text::CanonicalText;
use precis_text::chunk::{chunks, snippet};

/// Most passages of a document that a rebuilt search returns besides its head, and their approximate length in characters (that of corpus
/// passages).
const PASSAGES: usize = 2;
const PASSAGE_CHARS: usize = 400;

/// A document that was read, with its text.
#[derive(Debug, Clone)]
pub struct KeptDocument {
    /// Path, or address in the form that searches use for pages.
    pub document: String,
    /// Address to fetch a page from, if it differs from `document`.
    pub address: Option<String>,
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: CanonicalText,
    /// Hash of its text, as `sha256:` and hex.
    pub source_text_hash: String,
    /// The searches that found it.
    pub found_by: Vec<String>,
    /// Day of publication, as `2019-03-01`, if known.
    pub published: Option<String>,
}

/// Rounds to continue from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptRounds {
    /// For each round the logs of its lanes.
    pub rounds: Vec<Vec<RoundLog>>,
    /// Hits of the searches that could not be rebuilt.
    pub hits_left_out: u32,
}

/// Rebuilds the first `round` rounds of `research`, whose `documents` were read, for a new research with `plan`.
#[must_use]
pub fn kept_rounds(research: &Research, round: u32, plan: &Plan, documents: &[KeptDocument]) -> KeptRounds {
    let mut kept = KeptRounds::default();
    for past in research.rounds.iter().take(round as usize) {
        let mut logs: Vec<RoundLog> = Vec::new();
        for directive in &past.directives {
            let lane = lane_of(&directive.id);
            let (assignment, gathered) = rebuilt(directive, lane, research, plan, documents);
            let rebuilt_hits: usize = gathered.made.iter().map(|made| made.hits.len()).sum();
            let had: u32 = directive.queries.iter().map(|query| query.hits).sum();
            kept.hits_left_out += had.saturating_sub(rebuilt_hits as u32);
            match logs.iter_mut().find(|log| log.lane == lane) {
                Some(log) => {
                    log.assignments.push(assignment);
                    log.gathered.push(gathered);
                }
                None => logs.push(RoundLog::new(lane, vec![assignment], vec![gathered])),
            }
        }
        kept.rounds.push(logs);
    }
    kept
}

/// The query texts of the first `round` rounds, as written; withheld ones have none.
#[must_use]
pub fn kept_searches(research: &Research, round: u32) -> Vec<&str> {
    let directives = research.rounds.iter().take(round as usize).flat_map(|round| &round.directives);
    directives.flat_map(|directive| &directive.queries).filter_map(|query| query.text.as_deref()).collect()
}

/// The lane of a directive, from its id.
fn lane_of(id: &str) -> Lane {
    match id.split('.').nth(1).and_then(|rest| rest.chars().next()) {
        Some('w') => Lane::Web,
        Some('a') => Lane::Academic,
        _ => Lane::Local,
    }
}

fn rebuilt(
    directive: &Directive,
    lane: Lane,
    research: &Research,
    plan: &Plan,
    documents: &[KeptDocument],
) -> (Assignment, AssignmentResult) {
    let sub_questions: Vec<String> =
        directive.sub_questions.iter().filter_map(|id| same_part(id, research, plan)).collect();
    let made: Vec<CompletedSearch> =
        directive.queries.iter().filter_map(|query| search(query, lane, documents)).collect();
    // A search for a part that the new plan lacks is not planned for any part.
    let planned = |made: &CompletedSearch| {
        let sub_question = sub_questions.first()?.clone();
        Some(PlannedSearch { text: made.text.clone(), hits: made.hits.len() as u32, sub_question, lead: None })
    };
    let assignment = Assignment {
        id: directive.id.clone(),
        lane,
        topic: directive.topic.clone(),
        perspective: String::new(),
        evidence_needed: String::new(),
        priority: 1,
        queries: made.iter().filter_map(planned).collect(),
        is_cut: false,
        own_searches: 0,
        sub_questions,
    };
    let gathered = AssignmentResult {
        made,
        turns: directive.turns,
        tool_calls: directive.tool_calls,
        tool_parse_failures: directive.tool_parse_failures,
        dropped_messages: directive.dropped_messages.clone(),
        notes_fidelity: directive.notes_fidelity.clone(),
        stopped: Some(directive.stopped),
        raw_notes: directive.raw_notes.clone(),
        ..AssignmentResult::default()
    };
    (assignment, gathered)
}

/// The id in the new plan of the part with the same text as `id` in the earlier one.
fn same_part(id: &str, research: &Research, plan: &Plan) -> Option<String> {
    let text = &research.plan.iter().find(|part| part.id == id)?.text;
    plan.sub_questions.iter().find(|part| part.text == *text).map(|part| part.id.clone())
}

/// A search that was made, as the memo would answer it; `None` if it was withheld or its text was not recorded.
fn search(query: &Query, lane: Lane, documents: &[KeptDocument]) -> Option<CompletedSearch> {
    let text = query.text.clone().filter(|_| query.withheld.is_none())?;
    let found = documents.iter().filter(|one| one.found_by.contains(&text) && is_of(lane, &one.document));
    let mut hits: Vec<Hit> = found.flat_map(|one| passages(one, &text)).collect();
    hits.truncate(query.hits as usize);
    // Scores that keep the order in which the documents were chosen.
    for (hit, rank) in hits.iter_mut().zip(1_u32..) {
        hit.score = 1.0 / f64::from(rank);
    }
    let served = if query.served == Served::Paid { Served::Memo } else { query.served };
    let failure = query.failure.clone();
    let (provider, withheld) = (query.provider.clone(), None);
    Some(CompletedSearch { text, provider, served, hits, usd: 0.0, failure, ended: None, withheld })
}

/// Whether `lane` can find `document`: pages in a public lane, files in a local one.
fn is_of(lane: Lane, document: &str) -> bool {
    lane.is_public() == document.contains("://")
}

/// The head of a document and its best passages for `query`.
fn passages(one: &KeptDocument, query: &str) -> Vec<Hit> {
    let ranked = rank(&one.text, query, Ranker::Bm25, PASSAGE_CHARS, PASSAGES);
    let mut ranges: Vec<CharRange> = ranked.into_iter().map(|chunk| chunk.range).collect();
    let head = chunks(&one.text, PASSAGE_CHARS).first().map(|chunk| snippet(&one.text, chunk));
    ranges.retain(|range| head.is_none_or(|head| range.start >= head.end));
    let hit = |range: CharRange| Hit {
        document: one.document.clone(),
        address: one.address.clone(),
        title: one.title.clone(),
        published: one.published.clone(),
        headings: Vec::new(),
        range,
        text: one.text.slice(range).to_owned(),
        score: 0.0,
        source_text_hash: one.source_text_hash.clone(),
        links: Vec::new(),
    };
    head.into_iter().chain(ranges).map(hit).collect()
}

#[cfg(test)]
mod tests {
    use precis_evidence::question::analysis::analyse;
    use serde_json::{Value, json};

    use super::super::plan;
    use super::*;

    const TEXT: &str = "The dam of Talbruck holds 77 million litres. Its keeper lives in the tower beside the dam.";

    fn query(text: &str, hits: u32, served: &str) -> Value {
        json!({ "n": 1, "text": text, "provider": "p", "hits": hits, "new": hits, "related": 0, "duplicate": 0, "served": served, "usd": 0.5 })
    }

    fn directive(id: &str, queries: &[Value]) -> Value {
        let inventory = json!({ "sources": 1, "domains": 1, "lines": [], "data_points": 0 });
        json!({
            "id": id, "sub_questions": ["q1"], "topic": "dam", "stopped": "complete", "queries": queries, "inventory": inventory,
        })
    }

    /// Two rounds: a folder and the web in the first, the folder alone in the second.
    fn research(question: &str) -> Research {
        let followed = plan(&analyse(question));
        let withheld = json!({
            "n": 2, "provider": "p", "hits": 0, "new": 0, "related": 0, "duplicate": 0, "served": "none", "withheld": "private_text",
        });
        let first =
            [directive("r1.d1", &[query("dam", 9, "paid"), withheld]), directive("r1.w1", &[query("dam", 1, "log")])];
        let second = [directive("r2.d1", &[query("keeper", 2, "paid")])];
        let round = |n: u32, directives: &[Value]| json!({ "n": n, "decision": "delegate", "reason": "r", "directives": directives, "coverage": [] });
        let value = json!({
            "brief": followed.brief, "plan": followed.sub_questions, "rounds": [round(1, &first), round(2, &second)],
            "coverage": [], "disagreements": [], "unanswered": [], "stop": "covered",
            "hits": { "found": 12, "read": 12, "duplicate": 0, "below_cut": 0, "over_budget": 0, "refused": 0, "failed": 0 },
            "budget": { "rounds": [2, 3], "searches": [3, 4], "sources": [2, 10] },
        });
        serde_json::from_value(value).expect("a research")
    }

    fn documents() -> Vec<KeptDocument> {
        let one = |document: &str, found_by: &[&str]| KeptDocument {
            document: document.to_owned(),
            address: None,
            title: document.to_owned(),
            text: CanonicalText::from_plain(TEXT),
            source_text_hash: "sha256:aa".to_owned(),
            found_by: found_by.iter().map(|query| (*query).to_owned()).collect(),
            published: Some("2019-03-01".to_owned()),
        };
        vec![one("a.md", &["dam", "keeper"]), one("https://p.example/", &["dam"]), one("given.md", &[])]
    }

    #[test]
    fn a_kept_round_has_free_searches_and_brings_its_documents() {
        let question = "How much water does the dam of Talbruck hold?";
        let past = research(question);
        for (round, rounds, left_out) in [(0, 0, 0), (1, 1, 8), (2, 2, 9), (9, 2, 9)] {
            let kept = kept_rounds(&past, round, &plan(&analyse(question)), &documents());
            assert_eq!((kept.rounds.len(), kept.hits_left_out), (rounds, left_out), "{round}");
        }
        let kept = kept_rounds(&past, 1, &plan(&analyse(question)), &documents());
        let lanes: Vec<Lane> = kept.rounds[0].iter().map(|log| log.lane).collect();
        assert_eq!(lanes, [Lane::Local, Lane::Web]);
        let made = |lane: usize| &kept.rounds[0][lane].gathered[0].made;
        assert_eq!(made(0).len(), 1, "what was withheld was not made");
        for (lane, document, served) in [(0, "a.md", Served::Memo), (1, "https://p.example/", Served::Log)] {
            let one = &made(lane)[0];
            assert_eq!((one.text.as_str(), one.served, one.usd), ("dam", served, 0.0));
            assert!(!one.hits.is_empty() && one.hits.iter().all(|hit| hit.document == document), "{one:?}");
            assert!(one.hits.iter().all(|hit| TEXT.contains(&hit.text)));
            assert!(one.hits.iter().all(|hit| hit.published.as_deref() == Some("2019-03-01")));
        }
        assert_eq!(kept_searches(&past, 1), ["dam", "dam"]);
        assert_eq!(kept_searches(&past, 2), ["dam", "dam", "keeper"]);
    }

    #[test]
    fn a_search_for_a_part_of_another_plan_matches_no_part() {
        let past = research("How much water does the dam of Talbruck hold?");
        for (question, parts) in
            [("How much water does the dam of Talbruck hold?", 1), ("Who built the tower of Varnby?", 0)]
        {
            let kept = kept_rounds(&past, 1, &plan(&analyse(question)), &documents());
            let assignment = &kept.rounds[0][0].assignments[0];
            assert_eq!((assignment.sub_questions.len(), assignment.queries.len()), (parts, parts), "{question}");
        }
    }
}
