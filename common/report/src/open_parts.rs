//! The open parts of a question: those that research did not cover, and those that a report says too little of.

use std::collections::BTreeSet;

use precis_proto::answer::{Answer, AnswerPart, AnswerStatus};
use precis_proto::research::{Answered, Coverage, Research, Served, SubQuestion, Unanswered};

use crate::answered::ReportSaid;

/// Suggestion for a part that the documents found do not answer.
const SUGGESTION: &str = "the documents found do not answer this; add another folder, or ask in the documents' words";

/// Makes the research record and the answer status of one report consistent.
pub(super) fn agree(research: &mut Research, answer: &mut Answer) {
    open_uncovered(research, answer.status);
    follow_parts(research, answer);
}

/// As [`agree`], for a report that says what is `said`: a part is open if the report says too little of it, and not if it says all of it.
pub(super) fn agree_with_report(research: &mut Research, answer: &mut Answer, said: &ReportSaid) {
    open_uncovered(research, answer.status);
    read_parts(research, answer.status, said);
    // Once, after both: a status that was lowered for a part that the report says would stay so.
    follow_parts(research, answer);
}

/// Lists what no passage covers as open, as far as an answer of this status has open parts.
///
/// If the documents do not answer the question, each part without full coverage is open. If they answer it, a part that no passage covers
/// is open in two cases: an open part rests on it, or some part is covered and this one has a word that occurs nowhere in what was
/// searched.
fn open_uncovered(research: &mut Research, status: AnswerStatus) {
    match status {
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
}

/// Lists the parts that the report says too little of as open, and no others of those that it answers.
fn read_parts(research: &mut Research, status: AnswerStatus, report: &ReportSaid) {
    // A question without parts is judged as a whole.
    if research.plan.len() < 2 || status == AnswerStatus::NotInDocuments {
        return;
    }
    let (said, silent): (Vec<&SubQuestion>, Vec<&SubQuestion>) =
        research.plan.iter().partition(|part| report.says(&part.text));
    let silent: BTreeSet<String> = silent.into_iter().map(|part| part.id.clone()).collect();
    let answered_ones = said.into_iter().filter(|part| report.says_all_of(&part.text));
    let answered_ones: BTreeSet<String> = answered_ones.map(|part| part.id.clone()).collect();
    research.unanswered.retain(|open| !answered_ones.contains(&open.sub_question));
    open(research, |row| silent.contains(&row.sub_question));
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
pub(super) mod tests {
    use AnswerStatus::{Answered as Whole, NotInDocuments, Partly};
    use serde_json::json;

    use super::*;

    /// Two parts with this coverage; `open` of them are listed as unanswered.
    pub(in super::super) fn research(covered: [Answered; 2], open: &[&str]) -> Research {
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
    fn what_the_report_says_is_open_by_its_own_word_alone() {
        // By coverage q2 would be open: nothing covers it, and it has a word that stands nowhere.
        let uncovered = || {
            let mut research = research([Answered::Yes, Answered::No], &[]);
            research.unknown_words = vec!["q2".to_owned()];
            research
        };
        for (told_open, status) in [(&[][..], Whole), (&["q2"], Partly), (&["q1", "q2"], NotInDocuments)] {
            let said = ReportSaid::as_told(&Research {
                unanswered: research([Answered::Yes; 2], told_open).unanswered,
                ..uncovered()
            });
            let (mut research, mut answer) =
                (uncovered(), Answer { status: Whole, line: String::new(), parts: Vec::new() });
            agree_with_report(&mut research, &mut answer, &said);
            let open: Vec<&str> = research.unanswered.iter().map(|one| one.sub_question.as_str()).collect();
            assert_eq!((answer.status, open), (status, told_open.to_vec()), "{told_open:?}");
        }
    }
}
