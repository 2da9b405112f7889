//! What is private stays private: sessions that are made up, with models that copy all they see into whatever they may write, and
//! workers that die. No word of a private text is in any request to a search provider, to a page, or to a model who may not see it, nor
//! in a log, a span, an event, a metric, a key of the store or a dead letter.

mod gates;
mod interference;
mod session;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use precis_runtime::broker::{Binding, Queue, Topology, names};
use precis_runtime::failpoints::Fault;
use precis_runtime::runner::{Services, WorkerParts};
use precis_tests::privacy::{Canaries, LogCapture, stolen};
use precis_tests::world::{Fate, WorkerSlot, World};
use precis_workers::assembly::{pipeline, search_providers};
use precis_workers::documents::parse::Parser;
use precis_workers::fleet;
use precis_workers::lanes::Lanes;
use precis_workers::options::extract_limits;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use self::session::{MadeUpSession, Servers, made_up};

/// Sessions of a run, unless `PRECIS_PRIVATE_SESSIONS` names another number.
const SESSIONS: u64 = 60;
/// Sessions at once on one thread: they wait more than they work.
const AT_ONCE: usize = 16;
/// What a worker holds in the store when it dies is held for a minute or more; a store that is wiped holds nothing. After so long without
/// a result it is, so many times.
const PATIENCE: Duration = Duration::from_secs(3);
const WIPES: usize = 20;
/// One session in so many kills, from its second phase on, whoever holds it, and is a dead letter in the end.
const GIVEN_UP: u64 = 6;
/// Named points that such a session passes before, and how many more than the one before it, up to so many more.
const BEGUN: [u64; 3] = [30, 15, 90];
/// Queue that hears every event.
const HEARD: &str = "events.test";

/// What was seen of all sessions of a thread.
#[derive(Debug, Default)]
struct Tally {
    ended: AtomicUsize,
    reports: AtomicUsize,
    deaths: AtomicU32,
    dead_letters: AtomicUsize,
    /// Of these, those that hold something private where they are opened.
    tempting_letters: AtomicUsize,
    /// Leaks outside of the servers.
    leaks: std::sync::Mutex<Vec<String>>,
}

impl Tally {
    fn leak(&self, where_to: &str, found: Option<String>) {
        if let Some(found) = found {
            self.leaks.lock().expect("no panic").push(format!("{where_to}: {found}"));
        }
    }
}

/// The handlers and models of the program, as `made` has them.
fn furnish(parts: WorkerParts, made: &MadeUpSession) -> WorkerParts {
    let settings = &made.settings;
    let parser = Parser::in_process(extract_limits(settings), settings.extraction.html);
    let names = ["pages".to_owned(), "papers".to_owned()];
    let searches = search_providers::searches(settings, &names, parts.store.clone()).expect("providers");
    let lanes = Arc::new(Lanes::default().searching(searches));
    let registry = pipeline::searching_registry(settings, parser, None, lanes);
    let models = pipeline::models(settings, parts.store.clone()).expect("models");
    let services = Services { models, ..parts.services };
    WorkerParts { registry, services, ..parts }
}

async fn listening(world: &World) {
    let queue = Queue { name: HEARD.to_owned(), delivery_limit: None, dead_letter: None, message_ttl_ms: None };
    let binding = Binding { exchange: names::EVENTS.to_owned(), queue: HEARD.to_owned(), key: "#".to_owned() };
    let topology = Topology { exchanges: Vec::new(), queues: vec![queue], bindings: vec![binding] };
    world.caller().declare(&topology).await.expect("declared");
}

