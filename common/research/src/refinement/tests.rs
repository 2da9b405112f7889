//! Tests of gaps and queries over whole courses: which gaps are found, what a lane may see, no query twice, none beyond the budget.

use std::collections::BTreeSet;

use precis_evidence::question::analysis::analyse;
use precis_evidence::question::normal_query::normal;
use precis_proto::CharRange;
use precis_proto::answer::{Answer, AnswerPart, AnswerStatus};
use precis_proto::claim::{Claim, Done, Evaluation, JudgedBy, Verdict};
use precis_proto::compare::{Disagreement, GivenValue};
use precis_proto::research::{
    Answered, Assignment, AssignmentResult, CompletedSearch, GapKind, Hit, Lane, RoundLog, Served, Severity, ValueKind,
};
use precis_proto::response::ReportData;
use precis_text::terms::{query_terms, terms};

use super::*;
use crate::budget::ResearchLimits;
use crate::course::ResearchCourse;
use crate::{NoVocabulary, plan};

const QUESTION: &str = "Who directed Blue Moon, and who owns the ferry of Leeds?";
const DOCUMENTS: [(&str, &str); 3] = [
    ("film.txt", "Blue Moon was directed by Ann Bell in 1950."),
    ("mill.txt", "The mill of Leeds stands at the river, as Tom Fox says."),
    ("rock.txt", "Granite cools slowly."),
];

fn gather(assignment: &Assignment, documents: &[(&str, &str)]) -> AssignmentResult {
    let made = assignment.queries.iter().map(|wanted| {
        let asked = query_terms(&wanted.text);
        let hits = documents.iter().filter_map(|(document, text)| {
            let held = terms(text);
            let score = asked.iter().filter(|term| held.contains(term)).count();
            (score > 0).then(|| Hit {
                document: (*document).to_owned(),
                range: CharRange::new(0, text.chars().count()),
                text: (*text).to_owned(),
                score: score as f64,
                ..Hit::default()
            })
        });
        CompletedSearch {
            text: wanted.text.clone(),
            provider: "corpus".to_owned(),
            served: Served::Paid,
            hits: hits.collect(),
            usd: 0.0,
            failure: None,
            ended: None,
            withheld: None,
        }
    });
    AssignmentResult { made: made.collect(), ..AssignmentResult::default() }
}

fn fold(course: &mut ResearchCourse, assignments: Vec<Assignment>, documents: &[(&str, &str)]) -> bool {
    let gathered = assignments.iter().map(|one| gather(one, documents)).collect();
    let lane = course.lane;
    course.fold(RoundLog::new(lane, assignments, gathered)).is_none()
}

/// A finished course in `lane` over `documents`.
fn finished_course(lane: Lane, searches: u32, documents: &[(&str, &str)]) -> ResearchCourse {
    let limits = ResearchLimits { rounds: 3, searches, sources: 10 };
    let mut course = ResearchCourse::new(plan(&analyse(QUESTION)), lane, limits, &NoVocabulary);
    while let Ok(assignments) = course.assignments(&[], &NoVocabulary) {
        if !fold(&mut course, assignments, documents) {
            break;
        }
    }
    course
}

fn claim(text: &str, verdict: Verdict, done: Done) -> Claim {
    Claim {
        text: text.to_owned(),
        verdict,
        quotes: Vec::new(),
        by_quote: Vec::new(),
        checks: Vec::new(),
        rests_on: None,
        judged_by: JudgedBy::Checks,
        reason: None,
        done,
        now: None,
        now_verdict: None,
    }
}

/// A report over a course, with the statements and disagreements that are given.
fn report(course: &ResearchCourse, claims: Vec<Claim>, units: &[&str]) -> ReportData {
    let value = |value: &str| GivenValue { value: value.to_owned(), citations: vec![1], newer: None };
    let differing = |unit: &&str| Disagreement {
        unit: (*unit).to_owned(),
        kind: ValueKind::Number,
        values: vec![value("5 t"), value("9 t")],
    };
    let settled = ResearchCourse::new(course.plan.clone(), course.lane, limits(), &NoVocabulary)
        .settle(precis_proto::research::Stop::Covered);
    let mut research = settled.into_research();
    research.unanswered.clear();
    research.coverage = course.known.iter().map(|known| known.coverage.clone()).collect();
    ReportData {
        claims,
        disagreements: units.iter().map(differing).collect(),
        answer: Some(Answer { status: AnswerStatus::Answered, line: String::new(), parts: Vec::new() }),
        research: Some(research),
        ..cited_report()
    }
}

