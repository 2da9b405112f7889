//! Tests of rounds in which a supervisor delegates.

use precis_proto::research::{AssignmentResult, CompletedSearch, Complexity, Lane, RoundLog, Served};
use precis_proto::task::DirectiveDraft;

use super::*;

const SHIPS: &str = "Compare the Ajax and the Boreas by the number of their guns.";
const PARTS: &str = "Who built the Ajax, and where was she launched, and when did the Boreas sink, and who led her, and what did she carry?";

fn course(question: &str) -> ResearchCourse {
    let plan = plan(&analyse(question));
    let limits = ResearchLimits { rounds: 3, searches: 40, sources: 9 };
    ResearchCourse::new(plan, Lane::Local, limits, &NoVocabulary)
}

fn wanted(topic: &str, of: &str) -> DirectiveDraft {
    let sub_questions = vec![of.to_owned()];
    DirectiveDraft { sub_questions, topic: topic.to_owned(), priority: 1, ..DirectiveDraft::default() }
}

/// A round of `course` in which a supervisor wants `delegated`, over `documents`.
fn round(course: &mut ResearchCourse, delegated: &[DirectiveDraft], documents: &[(&str, &str)]) -> RoundLog {
    let assignments = course.assignments(delegated, &NoVocabulary).expect("a round");
    let mut shelf = Shelf::new(documents);
    let gathered = assignments.iter().map(|assignment| {
        let made = assignment.queries.iter().map(|query| CompletedSearch {
            text: query.text.clone(),
            provider: CORPUS.to_owned(),
            served: Served::Paid,
            hits: shelf.search(&query.text, 20).expect("it searches"),
            usd: 0.0,
            failure: None,
            ended: None,
            withheld: None,
        });
        AssignmentResult { made: made.collect(), ..AssignmentResult::default() }
    });
    let log = RoundLog::new(Lane::Local, assignments.clone(), gathered.collect());
    course.fold(log.clone());
    log
}

#[test]
fn a_round_has_no_more_directives_than_the_question_deserves() {
    for (question, most) in [("Who built the Ajax?", 2), (SHIPS, 2), (PARTS, 5)] {
        let course = course(question);
        assert_eq!(course.deserved_directives(), most, "{question}: {:?}", course.brief());
        for delegated in 1..=6 {
            let delegated: Vec<DirectiveDraft> = (0..delegated).map(|n| wanted(&format!("topic {n}"), "q9")).collect();
            let sent = course.assignments(&delegated, &NoVocabulary).expect("a round");
            assert!(sent.len() <= most, "{question}: {} of {most}", sent.len());
            // The built-in searches are made all the same.
            let planned = |sent: &[precis_proto::research::Assignment]| {
                let mut all: Vec<String> =
                    sent.iter().flat_map(|one| &one.queries).map(|query| query.text.clone()).collect();
                all.sort();
                all
            };
            assert_eq!(
                planned(&sent),
                planned(&course.assignments(&[], &NoVocabulary).expect("a round")),
                "{question}"
            );
        }
    }
}

#[test]
fn a_complex_question_gets_three_directives_where_there_are_targets() {
    let course = course(PARTS);
    assert_eq!(course.brief().complexity, Complexity::Complex);
    let sent = |delegated: &[DirectiveDraft]| course.assignments(delegated, &NoVocabulary).expect("a round").len();
    assert_eq!(sent(&[wanted("all of it", "q1")]), 3);
    let of_each: Vec<DirectiveDraft> = (1..=5).map(|n| wanted(&format!("part {n}"), &format!("q{n}"))).collect();
    assert_eq!((sent(&of_each[..3]), sent(&of_each[..4]), sent(&of_each)), (3, 4, 5));
    // A simple question keeps the single directive that was delegated.
    let simple = self::course("Who built the Ajax?");
    assert_eq!(simple.assignments(&[wanted("her builder", "q1")], &NoVocabulary).expect("a round").len(), 1);
}

#[test]
fn model_additions_to_a_comparison_plan_are_not_compared() {
    let mut plan = plan(&analyse(SHIPS));
    let named = plan.sub_questions.len();
    assert_eq!(named, 2, "{:?}", plan.sub_questions);
    for n in 3..=5 {
        plan.sub_questions
            .push(precis_proto::research::SubQuestion { id: format!("q{n}"), ..plan.sub_questions[0].clone() });
    }
    let course =
        ResearchCourse::new(plan, Lane::Local, ResearchLimits { rounds: 1, searches: 9, sources: 9 }, &NoVocabulary);
    assert_eq!((course.compared_count(), course.deserved_directives()), (2, 2));
}

