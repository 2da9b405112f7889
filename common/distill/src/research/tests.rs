//! Whole investigations over a shelf of small documents: each stop, the balance of hits, budgets, and order that does not matter.

use std::collections::BTreeSet;

use precis_proto::CharRange;
use precis_proto::research::{Answered, Decision, DirectiveStop, QuestionKind, Stop};

use super::*;
use crate::terms::{query_terms, terms};

/// Documents of one passage each, found by the number of terms of the query they hold.
struct Shelf {
    documents: Vec<(String, String)>,
    /// Fails from this search on, counted from 0.
    fails: Option<(usize, PassageSearchError)>,
    searches: usize,
    queries: Vec<String>,
    /// Turns the order of equal hits round.
    reversed: bool,
}

impl Shelf {
    fn new(documents: &[(&str, &str)]) -> Self {
        let documents = documents.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Self { documents, fails: None, searches: 0, queries: Vec::new(), reversed: false }
    }
}

impl TermFrequencies for Shelf {}

impl PassageSearch for Shelf {
    fn search(&mut self, query: &str, limit: usize) -> Result<Vec<Hit>, PassageSearchError> {
        self.searches += 1;
        self.queries.push(query.to_owned());
        if let Some((from, failure)) = &self.fails
            && self.searches > *from
        {
            return Err(failure.clone());
        }
        let wanted = query_terms(query);
        let mut hits: Vec<Hit> = self
            .documents
            .iter()
            .filter_map(|(document, text)| {
                let held = terms(text);
                let score = wanted.iter().filter(|term| held.contains(term)).count();
                (score > 0).then(|| Hit {
                    document: document.clone(),
                    address: None,
                    title: String::new(),
                    published: None,
                    headings: Vec::new(),
                    range: CharRange::new(0, text.chars().count()),
                    text: text.clone(),
                    score: score as f64,
                    source_text_hash: String::new(),
                })
            })
            .collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.truncate(limit);
        if self.reversed {
            hits.reverse();
            hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        }
        Ok(hits)
    }
}

const WORLD: [(&str, &str); 5] = [
    ("film.txt", "Blue Moon is a drama film of 1950 that was directed by Ann Bell and starred Tom Fox."),
    ("bell.txt", "Ann Bell (1901 – 1980) was born in Leeds and worked in the theatre."),
    ("fox.txt", "Tom Fox was a singer who toured widely."),
    ("rock.txt", "Granite cools slowly below the surface."),
    ("moon.txt", "The moon of the earth has no air."),
];
const CHAIN: &str = "Where was the director of Blue Moon born?";

fn run(question: &str, limits: Option<ResearchLimits>, shelf: &mut Shelf) -> Investigation {
    investigate(plan(&analyse(question)), Depth::Standard, limits, shelf)
}

fn limits(rounds: u32, searches: u32, sources: u32) -> Option<ResearchLimits> {
    Some(ResearchLimits { rounds, searches, sources })
}

#[test]
fn a_name_in_the_first_passage_leads_to_the_second_document() {
    let mut shelf = Shelf::new(&WORLD);
    let found = run(CHAIN, None, &mut shelf);
    let documents: Vec<&str> = found.chosen.iter().map(|chosen| chosen.document.as_str()).collect();
    assert!(documents[..2].contains(&"film.txt") && documents[..3].contains(&"bell.txt"), "{documents:?}");
    let bell = found.chosen.iter().find(|chosen| chosen.document == "bell.txt").expect("it is chosen");
    assert!(bell.found_by.iter().any(|query| query.starts_with("Ann Bell")), "{:?}", bell.found_by);
    assert!(found.unanswered.is_empty(), "{:?}", found.unanswered);
}

