//! Finishes the research record of a report after its documents were read: open parts, answer status, hit counts.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::Phase;
use precis_proto::answer::{Answer, AnswerPart, AnswerStatus};
use precis_proto::ledger::SpendRow;
use precis_proto::research::{Answered, Coverage, GatheringResult, Research, Served, SubQuestion, Unanswered};
use precis_proto::response::{ReportData, SourceRow};
use precis_proto::source::DUPLICATE;
use precis_proto::task::{Role, TaskFinding};
use precis_research::extractive::{Searched, judge};
use precis_research::typed_disagreements::typed_disagreements;
use precis_research::{CORPUS, gathering_warnings};

use crate::answered::{AnswerBasis, ReportSaid, answer_line};

/// Suggestion for a part that the documents found do not answer.
const SUGGESTION: &str = "the documents found do not answer this; add another folder, or ask in the documents' words";

/// The answer status of `query` given `findings`, as a report on this research will show it; `None` if the question has no term to judge
/// by.
#[must_use]
pub fn answer_status(query: &str, findings: &[TaskFinding], research: &Research) -> Option<Answer> {
    let searched = Searched {
        is_covered: research.coverage.iter().any(|row| row.answered > Answered::No),
        unknown_words: research.unknown_words.len(),
    };
    let mut answer = judge(query, findings, Some(searched))?;
    if answer.status == AnswerStatus::NotInDocuments && has_answered_part(findings, research, searched) {
        answer.status = AnswerStatus::Partly;
    }
    agree(&mut research.clone(), &mut answer);
    Some(answer)
}

/// Whether a part that stands for itself is answered: of a question of several parts, the findings on one say little about the whole.
fn has_answered_part(findings: &[TaskFinding], research: &Research, searched: Searched) -> bool {
    let is_base = |id: &String| research.plan.iter().any(|other| other.after.contains(id));
    let mut alone = research.plan.iter().filter(|part| part.after.is_empty() && !is_base(&part.id));
    let is_answered = |text: &str| {
        judge(text, findings, Some(searched)).is_some_and(|answer| answer.status != AnswerStatus::NotInDocuments)
    };
    research.plan.len() > 1 && alone.any(|part| is_answered(&part.text))
}

/// Writes the finished research record into a report whose documents were read, and which says what is `said`. Hits in a chosen document
/// that could not be read count as failed; if no document was read, the question has no answer. A part of the question is open if the
/// report, as it is written, says too little of it.
pub fn tell(settled: GatheringResult, said: &ReportSaid, data: &mut ReportData) {
    let GatheringResult { mut research, chosen, numbers, .. } = settled;
    for row in &mut data.sources {
        row.number = [&row.path, &row.url].into_iter().flatten().find_map(|document| numbers.get(document).copied());
    }
    let fine = |row: &SourceRow| row.failure.as_ref().is_none_or(|failure| failure.code == DUPLICATE);
    let is_read = |document: &String| {
        let is_it = |row: &&SourceRow| row.path.as_ref() == Some(document) || row.url.as_ref() == Some(document);
        data.sources.iter().filter(is_it).any(fine)
    };
    for (_, hits) in chosen.iter().filter(|(document, _)| !is_read(document)) {
        unread(&mut research, *hits);
    }
    if !data.sources.iter().any(fine) {
        let status = AnswerStatus::NotInDocuments;
        data.answer = Some(Answer { status, line: String::new(), parts: Vec::new() });
    }
    if let Some(mut answer) = data.answer.take() {
        agree(&mut research, &mut answer);
        read_parts(&mut research, &mut answer, said);
        answer.line = answer_line(&answer, &AnswerBasis::of(data));
        data.answer = Some(answer);
    }
    data.spend.extend(searches(&research));
    research.disagreements = typed_disagreements(data);
    gathering_warnings::renew(&mut data.warning_details, &research);
    data.research = Some(research);
}

/// Spend rows of searches, one for each provider, by name; folder searches cost nothing and have no row.
fn searches(research: &Research) -> Vec<SpendRow> {
    let mut rows: BTreeMap<&str, SpendRow> = BTreeMap::new();
    let directives = research.rounds.iter().flat_map(|round| &round.directives);
    for query in directives.flat_map(|directive| &directive.queries).filter(|query| query.provider != CORPUS) {
        let row = rows
            .entry(&query.provider)
            .or_insert_with(|| SpendRow::new(Some(Phase::Gathering), Role::Research, &query.provider));
        row.cost_usd += query.usd;
        match query.served {
            Served::Paid => row.searches += 1,
            Served::Memo => row.cached_searches += 1,
            Served::Log | Served::None => {}
        }
    }
    rows.into_values().filter(|row| row.searches + row.cached_searches > 0).collect()
}