const FLEET: [(&str, &str); 3] = [
    ("ajax.md", "The Ajax was built by Ann Bell in 1781 and carried 74 guns."),
    ("launch.md", "The Ajax was launched in 1781 at Harwich."),
    ("rock.md", "Granite cools slowly."),
];

#[test]
fn a_supervisor_sees_coverage_targets_and_the_number_of_data_points() {
    let mut course = course("Who built the Ajax?");
    let log = round(&mut course, &[], &FLEET);
    let told = SupervisorNotes { findings: vec!["r1.d1: she is known [1]".to_owned()], ..SupervisorNotes::default() };
    let seen = course.think_task(told);
    assert_eq!(seen.evidence.len(), log.assignments.len());
    let row = &seen.evidence[0];
    assert_eq!(row.directive, "r1.d1");
    let lines: Vec<&str> = row.text.lines().collect();
    assert_eq!(lines[..2], ["2 sources, 1 domains, 3 data points", "topics: q1: Who built the Ajax"], "{}", row.text);
    let ajax = lines.iter().find(|line| line.contains("ajax.md")).expect("a line");
    assert!(ajax.starts_with('[') && ajax.contains("| covers Ajax"), "{ajax}");
    // Findings are separate, those of researchers first; documents have the same numbers as there.
    assert_eq!(seen.findings[0], "r1.d1: she is known [1]");
    let number = ajax.split(']').next().expect("a number");
    assert!(seen.findings[1].starts_with(&format!("q1 {number}] ajax.md: The Ajax was built")), "{:?}", seen.findings);
}

#[test]
fn a_supervisor_may_call_it_complete_only_where_something_was_found() {
    for (documents, is_enough) in [(vec![], false), (vec![FLEET[0]], true)] {
        let mut course = course("Who built the Ajax, and who owned the ferry of Leeds?");
        assert!(!course.may_be_complete());
        round(&mut course, &[], &documents);
        assert_eq!(course.may_be_complete(), is_enough, "{documents:?}");
    }
}

#[test]
fn passages_that_hold_the_words_end_only_a_round_without_a_supervisor() {
    for (think, stop) in [("", Some(Stop::Covered)), ("Ann Bell may be another one.", None)] {
        let mut course = course("Who built the Ajax?");
        let log = round(&mut course, &[], &FLEET);
        let mut course = self::course("Who built the Ajax?");
        assert_eq!(course.fold(RoundLog { think: think.to_owned(), ..log }), stop, "{think}");
    }
}

#[test]
fn researcher_numbers_match_inventories_and_reads() {
    let question = "Who built the Ajax?";
    let mut course = course(question);
    let assignments = course.assignments(&[], &NoVocabulary).expect("a round");
    let mut shelf = Shelf::new(&FLEET);
    let made = assignments[0].queries.iter().map(|query| CompletedSearch {
        text: query.text.clone(),
        provider: CORPUS.to_owned(),
        served: Served::Paid,
        hits: shelf.search(&query.text, 20).expect("it searches"),
        usd: 0.0,
        failure: None,
        ended: None,
        withheld: None,
    });
    let numbers = [("ajax.md".to_owned(), 8), ("launch.md".to_owned(), 5)].into();
    let gathered = AssignmentResult { made: made.collect(), numbers, ..AssignmentResult::default() };
    course.fold(RoundLog::new(Lane::Local, assignments, vec![gathered]));
    let told: Vec<(u32, &str)> =
        course.rounds[0].directives[0].inventory.lines.iter().map(|line| (line.n, line.r#where.as_str())).collect();
    assert!(told.contains(&(8, "ajax.md")) && told.contains(&(5, "launch.md")), "{told:?}");
    let seen = course.seen_documents();
    let known: Vec<(u32, &str)> = seen.iter().map(|one| (one.number, one.document.as_str())).collect();
    assert_eq!(known, [(5, "launch.md"), (8, "ajax.md")]);
    assert!(seen[1].passages[0].starts_with("The Ajax was built") && course.numbers().1 == 8);
    let chosen = course.settle(Stop::Covered).chosen;
    assert!(chosen.iter().any(|one| one.document == "ajax.md" && one.number == Some(8)), "{chosen:?}");
    // Without researchers no document has a number.
    let found = run(question, None, &mut Shelf::new(&FLEET));
    assert!(found.chosen.iter().all(|one| one.number.is_none()));
}
