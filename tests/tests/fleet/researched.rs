//! Research that a model plans and supervises, on workers that die: each session ends with the report that it would have had, and
//! neither a model call nor a search is paid twice while the store lives.

use std::collections::BTreeSet;

use precis_tests::fleet::plan::{Plan, Weather};
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::fleet::trial::Trial;
use precis_tests::fleet::work::{Work, Workplace};
use precis_tests::program;
use serde_json::Value;

const SESSIONS: usize = 16;
const WORKERS: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn research_survives_any_death_and_pays_no_search_twice() {
    let Some(servers) = SharedServers::open().await else { return };
    let program = program::path();
    let place = Workplace::open(Work::RefinedResearch).await;
    let calm = Trial::calm(SESSIONS, WORKERS);
    let (ledger, expected) = calm.run(&servers, &place, program, None).await;
    println!("{ledger}");
    let mut wrongs = ledger.wrongs();
    assert!(wrongs.is_empty() && ledger.reports == SESSIONS, "without any fault: {wrongs:?}");
    assert!(ledger.searches >= 2 * SESSIONS, "{ledger}");
    for (name, result) in &expected {
        is_researched(name, &result["data"]);
    }
    let refined = expected.values().filter(|result| is_refined(&result["data"])).count();
    assert_eq!(refined, SESSIONS / 2, "every other session finds a page in a further iteration");
    for weather in [Weather::RedisKept, Weather::RedisTroubled] {
        let trial = Trial {
            seed: rand::random::<u32>().into(),
            weather,
            faults: Plan::round(weather),
            is_relentless: true,
            ..calm.clone()
        };
        let (ledger, _) = trial.run(&servers, &place, program, Some(&expected)).await;
        println!("{ledger}");
        wrongs.extend(ledger.wrongs().into_iter().map(|wrong| format!("seed {}: {wrong}", ledger.seed)));
    }
    assert!(wrongs.is_empty(), "{}", wrongs.join("\n"));
}

/// A further iteration found the page of the director, and its report is the one that is kept.
fn is_refined(data: &Value) -> bool {
    let iterations = data["research"]["refinement"]["iterations"].as_array();
    iterations.is_some_and(|all| {
        all.iter().any(|one| one["kept"] == "later" && one["sources_added"].as_array().is_some_and(|a| !a.is_empty()))
    })
}

/// The model planned it, rounds were sent on what it wanted, and pages were read.
fn is_researched(name: &str, data: &Value) {
    let research = &data["research"];
    assert_eq!(research["brief"]["written_by"], "scripted:m", "{name}: {research:#}");
    let rounds = research["rounds"].as_array().expect("rounds");
    let topics: Vec<&Value> =
        rounds.iter().flat_map(|round| round["directives"].as_array().expect("directives")).collect();
    let starts = ["Look for the owner of the ferry of ", "Look for the birthplace of "];
    // Whoever has one round looks for the director in a further iteration, which no supervisor delegates.
    for start in &starts[..if research["budget"]["rounds"][1].as_u64() > Some(2) { 2 } else { 1 }] {
        let is_there = topics.iter().any(|one| one["topic"].as_str().is_some_and(|topic| topic.starts_with(start)));
        assert!(is_there, "{name}, {start}: {topics:#?}");
    }
    // A page that several searches found and a researcher read is one source.
    let read: Vec<&str> =
        data["sources"].as_array().expect("sources").iter().filter_map(|source| source["url"].as_str()).collect();
    assert_eq!(read.len(), read.iter().collect::<BTreeSet<_>>().len(), "{name}: {read:?}");
    assert!(read.len() >= 2 && read.iter().any(|url| url.contains("/ferry-of-")), "{name}: {read:?}");
}