/// Makes the research record and the answer status of one report consistent.
///
/// If the documents do not answer the question, each part without full coverage is open. If they answer it, a part that no passage covers
/// is open in two cases: an open part rests on it, or some part is covered and this one has a word that occurs nowhere in what was
/// searched. The status follows.
fn agree(research: &mut Research, answer: &mut Answer) {
    match answer.status {
        AnswerStatus::NotInDocuments => open(research, |row| row.answered < Answered::Yes),
        AnswerStatus::Answered => {
            let mut missing = rested_on(research);
            if research.coverage.iter().any(|row| row.answered == Answered::Yes) {
                missing.extend(parts_with(&research.plan, &research.unknown_words));
            }
            open(research, |row| row.adequacy <= 0.0 && missing.contains(&row.sub_question));
        }
        AnswerStatus::Partly => {}
    }
    follow_parts(research, answer);
}

/// Lists the parts that the report says too little of as open, and no others of those that it answers.
fn read_parts(research: &mut Research, answer: &mut Answer, report: &ReportSaid) {
    // A question without parts is judged as a whole.
    if research.plan.len() < 2 || answer.status == AnswerStatus::NotInDocuments {
        return;
    }
    let (said, silent): (Vec<&SubQuestion>, Vec<&SubQuestion>) =
        research.plan.iter().partition(|part| report.says(&part.text));
    let silent: BTreeSet<String> = silent.into_iter().map(|part| part.id.clone()).collect();
    let answered_ones = said.into_iter().filter(|part| report.says_all_of(&part.text));
    let answered_ones: BTreeSet<String> = answered_ones.map(|part| part.id.clone()).collect();
    research.unanswered.retain(|open| !answered_ones.contains(&open.sub_question));
    open(research, |row| silent.contains(&row.sub_question));
    follow_parts(research, answer);
}

/// Lowers the status if parts are open: to "not in the documents" if all are, otherwise to "partly".
fn follow_parts(research: &Research, answer: &mut Answer) {
    let is_open = |id: &str| research.unanswered.iter().any(|open| open.sub_question == id);
    let open = research.plan.iter().filter(|part| is_open(&part.id)).count();
    match answer.status {
        _ if open > 0 && open == research.plan.len() => {
            (answer.status, answer.parts) = (AnswerStatus::NotInDocuments, Vec::new());
        }
        AnswerStatus::Answered if open > 0 => {
            let part = |part: &SubQuestion| AnswerPart {
                text: part.text.clone(),
                is_answered: !is_open(&part.id) && coverage_of(research, &part.id) > Answered::No,
            };
            answer.parts = research.plan.iter().map(part).collect();
            answer.status = AnswerStatus::Partly;
        }
        _ => {}
    }
}

/// Ids of the parts that open parts rest on.
fn rested_on(research: &Research) -> BTreeSet<String> {
    let is_open = |part: &&SubQuestion| research.unanswered.iter().any(|open| open.sub_question == part.id);
    research.plan.iter().filter(is_open).flat_map(|part| part.after.iter().cloned()).collect()
}

/// Moves the `hits` of a chosen document that could not be read from read to failed.
fn unread(research: &mut Research, hits: u32) {
    let moved = hits.min(research.hits.read);
    research.hits.read -= moved;
    research.hits.failed += moved;
    research.budget.sources[0] = research.budget.sources[0].saturating_sub(1);
}

fn coverage_of(research: &Research, sub_question: &str) -> Answered {
    let row = research.coverage.iter().find(|row| row.sub_question == sub_question);
    row.map_or(Answered::No, |row| row.answered)
}

/// Ids of the parts of a plan whose text has one of `words`.
fn parts_with(plan: &[SubQuestion], words: &[String]) -> BTreeSet<String> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let has = |part: &&SubQuestion| part.text.split_whitespace().map(bare).any(|own| words.contains(&own));
    plan.iter().filter(has).map(|part| part.id.clone()).collect()
}