/// One session to its end, under its deaths.
async fn lived(seed: u64, servers: &Servers, canaries: &tokio::sync::Mutex<Canaries>, tally: &Tally) {
    let mut rng = StdRng::seed_from_u64(seed);
    let world = if seed.is_multiple_of(3) { World::paged().await } else { World::new().await };
    listening(&world).await;
    let id = format!("s{seed}");
    let made = Arc::new(made_up(&id, &mut rng, &mut *canaries.lock().await, servers, &world).await);
    let left = Arc::new(AtomicU32::new(made.deaths));
    let rolls = Arc::new(AtomicU64::new(0));
    let slots: Vec<WorkerSlot> = ["a", "b"]
        .into_iter()
        .map(|name| {
            let (made, left, rolls) = (Arc::clone(&made), Arc::clone(&left), Arc::clone(&rolls));
            let furnish = move |parts| furnish(parts, &made);
            let is_given_up = seed % GIVEN_UP == GIVEN_UP - 1;
            let begun = BEGUN[0] + seed / GIVEN_UP * BEGUN[1] % BEGUN[2];
            WorkerSlot::start_furnished(&world, name, furnish, move |point| {
                if is_given_up && point == "session.ran" && rolls.load(Ordering::Relaxed) > begun {
                    return Fate::Fault(Fault::Crash);
                }
                let roll = rolls.fetch_add(1, Ordering::Relaxed);
                let mut rng = StdRng::seed_from_u64(seed ^ (roll << 20));
                let dies = rng.random_bool(0.04)
                    && left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok();
                Fate::Fault(if dies { Fault::Crash } else { Fault::None })
            })
        })
        .collect();
    world.submit_body(&id, &made.request).await;
    let mut ended = false;
    for _ in 0..WIPES {
        ended = world.wait_for(1, PATIENCE).await.is_ok();
        if ended {
            break;
        }
        world.store.wipe();
    }
    if !ended {
        println!("session {seed} did not end: {:?}", world.leftovers().await);
    }
    tally.ended.fetch_add(usize::from(ended), Ordering::Relaxed);
    tally.deaths.fetch_add(made.deaths - left.load(Ordering::Relaxed), Ordering::Relaxed);
    drop(slots);
    let results = world.results();
    let is_report = |bodies: &Vec<Vec<u8>>| String::from_utf8_lossy(&bodies[0]).contains("\"report\"");
    tally.reports.fetch_add(usize::from(results.values().any(is_report)), Ordering::Relaxed);
    let canaries = canaries.lock().await;
    for envelope in world.broker.messages(HEARD) {
        tally.leak("an event", canaries.found_in(&envelope.body));
    }
    for queue in [names::DEAD, names::LAST, names::UNDERTAKER] {
        for envelope in world.broker.messages(queue) {
            let opened = fleet::open_letter(&envelope, &world.content).await.expect("sealed by this fleet");
            let is_tempting = opened.plain_body().is_ok_and(|plain| canaries.found_in(&plain).is_some());
            tally.dead_letters.fetch_add(1, Ordering::Relaxed);
            tally.tempting_letters.fetch_add(usize::from(is_tempting), Ordering::Relaxed);
            tally.leak("a dead letter", canaries.found_in(format!("{:?}", envelope.header).as_bytes()));
            let body = envelope.plain_body().unwrap_or(envelope.body);
            tally.leak("the body of a dead letter", canaries.found_in(&body));
        }
    }
}

/// What a thread saw.
struct Seen {
    ended: usize,
    reports: usize,
    deaths: u32,
    dead_letters: usize,
    tempting_letters: usize,
    searches: usize,
    fetched: usize,
    /// Requests to the model that may see all which held something private, and all of its requests.
    tempted: usize,
    named: usize,
    strangers: usize,
    canaries: usize,
    leaks: Vec<String>,
}