/// A report with one citation.
fn cited_report() -> ReportData {
    serde_json::from_value(serde_json::json!({
        "query": "What?", "report": "The bridge is long. [1]", "sources": [], "content_fidelity_schema_version": "2", "content_fidelity": {},
        "citations": [{ "n": 1, "source_id": "a", "title": "a", "locator": "char:0-19", "text": "The bridge is long.", "source_text_hash": "sha256:00" }],
        "dropped_content_ids": [], "content_archive_hashes": {}, "warning_details": [], "ledger": [], "spend": [],
        "session": { "id": "s", "status": "completed", "incomplete": false, "phases": [] },
    }))
    .expect("a report")
}

fn limits() -> ResearchLimits {
    ResearchLimits { rounds: 3, searches: 9, sources: 10 }
}

fn local_sight(report: &ReportData) -> Sight<'_> {
    Sight::for_lane(Lane::Local, true, report)
}

#[test]
fn a_sub_question_without_support_is_a_gap() {
    let course = finished_course(Lane::Local, 9, &DOCUMENTS);
    assert_eq!(course.known[0].coverage.answered, Answered::Yes, "the film is found");
    assert_ne!(course.known[1].coverage.answered, Answered::Yes, "no ferry is");
    let told = report(&course, Vec::new(), &[]);
    let mut research = told.research.clone().expect("research");
    for (answered, status, want) in [
        (Answered::No, AnswerStatus::Answered, Some(Severity::Critical)),
        (Answered::Partly, AnswerStatus::Partly, Some(Severity::Moderate)),
        (Answered::Partly, AnswerStatus::Answered, None),
        (Answered::Yes, AnswerStatus::Partly, None),
    ] {
        research.coverage[1].answered = answered;
        let told = ReportData {
            answer: Some(Answer { status, line: String::new(), parts: Vec::new() }),
            research: Some(research.clone()),
            ..told.clone()
        };
        let found = gaps(&course, local_sight(&told));
        let found: Vec<(GapKind, Severity, usize)> =
            found.iter().map(|one| (one.kind, one.severity, one.sub_question)).collect();
        let want: Vec<_> = want.into_iter().map(|severity| (GapKind::SubQuestion, severity, 1)).collect();
        assert_eq!(found, want, "{answered:?} {status:?}");
    }
}

#[test]
fn what_the_report_itself_has_nothing_on_is_a_gap() {
    let course = finished_course(Lane::Local, 9, &DOCUMENTS);
    let told = report(&course, Vec::new(), &[]);
    let mut research = told.research.clone().expect("research");
    research.coverage.iter_mut().for_each(|row| row.answered = Answered::Yes);
    let part = |is_answered| AnswerPart { text: course.plan.sub_questions[1].text.clone(), is_answered };
    for (status, parts, want) in [
        (AnswerStatus::Partly, vec![part(true)], vec![]),
        (AnswerStatus::Partly, vec![part(false)], vec![1]),
        (AnswerStatus::NotInDocuments, vec![], vec![0, 1]),
    ] {
        let told = ReportData {
            answer: Some(Answer { status, line: String::new(), parts }),
            research: Some(research.clone()),
            ..told.clone()
        };
        let found = gaps(&course, local_sight(&told));
        assert_eq!(found.iter().map(|one| one.sub_question).collect::<Vec<_>>(), want, "{status:?}");
    }
}

