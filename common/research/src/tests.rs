//! Tests of whole investigations over a set of small documents: each stop, the balance of hits, budgets, and independence of order.

mod supervised;

use std::collections::BTreeSet;

use precis_evidence::question::analysis::analyse;
use precis_proto::CharRange;
use precis_proto::research::{Answered, Decision, DirectiveStop, Lane, QuestionKind, Stop};
use precis_text::terms::{query_terms, terms};

use super::*;

/// Documents of one passage each, ranked by the number of query terms they contain.
struct Shelf {
    documents: Vec<(String, String)>,
    /// Fails from this search on, counted from 0.
    fails: Option<(usize, PassageSearchError)>,
    searches: usize,
    queries: Vec<String>,
    /// Reverses the order of equal hits.
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
                    range: CharRange::new(0, text.chars().count()),
                    text: text.clone(),
                    score: score as f64,
                    ..Hit::default()
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
    // Searches of folders are free: with limits of its own it searches the web.
    let lane = if limits.is_some() { Lane::Web } else { Lane::Local };
    investigate(plan(&analyse(question)), lane, Depth::Standard, limits, shelf)
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
        let searches = found.budget.searches[0] + found.budget.folder_searches.unwrap_or(0);
        assert_eq!(searches as usize, shelf.searches, "{question}");
        if let Some(last) = found.rounds.last() {
            assert_eq!(last.decision == Decision::Complete, want == Stop::Covered, "{question}");
            assert_ne!(last.decision, Decision::Delegate, "{question}");
        }
    }
}

#[test]
fn rounds_that_change_nothing_end_the_research() {
    // Many names, none of them useful: each search finds the same list again.
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
        Lane::Local,
        Depth::Deep,
        None,
        &mut shelf,
    );
    assert_eq!(found.stop, Stop::NoNewSources, "{:?}", found.rounds);
}

#[test]
fn a_failed_search_covers_nothing_and_is_reported() {
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
fn a_back_reference_is_covered_where_its_target_is() {
    let question = "Which proposal introduced the walrus operator and who wrote it?";
    let stranger = ("explorer.txt", "Abel Smith wrote that the land joins another one.");
    let vague = ("rule.txt", "The proposal was introduced for airplanes.");
    let answer = ("pep.txt", "Ann Bell wrote the proposal that introduced the walrus operator.");
    for (documents, want) in [(&[stranger, vague][..], Answered::No), (&[answer], Answered::Yes)] {
        let found = run(question, None, &mut Shelf::new(documents));
        let row = found.coverage.iter().find(|row| row.sub_question == "q2").expect("a row of each part");
        assert_eq!(row.answered, want, "{documents:?} {:?}", found.coverage);
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

/// Documents and a question made of few words, so that they match often.
fn generate(numbers: &mut Numbers) -> (Vec<(String, String)>, String) {
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
fn hits_balance_within_budgets_in_any_order_of_equals() {
    let mut numbers = Numbers(7);
    let mut stops = BTreeSet::new();
    for n in 0..300 {
        let (documents, question) = generate(&mut numbers);
        let own = limits(numbers.below(7) as u32, numbers.below(14) as u32, numbers.below(12) as u32);
        let depth = [Depth::Quick, Depth::Standard, Depth::Deep][n % 3];
        let shelf = |reversed| Shelf { documents: documents.clone(), reversed, ..Shelf::new(&[]) };
        let found = investigate(plan(&analyse(&question)), Lane::Web, depth, own, &mut shelf(false));
        let turned = investigate(plan(&analyse(&question)), Lane::Web, depth, own, &mut shelf(true));
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
