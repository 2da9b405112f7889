//! What is private has no say in what leaves: sessions that differ in their private documents alone ask the web the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use precis_tests::privacy::Canaries;
use precis_tests::world::World;
use precis_tests::world::real::real_worker;
use precis_workers::assembly::{pipeline, search_providers};
use precis_workers::documents::parse::Parser;
use precis_workers::lanes::Lanes;
use precis_workers::options::extract_limits;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::number;
use super::session::{FilesOf, QUESTIONS, Servers, settings};
use crate::rounds::{corpus, proved};

/// Pairs of a run, unless `PRECIS_PRIVATE_PAIRS` names another number.
const PAIRS: u64 = 12;

/// What left the machine, each request with how often it was made. Times and the port of a server are no part of it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Requests {
    searches: BTreeMap<String, usize>,
    pages: BTreeMap<String, usize>,
    strangers: BTreeMap<String, usize>,
}

fn counted(requests: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    requests.for_each(|request| *counts.entry(request).or_default() += 1);
    counts
}

fn is_within(few: &BTreeMap<String, usize>, many: &BTreeMap<String, usize>) -> bool {
    few.iter().all(|(request, count)| many.get(request).is_some_and(|most| count <= most))
}

/// What a session that `research` asks for sends, beside these files.
async fn sent(seed: u64, is_strict: bool, research: &Value, files: &FilesOf) -> Requests {
    let servers = Servers::start().await;
    let world = World::new().await;
    // The same models in each session of a pair.
    let settings = settings(&mut StdRng::seed_from_u64(seed), &servers, is_strict);
    let names = ["pages".to_owned(), "papers".to_owned()];
    let searches = search_providers::searches(&settings, &names, world.store()).expect("providers");
    let parser = Parser::in_process(extract_limits(&settings), settings.extraction.html);
    let lanes = Arc::new(Lanes::default().searching(searches));
    let worker = real_worker(&world, &settings, pipeline::searching_registry(&settings, parser, None, lanes)).await;
    let mut research = research.clone();
    if !files.corpus.is_empty() {
        let texts: Vec<(&str, &str)> = files.corpus.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        research["corpus"] = proved(&world, &corpus(&world, &texts).await).await;
    }
    let query = QUESTIONS[seed as usize % QUESTIONS.len()];
    let request = json!({
        "schema_version": 3, "session_id": "one", "query": query, "sources": files.given, "options": { "research": research },
    });
    world.submit_body("one", &request).await;
    precis_tests::world::real::result_of(&world, "one").await;
    drop(worker);
    let own = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        let is_own = |line: &&str| !line.to_ascii_lowercase().starts_with("host: 127.0.0.1");
        text.lines().filter(is_own).collect::<Vec<_>>().join("\n")
    };
    let bytes = |seen: &precis_tests::search::Seen| format!("{} {}", seen.path, seen.body);
    Requests {
        searches: counted(servers.search.seen().iter().map(bytes)),
        pages: counted(servers.sink.requests().iter().map(|request| own(request))),
        strangers: counted(servers.stranger.requests().iter().map(|request| own(request))),
    }
}

/// A session and two sets of files, of which one may be empty.
struct Pair {
    research: Value,
    files: [FilesOf; 2],
    /// Whether the first has no private document at all.
    is_bare: bool,
}

fn pair(seed: u64) -> Pair {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut canaries = Canaries::default();
    let depth = ["quick", "standard", "deep"][rng.random_range(0..3)];
    let mut research = json!({ "web": ["pages"], "depth": depth, "max_refinements": rng.random_range(0..3) });
    if rng.random_bool(0.3) {
        research["academic"] = json!(["papers"]);
    }
    let has_corpus = rng.random_bool(0.6);
    let is_bare = rng.random_bool(0.4);
    let files = [0, 1].map(|n| {
        if is_bare && n == 0 {
            return FilesOf::default();
        }
        let (corpus, given) =
            if has_corpus { (rng.random_range(1..5), rng.random_range(0..2)) } else { (0, rng.random_range(1..3)) };
        FilesOf::made_up(&mut rng, &mut canaries, corpus, given)
    });
    Pair { research, files, is_bare }
}

#[test]
fn another_private_document_changes_no_byte_that_leaves() {
    let pairs = number("PRECIS_PRIVATE_PAIRS").unwrap_or(PAIRS);
    let only = number("PRECIS_PRIVATE_SEED");
    let seeds = only.map_or(0..pairs, |seed| seed..seed + 1);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let (mut searched, mut fetched, mut asked, mut bare, mut prefixes) = (0, 0, 0, 0, 0);
    for seed in seeds {
        let Pair { research, files: [one, other], is_bare } = pair(seed);
        for is_strict in [true, false] {
            let (a, b) = runtime.block_on(async {
                tokio::join!(sent(seed, is_strict, &research, &one), sent(seed, is_strict, &research, &other))
            });
            let at = format!("PRECIS_PRIVATE_SEED={seed} strict {is_strict} {research}");
            if is_strict {
                // Private documents change no byte of searches and pages, not even the first of them.
                assert_eq!(a.searches, b.searches, "{at}");
                assert_eq!(a.pages, b.pages, "{at}");
                // A session without private documents may show a stranger its whole report.
                assert!(is_bare || a.strangers == b.strangers, "{at} {a:#?} {b:#?}");
            } else {
                // A session without private documents may look again behind its first report.
                assert!(
                    if is_bare { is_within(&b.searches, &a.searches) } else { a.searches == b.searches },
                    "{at} {a:#?} {b:#?}"
                );
                // How many pages are read may depend on private documents. The page that a file was given as is not read again, and
                // another one may be read in its place.
                if !one.names_pages() && !other.names_pages() {
                    let is_prefix = is_within(&b.pages, &a.pages) || !is_bare && is_within(&a.pages, &b.pages);
                    assert!(is_prefix, "{at} {a:#?} {b:#?}");
                    prefixes += 1;
                }
            }
            if is_bare {
                bare += 1;
            }
            searched += a.searches.len();
            fetched += a.pages.len();
            asked += a.strangers.len();
        }
    }
    println!(
        "{searched} searches, {fetched} pages, {asked} calls of strangers in {pairs} pairs, {bare} runs of them bare"
    );
    assert!(only.is_some() || (bare > 0 && prefixes > 0), "{bare} bare, {prefixes} compared by their pages");
    assert!(only.is_some() || (searched > 2 * pairs as usize && fetched > pairs as usize && asked > pairs as usize));
}
