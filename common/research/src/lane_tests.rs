//! Tests of what passes between lanes, and of searches that were withheld.

use precis_evidence::question::analysis::analyse;
use precis_proto::CharRange;
use precis_proto::research::{
    Answered, Assignment, AssignmentResult, CompletedSearch, Hit, Lane, RoundLog, Served, Stop, Withheld,
};

use super::*;

const QUESTION: &str = "Who directed Blue Moon, and who owns the quarry of Merholz?";
const NOTE: &str = "The quarry of Merholz is owned by Ottilie Brandau and her firm.";

fn course(lane: Lane, searches: u32) -> ResearchCourse {
    let limits = ResearchLimits { rounds: 3, searches, sources: 10 };
    ResearchCourse::new(plan(&analyse(QUESTION)), lane, limits, &NoVocabulary)
}

fn completed_search(text: &str, found: Option<&str>, withheld: Option<Withheld>) -> CompletedSearch {
    let hit = |text: &str| Hit {
        document: "note.txt".to_owned(),
        range: CharRange::new(0, text.chars().count()),
        text: text.to_owned(),
        score: 1.0,
        source_text_hash: "sha256:aa".to_owned(),
        ..Hit::default()
    };
    CompletedSearch {
        text: text.to_owned(),
        provider: "p".to_owned(),
        served: if withheld.is_none() { Served::Paid } else { Served::None },
        hits: found.map(hit).into_iter().collect(),
        usd: 0.0,
        failure: None,
        ended: None,
        withheld,
    }
}

/// The first round of `course`, each of whose searches found `text` or was withheld.
fn first_round(course: &mut ResearchCourse, found: Option<&str>, withheld: Option<Withheld>) -> Option<Stop> {
    let assignments = course.assignments(&[], &NoVocabulary).expect("a first round");
    let answer = |one: &Assignment| AssignmentResult {
        made: one.queries.iter().map(|wanted| completed_search(&wanted.text, found, withheld)).collect(),
        ..AssignmentResult::default()
    };
    let gathered = assignments.iter().map(answer).collect();
    course.fold(RoundLog::new(course.lane, assignments, gathered))
}

#[test]
fn withheld_searches_are_counted_without_words_or_cost() {
    let mut web = course(Lane::Web, 9);
    assert_eq!(
        first_round(&mut web, None, Some(Withheld::PrivateText)),
        Some(Stop::AllFailed),
        "nothing can be searched"
    );
    let found = web.settle(Stop::AllFailed);
    assert!(found.coverage.iter().all(|coverage| coverage.answered == Answered::No));
    assert_eq!((found.budget.searches, found.hits.found), ([0, 9], 0));
    let told = found.into_research();
    let queries: Vec<_> = told.rounds.iter().flat_map(|round| &round.directives).flat_map(|one| &one.queries).collect();
    assert!(queries.len() >= 2 && told.withheld as usize == queries.len(), "{queries:?}");
    assert!(queries.iter().all(|query| query.text.is_none() && query.withheld.is_some()), "{queries:?}");
}

#[test]
fn borrowed_names_are_searched_once_within_the_limits_of_the_lane() {
    let mut local = course(Lane::Local, 9);
    assert_eq!(first_round(&mut local, Some(NOTE), None), None);
    let leads = local.leads(&NoVocabulary);
    assert!(leads.iter().any(|lead| lead.text.contains("Ottilie Brandau")), "{leads:?}");
    let searched = |web: &ResearchCourse| match web.assignments(&[], &NoVocabulary) {
        Ok(all) => all.iter().flat_map(|one| &one.queries).map(|wanted| wanted.text.clone()).collect(),
        Err(_) => Vec::new(),
    };
    let is_lent = |texts: &[String]| texts.iter().any(|text| text.contains("Ottilie Brandau"));
    let begun = |searches| {
        let mut web = course(Lane::Web, searches);
        assert_eq!(first_round(&mut web, Some("Blue Moon was shown in a town."), None), None);
        web
    };
    let used = begun(9).budget.record().searches[0];
    for (searches, lent, want) in [(used, true, false), (used + 1, true, true), (9, true, true), (9, false, false)] {
        let mut web = begun(searches);
        if lent {
            web.lend(leads.clone());
        }
        let texts = searched(&web);
        assert_eq!(is_lent(&texts), want, "{searches} {lent} {texts:?}");
        assert!(texts.len() as u32 <= searches - used);
    }
    let mut web = begun(9);
    web.lend(leads.iter().cloned().chain(leads.clone()).collect());
    let texts = searched(&web);
    let once: std::collections::BTreeSet<&String> = texts.iter().collect();
    assert_eq!(once.len(), texts.len(), "{texts:?}");
}