/// Adds the parts whose coverage `is_open` to the unanswered ones, unless they are listed; a part without a row has no coverage.
fn open(research: &mut Research, is_open: impl Fn(&Coverage) -> bool) {
    let row = |part: &SubQuestion| Coverage {
        sub_question: part.id.clone(),
        answered: Answered::No,
        facets: Vec::new(),
        adequacy: 0.0,
        corroboration: 0.0,
    };
    let known = |part: &SubQuestion| research.coverage.iter().find(|row| row.sub_question == part.id).cloned();
    let is_listed = |id: &str| research.unanswered.iter().any(|open| open.sub_question == id);
    let left =
        research.plan.iter().filter(|part| is_open(&known(part).unwrap_or_else(|| row(part))) && !is_listed(&part.id));
    let opened: Vec<Unanswered> = left
        .map(|part| {
            let directives = research.rounds.iter().flat_map(|round| &round.directives);
            let directives = directives.filter(|directive| directive.sub_questions.contains(&part.id));
            let queries = directives.flat_map(|one| one.queries.iter().map(move |query| (one, query)));
            let searches = queries.filter(|(_, query)| query.served != Served::Log);
            let tried = searches.map(|(one, query)| format!("{}#{}", one.id, query.n));
            Unanswered {
                sub_question: part.id.clone(),
                looked_for: part.answered_when.clone(),
                tried: tried.collect(),
                nearest: None,
                suggest: SUGGESTION.to_owned(),
            }
        })
        .collect();
    research.unanswered.extend(opened);
    let place = |id: &str| research.plan.iter().position(|part| part.id == id);
    research.unanswered.sort_by_key(|open| place(&open.sub_question));
}

#[cfg(test)]
mod tests {
    use AnswerStatus::{Answered as Whole, NotInDocuments, Partly};
    use serde_json::json;

    use super::*;

    /// Two parts with this coverage; `open` of them are listed as unanswered.
    fn research(covered: [Answered; 2], open: &[&str]) -> Research {
        let part = |id: &str| json!({ "id": id, "text": id, "answered_when": "w", "priority": 1, "origin": "plan" });
        let unanswered = |id: &&str| json!({ "sub_question": id, "looked_for": "w", "tried": [], "suggest": "s" });
        let value = json!({
            "brief": {
                "question": "q", "restated": "q", "type": "fact", "complexity": "simple", "language": "en", "assumptions": [],
                "written_by": "local:extractive",
            },
            "plan": [part("q1"), part("q2")], "rounds": [], "coverage": [], "disagreements": [], "stop": "covered",
            "unanswered": open.iter().map(unanswered).collect::<Vec<_>>(),
            "hits": { "found": 5, "read": 5, "duplicate": 0, "below_cut": 0, "over_budget": 0, "refused": 0, "failed": 0 },
            "budget": { "rounds": [1, 3], "searches": [1, 4], "sources": [2, 10] },
        });
        let mut research: Research = serde_json::from_value(value).expect("a research");
        let row = |(id, answered): (&str, Answered)| Coverage {
            sub_question: id.to_owned(),
            answered,
            facets: Vec::new(),
            adequacy: f64::from(u8::from(answered == Answered::Yes)),
            corroboration: 0.0,
        };
        research.coverage = ["q1", "q2"].into_iter().zip(covered).map(row).collect();
        research
    }

    #[test]
    fn searches_of_a_provider_are_a_row_and_those_of_folders_none() {
        let mut research = research([Answered::Yes, Answered::Yes], &[]);
        let query = |provider: &str, served: &str, usd: f64| {
            json!({ "n": 1, "text": "t", "provider": provider, "hits": 0, "new": 0, "related": 0, "duplicate": 0, "served": served,
                "usd": usd })
        };
        let round = json!({
            "n": 1, "decision": "stop", "reason": "r", "coverage": [],
            "directives": [{
                "id": "r1.d1", "sub_questions": [], "topic": "t", "stopped": "complete",
                "queries": [
                    query("corpus", "paid", 0.0), query("fake", "paid", 0.25), query("fake", "memo", 0.0), query("fake", "log", 0.0),
                    query("fake", "paid", 0.25), query("other", "none", 0.0),
                ],
                "turns": 0, "tool_calls": 0, "tool_parse_failures": 0,
                "inventory": { "lines": [], "data_points": 0, "sources": 0, "domains": 0 },
            }],
        });
        research.rounds = vec![serde_json::from_value(round).expect("a round")];
        let rows = searches(&research);
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((row.provider.as_str(), row.searches, row.cached_searches, row.calls), ("fake", 2, 1, 0));
        assert!((row.cost_usd - 0.5).abs() < 1e-9);
    }