#[test]
fn what_a_model_judged_of_a_part_decides_before_coverage_by_words() {
    let course = finished_course(Lane::Local, 9, &DOCUMENTS);
    let told = report(&course, Vec::new(), &[]);
    let part = &course.plan.sub_questions[1];
    for (verdict, want) in [
        (Verdict::Supported, None),
        (Verdict::Disputed, None),
        (Verdict::Partly, Some(Severity::Moderate)),
        (Verdict::NotSupported, Some(Severity::Critical)),
    ] {
        let opinion = serde_json::json!([{
            "question": part.text, "verdict": verdict, "quote": "The bridge is long.", "reason": "so",
        }]);
        let answers = serde_json::from_value(opinion).expect("an opinion");
        let evaluation = Some(Evaluation { answers, ..Evaluation::default() });
        let mut research = told.research.clone().expect("research");
        // The other way round by words: covered where the model finds nothing, and nothing where it finds an answer.
        research.coverage[1].answered = if want.is_none() { Answered::No } else { Answered::Yes };
        let told = ReportData { evaluation, research: Some(research), ..told.clone() };
        let found = gaps(&course, local_sight(&told)).into_iter().find(|one| one.sub_question == 1);
        assert_eq!(found.map(|one| one.severity), want, "{verdict:?}");
    }
}

#[test]
fn an_unsupported_statement_without_a_better_one_is_a_gap() {
    let course = finished_course(
        Lane::Local,
        9,
        &[("a.txt", "Blue Moon was directed by Ann Bell. The ferry of Leeds is owned by Tom Fox.")],
    );
    for (verdict, done, want) in [
        (Verdict::NotSupported, Done::Removed, Some(Severity::Moderate)),
        (Verdict::NotSupported, Done::Marked, Some(Severity::Moderate)),
        (Verdict::Partly, Done::Kept, Some(Severity::Minor)),
        (Verdict::Partly, Done::Corrected, None),
        (Verdict::NotSupported, Done::Corrected, None),
        (Verdict::Supported, Done::Kept, None),
        (Verdict::Verbatim, Done::Kept, None),
        (Verdict::Disputed, Done::Marked, None),
    ] {
        let told = report(&course, vec![claim("The ferry carries 60 cars.", verdict, done)], &[]);
        let found = gaps(&course, local_sight(&told));
        let of: Vec<Severity> =
            found.iter().filter(|one| one.kind == GapKind::Statement).map(|one| one.severity).collect();
        assert_eq!(of, want.into_iter().collect::<Vec<_>>(), "{verdict:?} {done:?}");
        assert!(found.iter().all(|one| one.kind != GapKind::Statement || one.sub_question == 1), "the ferry's");
    }
    let told = report(&course, Vec::new(), &["tonnes"]);
    let found = gaps(&course, local_sight(&told));
    assert_eq!(found.last().map(|one| (one.kind, one.values.len())), Some((GapKind::Disagreement, 2)));
}

#[test]
fn the_most_severe_gaps_are_searched_within_the_lane_directives() {
    let course = finished_course(
        Lane::Local,
        9,
        &[("a.txt", "Blue Moon was directed by Ann Bell. The ferry of Leeds is owned by Tom Fox.")],
    );
    for (statements, want) in [(GAPS_EACH - 1, GAPS_EACH - 1), (GAPS_EACH, GAPS_EACH), (GAPS_EACH + 1, GAPS_EACH)] {
        let mut claims: Vec<Claim> =
            (1..statements).map(|n| claim(&format!("It carries {n} cars."), Verdict::Partly, Done::Kept)).collect();
        claims.push(claim("It was built by Carl Hope.", Verdict::NotSupported, Done::Removed));
        let told = report(&course, claims, &[]);
        let found = gaps(&course, local_sight(&told));
        assert_eq!(found.len(), want);
        assert_eq!(found[0].severity, Severity::Moderate, "the gravest first: {found:?}");
    }
}

#[test]
fn a_web_lane_with_private_documents_sees_no_report_text() {
    // No page mentions the ferry.
    let course = finished_course(Lane::Web, 9, &[DOCUMENTS[0], DOCUMENTS[2]]);
    let reports = [
        report(&course, Vec::new(), &[]),
        report(&course, vec![claim("Project Quorvix owns it.", Verdict::NotSupported, Done::Removed)], &["Quorvix"]),
        ReportData { research: None, answer: None, ..report(&course, Vec::new(), &["Brandau"]) },
    ];
    let plans: Vec<LanePlan> = reports
        .iter()
        .map(|told| LanePlan::new(&course, Sight::for_lane(Lane::Web, true, told), &[], &NoVocabulary))
        .collect();
    assert!(plans[0].queries() > 0, "its own gap is looked for: {:?}", plans[0]);
    assert!(plans.iter().all(|plan| *plan == plans[0]), "{plans:#?}");
    let open = LanePlan::new(&course, Sight::for_lane(Lane::Web, false, &reports[1]), &[], &NoVocabulary);
    assert!(open.gaps.iter().any(|gap| gap.kind == GapKind::Statement), "where all is public it may: {open:?}");
    let local = LanePlan::new(&course, Sight::for_lane(Lane::Local, true, &reports[1]), &[], &NoVocabulary);
    assert_eq!(local.gaps, open.gaps, "a folder is asked by whoever owns it");
}