#[test]
fn every_stop_that_rounds_can_reach_is_reached() {
    let failed = || PassageSearchError::Failed("connection reset".to_owned());
    let relation = "What does PEP 9 require, and who wrote the required PEP?";
    let stated = [("pep-0009.txt", "PEP: 9 Title: T Requires: 7"), ("a.txt", "PEP 7 and who wrote it")];
    for (question, shelf, limits, want) in [
        ("Who directed Blue Moon?", Shelf::new(&WORLD), None, Stop::Covered),
        ("Who ruled Persia?", Shelf::new(&WORLD), None, Stop::NothingFound),
        ("Who ruled Persia?", Shelf::new(&[]), None, Stop::NothingFound),
        ("", Shelf::new(&WORLD), None, Stop::NoDirectives),
        ("Who directed Blue Moon?", Shelf::new(&WORLD), limits(0, 9, 9), Stop::Rounds),
        ("Who directed Blue Moon?", Shelf::new(&WORLD), limits(9, 0, 9), Stop::Searches),
        (CHAIN, Shelf::new(&WORLD), limits(1, 9, 9), Stop::Rounds),
        (CHAIN, Shelf::new(&WORLD), limits(9, 2, 9), Stop::Searches),
        (CHAIN, Shelf { fails: Some((0, failed())), ..Shelf::new(&WORLD) }, None, Stop::AllFailed),
        (
            CHAIN,
            Shelf { fails: Some((2, PassageSearchError::Ended(Stop::Time))), ..Shelf::new(&WORLD) },
            None,
            Stop::Time,
        ),
        (
            CHAIN,
            Shelf { fails: Some((1, PassageSearchError::Ended(Stop::Money))), ..Shelf::new(&WORLD) },
            None,
            Stop::Money,
        ),
        (
            CHAIN,
            Shelf { fails: Some((0, PassageSearchError::Ended(Stop::Asked))), ..Shelf::new(&WORLD) },
            None,
            Stop::Asked,
        ),
        ("Who sang granite?", Shelf::new(&WORLD[3..]), None, Stop::NoDirectives),
        (relation, Shelf::new(&stated), None, Stop::NoDirectives),
    ] {
        let mut shelf = shelf;
        let found = run(question, limits, &mut shelf);
        assert_eq!(found.stop, want, "{question} {:?}", found.rounds);
        assert_eq!(found.budget.searches[0] as usize, shelf.searches, "{question}");
        if let Some(last) = found.rounds.last() {
            assert_eq!(last.decision == Decision::Complete, want == Stop::Covered, "{question}");
            assert_ne!(last.decision, Decision::Delegate, "{question}");
        }
    }
}

#[test]
fn rounds_that_change_nothing_end_the_research() {
    // Many names, none of which leads anywhere: each search finds the list again.
    let list = "Alpha Alder Bravo Birch Cobra Cedar Delta Dogwood Quartz is found near";
    let names: Vec<String> =
        ["One Ash", "Two Oak", "Red Elm", "Old Yew", "Big Fir", "New Bay", "Dry Box", "Low Fig", "Raw Gum"]
            .iter()
            .map(|name| format!("{name} sells"))
            .collect();
    let text = format!("{list}; {}.", names.join("; "));
    let mut shelf = Shelf::new(&[("list.txt", &text)]);
    let found = investigate(
        plan(&analyse("Who mined the quartz that Karl Bom sold, and who melted it?")),
        Depth::Deep,
        None,
        &mut shelf,
    );
    assert_eq!(found.stop, Stop::NoNewSources, "{:?}", found.rounds);
}

#[test]
fn a_failed_search_covers_nothing_and_is_told() {
    let failure = PassageSearchError::Failed("connection reset".to_owned());
    let mut shelf = Shelf { fails: Some((0, failure)), ..Shelf::new(&WORLD) };
    let found = run("Who directed Blue Moon?", None, &mut shelf);
    assert!(found.coverage.iter().all(|coverage| coverage.answered == Answered::No));
    assert_eq!(found.rounds[0].directives[0].stopped, DirectiveStop::Failed);
    assert_eq!(found.rounds[0].directives[0].queries[0].failure.as_deref(), Some("connection reset"));
    assert_eq!((found.hits.found, found.chosen.len(), found.unanswered.len()), (0, 0, 1));
}

#[test]
fn a_relation_that_no_document_states_is_named() {
    let documents = [
        ("pep-0009.txt", "PEP: 9 Title: Nine Author: Ann Bell Status: Final Superseded-By: 12"),
        ("pep-0012.txt", "PEP: 12 Title: Twelve Author: Bob Ray Requires: 9"),
    ];
    for (question, want) in [
        ("Which PEP does PEP 9 supersede, and who wrote it?", true),
        ("What does PEP 9 require?", true),
        ("Which PEP superseded PEP 9, and who wrote it?", false),
        ("What does PEP 12 require?", false),
    ] {
        let found = run(question, None, &mut Shelf::new(&documents));
        assert_eq!(!found.unanswered.is_empty(), want, "{question} {:?}", found.unanswered);
        if want {
            let first = &found.unanswered[0];
            assert_eq!((first.sub_question.as_str(), first.tried.is_empty()), ("q1", false));
            assert_eq!(first.nearest.as_ref().map(|nearest| nearest.source.is_some()), Some(true));
        }
    }
}

#[test]
fn no_query_is_asked_twice() {
    for question in
        [CHAIN, "Who directed Blue Moon?", "Compare Ann Bell and Tom Fox", "Blue Moon? Blue Moon? Moon blue?"]
    {
        let mut shelf = Shelf::new(&WORLD);
        run(question, None, &mut shelf);
        let normal = |query: &String| {
            let mut terms = query_terms(query);
            terms.sort_unstable();
            terms
        };
        let distinct: BTreeSet<Vec<String>> = shelf.queries.iter().map(normal).collect();
        assert_eq!(distinct.len(), shelf.queries.len(), "{:?}", shelf.queries);
    }
}