    #[test]
    fn research_and_answer_agree() {
        const YES: Answered = Answered::Yes;
        const PART: Answered = Answered::Partly;
        type AnswerCase<'a> = ([Answered; 2], &'a [&'a str], AnswerStatus, AnswerStatus, &'a [&'a str], usize);
        let cases: [AnswerCase<'_>; 6] = [
            ([YES, YES], &[], Whole, Whole, &[], 0),
            ([YES, PART], &["q2"], Whole, Partly, &["q2"], 1),
            ([PART, PART], &["q1", "q2"], Whole, NotInDocuments, &["q1", "q2"], 0),
            ([YES, PART], &[], NotInDocuments, NotInDocuments, &["q2"], 0),
            ([PART, PART], &["q2"], NotInDocuments, NotInDocuments, &["q1", "q2"], 0),
            ([PART, PART], &[], Partly, Partly, &[], 0),
        ];
        for (covered, listed, judged, status, open, parts_open) in cases {
            let mut research = research(covered, listed);
            let mut answer = Answer { status: judged, line: String::new(), parts: Vec::new() };
            agree(&mut research, &mut answer);
            let told: Vec<&str> = research.unanswered.iter().map(|open| open.sub_question.as_str()).collect();
            assert_eq!((answer.status, told), (status, open.to_vec()), "{covered:?} {listed:?} {judged:?}");
            assert_eq!(answer.parts.iter().filter(|part| !part.is_answered).count(), parts_open, "{covered:?}");
        }
    }

    #[test]
    fn an_uncovered_part_with_an_unknown_word_stays_open() {
        const YES: Answered = Answered::Yes;
        const PART: Answered = Answered::Partly;
        for (covered, unknown, open) in [
            ([YES, PART], "q2", &["q2"][..]),
            ([YES, PART], "q", &[]),
            ([PART, PART], "q2", &[]),
            ([YES, YES], "q2", &[]),
        ] {
            let mut research = research(covered, &[]);
            research.unknown_words = vec![unknown.to_owned()];
            let mut answer = Answer { status: Whole, line: String::new(), parts: Vec::new() };
            agree(&mut research, &mut answer);
            let told: Vec<&str> = research.unanswered.iter().map(|one| one.sub_question.as_str()).collect();
            assert_eq!(told, open, "{covered:?} {unknown}");
            assert_eq!(answer.status == Partly, !open.is_empty(), "{covered:?} {unknown}");
        }
    }

    #[test]
    fn an_uncovered_part_is_open_where_an_open_part_needs_it() {
        const PART: Answered = Answered::Partly;
        for (covered, after, listed, open) in [
            (PART, "q1", &["q2"][..], &["q1", "q2"][..]),
            (PART, "q3", &["q2"], &["q2"]),
            (PART, "q1", &[], &[]),
            (Answered::Yes, "q1", &["q2"], &["q2"]),
        ] {
            let mut research = research([covered, Answered::No], listed);
            research.plan[1].after = vec![after.to_owned()];
            let mut answer = Answer { status: Whole, line: String::new(), parts: Vec::new() };
            agree(&mut research, &mut answer);
            let told: Vec<&str> = research.unanswered.iter().map(|one| one.sub_question.as_str()).collect();
            assert_eq!(told, open, "{covered:?} {after} {listed:?}");
            assert_eq!(answer.status, [Whole, Partly, NotInDocuments][open.len()], "{covered:?} {after} {listed:?}");
        }
    }

    #[test]
    fn hits_in_an_unreadable_document_fail_and_still_add_up() {
        for (hits, read, failed) in [(0, 5, 0), (2, 3, 2), (9, 0, 5)] {
            let mut research = research([Answered::Yes; 2], &[]);
            unread(&mut research, hits);
            assert_eq!((research.hits.read, research.hits.failed, research.budget.sources[0]), (read, failed, 1));
        }
    }
}