#[test]
fn what_a_sub_question_rests_on_leads_to_its_query() {
    let limits = ResearchLimits { rounds: 1, searches: 9, sources: 10 };
    let question = plan(&analyse("Where was the director of Blue Moon born?"));
    let mut course = ResearchCourse::new(question, Lane::Local, limits, &NoVocabulary);
    let assignments = course.assignments(&[], &NoVocabulary).expect("a first round");
    fold(&mut course, assignments, &DOCUMENTS);
    let told = report(&course, Vec::new(), &[]);
    let planned = LanePlan::new(&course, local_sight(&told), &[], &NoVocabulary);
    let queries: Vec<&String> = planned.gaps.iter().flat_map(|gap| &gap.queries).collect();
    assert!(queries.iter().any(|query| query.contains("Ann Bell")), "{planned:?}");
}

#[test]
fn what_names_nothing_is_looked_for_with_what_the_question_names() {
    let limits = ResearchLimits { rounds: 1, searches: 9, sources: 10 };
    let question = plan(&analyse("Which proposal replaced PEP 358, and what did it change?"));
    let mut course = ResearchCourse::new(question, Lane::Local, limits, &NoVocabulary);
    let assignments = course.assignments(&[], &NoVocabulary).expect("a first round");
    fold(&mut course, assignments, &DOCUMENTS);
    let told = report(&course, Vec::new(), &[]);
    let planned = LanePlan::new(&course, local_sight(&told), &[], &NoVocabulary);
    let gap = planned.gaps.iter().find(|gap| gap.text == "what did it change").expect("nothing was found of it");
    assert!(gap.queries.iter().any(|query| query.contains("PEP 358") && query.contains("change")), "{gap:?}");
    assert!(gap.queries.iter().all(|query| query != "change"), "{gap:?}");
}

#[test]
fn no_query_is_repeated_or_beyond_the_remaining_searches() {
    for searches in 1..12 {
        let course = finished_course(Lane::Local, searches, &DOCUMENTS);
        let claims = (0..4).map(|n| {
            claim(&format!("The ferry number {n} was built by Carl Hope."), Verdict::NotSupported, Done::Marked)
        });
        let told = report(&course, claims.collect(), &["tonnes"]);
        let planned = LanePlan::new(&course, local_sight(&told), &[], &NoVocabulary);
        let queries: Vec<String> =
            planned.assignments.iter().flat_map(|one| one.queries.iter().map(|query| query.text.clone())).collect();
        let forms: BTreeSet<String> = queries.iter().map(|query| normal(query)).collect();
        assert_eq!(forms.len(), queries.len(), "{searches}: one query twice: {queries:?}");
        assert!(forms.iter().all(|form| !course.queries.contains(form)), "{searches}: asked before: {queries:?}");
        assert!(queries.len() <= planned.searches_left as usize, "{searches}: {queries:?}");
        assert!(planned.gaps.iter().all(|gap| gap.queries.len() <= QUERIES_EACH));
        let most = planned.new_queries;
        assert_eq!(queries.len(), most.min(planned.searches_left as usize), "{searches}: room is used");
    }
}

#[test]
fn a_gap_has_at_most_three_queries() {
    let course = finished_course(Lane::Local, 200, &[]);
    for (values, want) in
        [(QUERIES_EACH - 1, QUERIES_EACH - 1), (QUERIES_EACH, QUERIES_EACH), (QUERIES_EACH + 1, QUERIES_EACH)]
    {
        let mut told = report(&course, Vec::new(), &["tonnes"]);
        let value = |n: usize| GivenValue { value: format!("{n}00 t"), citations: vec![1], newer: None };
        told.disagreements[0].values = (1..=values).map(value).collect();
        let planned = LanePlan::new(&course, local_sight(&told), &[], &NoVocabulary);
        let gap = planned.gaps.iter().find(|gap| gap.kind == GapKind::Disagreement).expect("a disagreement");
        assert_eq!(gap.queries.len(), want, "{values}: {:?}", gap.queries);
    }
}