#[test]
fn a_comparison_searches_for_each_element() {
    let mut shelf = Shelf::new(&WORLD);
    let found = run("Were Ann Bell and Tom Fox both singers?", None, &mut shelf);
    assert_eq!(found.plan.brief.kind, QuestionKind::Comparison);
    let chosen: Vec<&str> = found.chosen.iter().map(|chosen| chosen.document.as_str()).collect();
    assert!(chosen.contains(&"bell.txt") && chosen.contains(&"fox.txt"), "{chosen:?}");
    assert!(shelf.queries.iter().any(|query| query.starts_with("Tom Fox")));
}

#[test]
fn questions_in_any_script_do_not_fail() {
    let world = [
        ("a.txt", "《红楼梦》的作者是曹雪芹。"),
        ("b.txt", "Der Mond ist aus Stein."),
        ("c.txt", "La luna es de piedra."),
    ];
    for question in [
        "谁写了《红楼梦》？",
        "Woraus ist der Mond?",
        "¿De qué es la luna?",
        "Qui a écrit ceci, et quand ?",
        "من كتب هذا؟",
        "()()((",
        "((((PEP",
        "\u{300}\u{301}",
        "PEP 8 PEP 8 (PEP",
        "\"",
        "of of of",
        "that which who that",
    ] {
        let found = run(question, None, &mut Shelf::new(&world));
        assert!(!found.plan.sub_questions.is_empty(), "{question}");
    }
}

/// A linear congruential generator: the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

/// Documents and a question made of few words, so that they meet often.
fn generated(numbers: &mut Numbers) -> (Vec<(String, String)>, String) {
    const WORDS: [&str; 24] = [
        "Ann Bell",
        "Tom Fox",
        "PEP 9",
        "PEP 12",
        "Requires: 9",
        "film",
        "director",
        "born",
        "the",
        "of",
        "that",
        "who",
        "Blue Moon",
        "town",
        "1950",
        "and",
        "requires",
        "superseded by",
        "(born",
        "in)",
        "Leeds",
        "。",
        "?",
        "\"Red Sun\"",
    ];
    let text = |numbers: &mut Numbers, most: usize| {
        let words: Vec<&str> = (0..=numbers.below(most)).map(|_| WORDS[numbers.below(WORDS.len())]).collect();
        words.join(" ")
    };
    let documents = (0..numbers.below(30)).map(|n| (format!("d{n}.txt"), text(numbers, 20))).collect();
    (documents, text(numbers, 14))
}

#[test]
fn hits_balance_budgets_hold_and_the_order_of_equal_hits_does_not_matter() {
    let mut numbers = Numbers(7);
    let mut stops = BTreeSet::new();
    for n in 0..300 {
        let (documents, question) = generated(&mut numbers);
        let own = limits(numbers.below(7) as u32, numbers.below(14) as u32, numbers.below(12) as u32);
        let depth = [Depth::Quick, Depth::Standard, Depth::Deep][n % 3];
        let shelf = |reversed| Shelf { documents: documents.clone(), reversed, ..Shelf::new(&[]) };
        let found = investigate(plan(&analyse(&question)), depth, own, &mut shelf(false));
        let turned = investigate(plan(&analyse(&question)), depth, own, &mut shelf(true));
        assert_eq!(found, turned, "{question}");
        let hits = found.hits;
        let sum = hits.read + hits.duplicate + hits.below_cut + hits.over_budget + hits.refused + hits.failed;
        assert_eq!(hits.found, sum, "{question}");
        assert_eq!(hits.read, found.chosen.iter().map(|chosen| chosen.hits).sum::<u32>());
        for (used, limit) in [found.budget.rounds, found.budget.searches, found.budget.sources].map(|[u, l]| (u, l)) {
            assert!(used <= limit, "{question}");
        }
        let told: u32 =
            found.rounds.iter().flat_map(|round| &round.directives).flat_map(|d| &d.queries).map(|q| q.hits).sum();
        assert_eq!(told, hits.found, "{question}");
        stops.insert(format!("{:?}", found.stop));
    }
    assert!(stops.len() >= 5, "{stops:?}");
}