fn run(seeds: std::ops::Range<u64>) -> Seen {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let log = LogCapture::default();
    let _guard = log.start();
    runtime.block_on(async {
        let (servers, canaries, tally) = (Servers::start().await, tokio::sync::Mutex::default(), Tally::default());
        let next = AtomicU64::new(seeds.start);
        let lane = async || {
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed >= seeds.end {
                    return;
                }
                lived(seed, &servers, &canaries, &tally).await;
            }
        };
        futures_util::future::join_all((0..AT_ONCE).map(|_| lane())).await;
        let canaries = canaries.into_inner();
        for seen in servers.search.seen() {
            let bytes = format!("{} {:?} {}", seen.path, seen.headers, seen.body);
            tally.leak(&format!("a search for {}", seen.query), canaries.found_in(bytes.as_bytes()));
        }
        for request in servers.sink.requests() {
            tally.leak(&String::from_utf8_lossy(&request), canaries.found_in(&request));
        }
        for request in servers.stranger.requests() {
            tally.leak("a model that may not see it", canaries.found_in(&request));
        }
        for line in log.bytes().split(|byte| *byte == b'\n') {
            tally.leak(&String::from_utf8_lossy(line), canaries.found_in(line));
        }
        tally.leak("the metrics", canaries.found_in(precis_runtime::telemetry::metrics().text().as_bytes()));
        let named = servers.named.requests();
        let holds = |request: &&Vec<u8>| !stolen(&String::from_utf8_lossy(request)).is_empty();
        Seen {
            ended: tally.ended.into_inner(),
            reports: tally.reports.into_inner(),
            deaths: tally.deaths.into_inner(),
            dead_letters: tally.dead_letters.into_inner(),
            tempting_letters: tally.tempting_letters.into_inner(),
            searches: servers.search.calls(),
            fetched: servers.sink.requests().len(),
            tempted: named.iter().filter(holds).count(),
            named: named.len(),
            strangers: servers.stranger.requests().len(),
            canaries: canaries.len(),
            leaks: tally.leaks.into_inner().expect("no panic"),
        }
    })
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn nothing_private_leaves_whatever_models_copy_and_whichever_workers_die() {
    let only = number("PRECIS_PRIVATE_SEED");
    let sessions = number("PRECIS_PRIVATE_SESSIONS").unwrap_or(SESSIONS);
    let parts = match only {
        Some(seed) => std::iter::once(seed..seed + 1).collect(),
        None => vec![0..sessions / 2, sessions / 2..sessions],
    };
    let began = std::time::Instant::now();
    let seen: Vec<Seen> = std::thread::scope(|scope| {
        let threads: Vec<_> = parts.into_iter().map(|seeds| scope.spawn(move || run(seeds))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let sum = |of: fn(&Seen) -> usize| seen.iter().map(of).sum::<usize>();
    println!(
        "{} sessions ended, {} with a report, {} deaths, {} of {} dead letters tempting, {} searches, {} pages, {} of {} calls tempted, {} calls of strangers, {} canaries, {:?}",
        sum(|seen| seen.ended),
        sum(|seen| seen.reports),
        sum(|seen| seen.deaths as usize),
        sum(|seen| seen.tempting_letters),
        sum(|seen| seen.dead_letters),
        sum(|seen| seen.searches),
        sum(|seen| seen.fetched),
        sum(|seen| seen.tempted),
        sum(|seen| seen.named),
        sum(|seen| seen.strangers),
        sum(|seen| seen.canaries),
        began.elapsed(),
    );
    let leaks: Vec<&String> = seen.iter().flat_map(|seen| &seen.leaks).collect();
    assert!(leaks.is_empty(), "{} leaks, the first: {:#?}", leaks.len(), &leaks[..leaks.len().min(12)]);
    if only.is_some() {
        return;
    }
    let asked = sessions as usize;
    assert_eq!(sum(|seen| seen.ended), asked, "sessions that ended");
    // Nothing of this is empty: there was something to steal, and somewhere to bring it.
    assert!(
        sum(|seen| seen.reports) * 2 > asked && sum(|seen| seen.searches) > asked && sum(|seen| seen.fetched) > asked
    );
    assert!(sum(|seen| seen.tempted) > asked && sum(|seen| seen.strangers) > asked);
    assert!(sum(|seen| seen.deaths as usize) > asked / 4, "workers that died");
    assert!(sum(|seen| seen.dead_letters) >= asked / GIVEN_UP as usize, "sessions that were given up on");
    assert!(sum(|seen| seen.tempting_letters) > 0, "what was given up on holds private words");
}