#[test]
fn what_finds_the_same_again_comes_to_an_end() {
    let mut course = finished_course(Lane::Local, 200, &DOCUMENTS);
    let mut asked = 0;
    for round in 0.. {
        let mut told = report(&course, Vec::new(), &[]);
        told.answer.iter_mut().for_each(|answer| answer.status = AnswerStatus::Partly);
        let planned = LanePlan::new(&course, local_sight(&told), &[], &NoVocabulary);
        if planned.queries() == 0 {
            break;
        }
        assert!(round < 20, "still asking: {planned:?}");
        asked += planned.queries();
        fold(&mut course, planned.assignments, &DOCUMENTS);
    }
    assert!(asked > 0, "the ferry was looked for again");
}

fn draft(sub_question: &str, severity: Severity, queries: &[&str]) -> precis_proto::task::GapDraft {
    let queries = queries.iter().map(|query| (*query).to_owned()).collect();
    precis_proto::task::GapDraft {
        sub_question: sub_question.to_owned(),
        text: format!("a gap of {severity:?}"),
        severity,
        queries,
    }
}

#[test]
fn what_a_model_names_comes_behind_what_was_computed_and_is_bounded() {
    let course = finished_course(Lane::Local, 40, &DOCUMENTS);
    let told = report(&course, Vec::new(), &[]);
    let computed = LanePlan::new(&course, local_sight(&told), &[], &NoVocabulary).gaps;
    let id = course.plan.sub_questions[0].id.clone();
    let texts: Vec<String> = (0..60).map(|n| format!("granite wheel {n}")).collect();
    for wanted in [0, super::MODEL_GAPS - 1, super::MODEL_GAPS, super::MODEL_GAPS + 1, 9] {
        let drafts: Vec<_> = (0..wanted)
            .map(|n| {
                let severity = if n == wanted - 1 { Severity::Critical } else { Severity::Minor };
                let queries: Vec<&str> = texts[n * 5..n * 5 + 5].iter().map(String::as_str).collect();
                draft(&id, severity, &queries)
            })
            .collect();
        let planned = LanePlan::new(&course, local_sight(&told), &drafts, &NoVocabulary);
        assert_eq!(planned.gaps[..computed.len()], computed[..], "{wanted}: nothing is taken away");
        let named = &planned.gaps[computed.len()..];
        assert_eq!(named.len(), wanted.min(super::MODEL_GAPS).min(GAPS_EACH - computed.len()), "{wanted}");
        assert!(named.iter().all(|gap| gap.kind == GapKind::Model && gap.queries.len() <= QUERIES_EACH), "{named:?}");
        assert!(named.first().is_none_or(|gap| gap.severity == Severity::Critical), "the gravest first: {named:?}");
    }
    let elsewhere = [draft("q99", Severity::Critical, &["granite"])];
    assert_eq!(
        LanePlan::new(&course, local_sight(&told), &elsewhere, &NoVocabulary).gaps,
        computed,
        "of no part of the plan"
    );
}

#[test]
fn model_gaps_from_a_private_report_reach_no_web_lane() {
    let course = finished_course(Lane::Web, 40, &DOCUMENTS);
    let told = report(&course, Vec::new(), &[]);
    let drafts = [draft(&course.plan.sub_questions[0].id, Severity::Critical, &["the secret of the mill"])];
    let names = |lane, is_private| {
        let planned = LanePlan::new(&course, Sight::for_lane(lane, is_private, &told), &drafts, &NoVocabulary);
        planned.gaps.iter().any(|gap| gap.kind == GapKind::Model)
            || planned.assignments.iter().any(|one| one.queries.iter().any(|query| query.text.contains("secret")))
    };
    assert!(!names(Lane::Web, true) && !names(Lane::Academic, true));
    assert!(names(Lane::Web, false) && names(Lane::Local, true));
}