mod supervised {
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
    fn a_round_has_no_more_directives_than_the_question_deserves_whoever_wants_them() {
        for (question, most) in [("Who built the Ajax?", 2), (SHIPS, 2), (PARTS, 5)] {
            let course = course(question);
            assert_eq!(course.deserved(), most, "{question}: {:?}", course.brief());
            for delegated in 1..=6 {
                let delegated: Vec<DirectiveDraft> =
                    (0..delegated).map(|n| wanted(&format!("topic {n}"), "q9")).collect();
                let sent = course.assignments(&delegated, &NoVocabulary).expect("a round");
                assert!(sent.len() <= most, "{question}: {} of {most}", sent.len());
                // What is planned without a supervisor is searched all the same.
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
    fn a_complex_question_has_three_directives_at_least_where_there_is_as_much_to_look_for() {
        let course = course(PARTS);
        assert_eq!(course.brief().complexity, Complexity::Complex);
        let sent = |delegated: &[DirectiveDraft]| course.assignments(delegated, &NoVocabulary).expect("a round").len();
        assert_eq!(sent(&[wanted("all of it", "q1")]), 3);
        let of_each: Vec<DirectiveDraft> = (1..=5).map(|n| wanted(&format!("part {n}"), &format!("q{n}"))).collect();
        assert_eq!((sent(&of_each[..3]), sent(&of_each[..4]), sent(&of_each)), (3, 4, 5));
        // A simple one has one where one is wanted.
        let simple = self::course("Who built the Ajax?");
        assert_eq!(simple.assignments(&[wanted("her builder", "q1")], &NoVocabulary).expect("a round").len(), 1);
    }

    #[test]
    fn what_a_model_adds_to_the_plan_of_a_comparison_is_nothing_that_is_compared() {
        let mut plan = plan(&analyse(SHIPS));
        let named = plan.sub_questions.len();
        assert_eq!(named, 2, "{:?}", plan.sub_questions);
        for n in 3..=5 {
            plan.sub_questions
                .push(precis_proto::research::SubQuestion { id: format!("q{n}"), ..plan.sub_questions[0].clone() });
        }
        let course = ResearchCourse::new(
            plan,
            Lane::Local,
            ResearchLimits { rounds: 1, searches: 9, sources: 9 },
            &NoVocabulary,
        );
        assert_eq!((course.compared(), course.deserved()), (2, 2));
    }

    const FLEET: [(&str, &str); 3] = [
        ("ajax.md", "The Ajax was built by Ann Bell in 1781 and carried 74 guns."),
        ("launch.md", "The Ajax was launched in 1781 at Harwich."),
        ("rock.md", "Granite cools slowly."),
    ];

    #[test]
    fn a_supervisor_sees_what_each_document_covers_what_was_looked_for_and_how_many_data_points_there_are() {
        let mut course = course("Who built the Ajax?");
        let log = round(&mut course, &[], &FLEET);
        let told =
            SupervisorNotes { findings: vec!["r1.d1: she is known [1]".to_owned()], ..SupervisorNotes::default() };
        let seen = course.seen(told);
        assert_eq!(seen.evidence.len(), log.assignments.len());
        let row = &seen.evidence[0];
        assert_eq!(row.directive, "r1.d1");
        let lines: Vec<&str> = row.text.lines().collect();
        assert_eq!(
            lines[..2],
            ["2 sources, 1 domains, 3 data points", "topics: q1: Who built the Ajax"],
            "{}",
            row.text
        );
        let ajax = lines.iter().find(|line| line.contains("ajax.md")).expect("a line");
        assert!(ajax.starts_with('[') && ajax.contains("| covers Ajax"), "{ajax}");
        // The findings are apart from it, those of researchers first, each document by the number it has there.
        assert_eq!(seen.findings[0], "r1.d1: she is known [1]");
        let number = ajax.split(']').next().expect("a number");
        assert!(
            seen.findings[1].starts_with(&format!("q1 {number}] ajax.md: The Ajax was built")),
            "{:?}",
            seen.findings
        );
    }

    #[test]
    fn a_supervisor_may_call_it_complete_only_where_the_score_over_all_parts_is_high_enough() {
        let two = "Who built the Ajax, and who owned the ferry of Leeds?";
        let ferry = ("ferry.md", "The ferry of Leeds was owned by Carl Hope.");
        let touched = ("ferry.md", "The ferry of Leeds crossed the river.");
        for (documents, is_enough) in
            [(vec![], false), (vec![FLEET[0]], false), (vec![FLEET[0], touched], false), (vec![FLEET[0], ferry], true)]
        {
            let mut course = course(two);
            round(&mut course, &[], &documents);
            assert_eq!(course.may_be_complete(), is_enough, "{documents:?}: {:?}", course.score());
            assert_eq!(course.score().whole >= ENOUGH, is_enough, "{documents:?}: {:?}", course.score());
        }
    }

    #[test]
    fn numbers_that_researchers_gave_are_those_of_inventories_and_of_what_is_read() {
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
        // Without researchers nobody knows a number.
        let found = run(question, None, &mut Shelf::new(&FLEET));
        assert!(found.chosen.iter().all(|one| one.number.is_none()));
    }
}
