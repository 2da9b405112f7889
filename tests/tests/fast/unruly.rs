//! Research with models that want too much, too little, or nothing that can be had: sessions that are made up, with limits drawn anew for
//! each, of which none is ever passed, and whose records say what happened.
//!
//! `PRECIS_UNRULY_SESSIONS=1000` makes up 1,000 of them, `PRECIS_UNRULY_SEED` replays one.

pub(crate) mod minds;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use minds::{Mood, answered_by};
use precis_proto::research::{DirectiveStop, Research, Stop};
use precis_proto::response::ReportData;
use precis_runtime::config::Settings;
use precis_tests::privacy::Sink;
use precis_tests::provider::{Scripted, Seen};
use precis_tests::search::{Page, ScriptedSearch};
use precis_tests::world::World;
use precis_tests::world::real::{real_worker, result_of};
use precis_workers::assembly::{pipeline, search_providers};
use precis_workers::documents::parse::Parser;
use precis_workers::lanes::Lanes;
use precis_workers::options::extract_limits;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

/// Sessions of a run, unless `PRECIS_UNRULY_SESSIONS` names another number.
const SESSIONS: u64 = 48;
/// Sessions at once: they wait more than they work.
const AT_ONCE: u64 = 8;
pub(super) const QUESTIONS: [&str; 3] = [
    "Who built the reservoir of Talbruck?",
    "Compare the reservoir of Talbruck and the reservoir of Ostmark.",
    "Who built the reservoir of Talbruck, in which town was the builder born, and who paid for the dam of Ostmark, and why?",
];
const PLACES: [&str; 6] = ["Talbruck", "Ostmark", "Merholz", "Ulmen", "Corvinia", "Brandau"];

/// Addresses, titles and texts of the web.
pub(super) fn pages() -> Vec<(String, String, String)> {
    let page = |n: usize| {
        let place = PLACES[n % PLACES.len()];
        let text = format!(
            "The reservoir of {place} was filled in {} and holds {} million cubic metres. ",
            1_900 + n,
            n * 3 + 7
        );
        (format!("http://93.184.216.{}/{n}", n + 1), format!("Reservoir {n} of {place}"), text.repeat(3))
    };
    (0..40).map(page).collect()
}

/// A session's limits.
#[derive(Debug)]
struct Limits {
    depth: &'static str,
    searches: Option<u32>,
    rounds: Option<u32>,
    sources: u32,
    tokens: Option<u64>,
    usd: Option<f64>,
    deadline: Option<u64>,
}

impl Limits {
    fn draw(rng: &mut StdRng) -> Self {
        let pressed = rng.random_range(0..5);
        Self {
            depth: ["quick", "standard", "deep", "deep"][rng.random_range(0..4)],
            searches: rng.random_bool(0.6).then(|| rng.random_range(1..60)),
            rounds: rng.random_bool(0.5).then(|| rng.random_range(1..7)),
            sources: rng.random_range(1..12),
            tokens: (pressed == 1).then(|| rng.random_range(8_000..60_000)),
            usd: (pressed == 2).then(|| f64::from(rng.random_range(5..60_u32)) / 1_000.0),
            deadline: (pressed == 3).then(|| rng.random_range(1..4)),
        }
    }

    fn request(&self, query: &str) -> Value {
        let mut research =
            json!({ "web": ["pages"], "depth": self.depth, "max_sources": self.sources, "max_refinements": 1 });
        if let Some(searches) = self.searches {
            research["max_searches"] = json!(searches);
        }
        if let Some(rounds) = self.rounds {
            research["max_rounds"] = json!(rounds);
        }
        let mut options = json!({ "research": research });
        for (name, value) in [
            ("max_spend_tokens", self.tokens.map(|n| json!(n))),
            ("max_spend_usd", self.usd.map(|n| json!(n))),
            ("deadline_seconds", self.deadline.map(|n| json!(n))),
        ] {
            if let Some(value) = value {
                options[name] = value;
            }
        }
        json!({ "schema_version": 3, "session_id": "one", "query": query, "sources": [], "options": options })
    }
}

/// A session that has ended.
struct Lived {
    limits: Limits,
    mood: Mood,
    data: ReportData,
    /// Searches that were sent.
    sent: usize,
    /// The turns of researchers that the model was asked for.
    turns: Vec<Seen>,
}

async fn lived(seed: u64) -> Lived {
    let mut rng = StdRng::seed_from_u64(seed);
    let limits = Limits::draw(&mut rng);
    let mood = Mood::ALL[seed as usize % Mood::ALL.len()];
    let found = pages().into_iter().map(|(url, title, text)| Page::new(&url, &title, &text)).collect();
    let html =
        |title: &str, text: &str| format!("<html><head><title>{title}</title></head><body><p>{text}</p></body></html>");
    let served: BTreeMap<String, String> =
        pages().iter().map(|(url, title, text)| (url.clone(), html(title, text))).collect();
    let (search, sink) = (ScriptedSearch::start(found, []).await, Sink::start(served).await);
    let delay = Duration::from_millis(if limits.deadline.is_some() { 120 } else { 0 });
    let server = Scripted::answering(answered_by(mood, delay)).await;
    let chain = json!({ "providers": ["fake:m"] });
    let roles: serde_json::Map<String, Value> =
        ["supervision", "research"].into_iter().map(|role| (role.to_owned(), chain.clone())).collect();
    let settings = json!({
        "providers": { "fake": { "kind": "openai", "base_url": server.base_url() } },
        "roles": roles,
        "prices": { "fake:m": { "input": 1.0, "output": 5.0 } },
        "model_context_overrides": { "fake:m": { "context_window": 32_000, "max_output_tokens": 1_000 } },
        "search": { "providers": { "pages": {
            "kind": "searxng", "base_url": search.base_url(precis_runtime::search::SearchKind::Searxng),
        } } },
        "search_cache_ttl": 0.0, "fetch_proxy": sink.address(), "fetch_host_interval": 0.0, "fetch_host_concurrency": 64,
    });
    let settings: Settings = serde_json::from_value(settings).expect("settings");
    let world = World::new().await;
    let searches = search_providers::searches(&settings, &["pages".to_owned()], world.store()).expect("a provider");
    let parser = Parser::in_process(extract_limits(&settings), settings.extraction.html);
    let lanes = Arc::new(Lanes::default().searching(searches));
    let _worker = real_worker(&world, &settings, pipeline::searching_registry(&settings, parser, None, lanes)).await;
    world.submit_body("one", &limits.request(QUESTIONS[seed as usize % QUESTIONS.len()])).await;
    let response = result_of(&world, "one").await;
    let data = response.data.unwrap_or_else(|| panic!("seed {seed} {mood:?} {limits:?}: {:?}", response.error));
    let turns = server.seen().into_iter().filter(|seen| seen.body["tools"].is_array()).collect();
    Lived { limits, mood, data, sent: search.seen().len(), turns }
}

/// What a session reached, and which of its limits it passed.
#[derive(Debug, Default)]
struct Reached {
    limits: BTreeSet<&'static str>,
    passed: Vec<String>,
}

impl Reached {
    /// Notes that `used` of `most` were used, and whether that was all or more.
    fn note(&mut self, what: &'static str, used: usize, most: usize) {
        if used == most {
            self.limits.insert(what);
        }
        if used > most {
            self.passed.push(format!("{used} {what} of {most}"));
        }
    }
}

fn reached(Lived { limits, data, sent, .. }: &Lived) -> Reached {
    let research: &Research = data.research.as_ref().expect("research");
    let mut reached = Reached::default();
    let by_depth = match limits.depth {
        "quick" => (1, 6),
        "standard" => (3, 30),
        _ => (6, 100),
    };
    let searches = limits.searches.unwrap_or(by_depth.1) as usize;
    let iterations = research.refinement.as_ref().map_or(0, |refinement| refinement.iterations.len());
    // A number that the request sets binds the iterations too; that of a depth is one more for each.
    let rounds = limits.rounds.map_or(by_depth.0 as usize + iterations, |most| most as usize);
    reached.note("searches", *sent, searches);
    reached.note("searches", research.budget.searches[0] as usize, searches);
    reached.note("rounds", research.rounds.len(), rounds);
    reached.note("iterations", iterations, 1);
    reached.note("sources", data.sources.len(), limits.sources as usize + 3 * iterations);
    for round in &research.rounds {
        reached.note("directives", round.directives.len(), 5);
        for directive in &round.directives {
            reached.note("calls", directive.tool_calls as usize, 10);
            if directive.stopped == DirectiveStop::Budget {
                reached.limits.insert("calls");
            }
        }
    }
    if let Some(most) = limits.tokens {
        let tokens: u64 = data.spend.iter().map(|row| row.input_tokens + row.output_tokens).sum();
        reached.note("tokens", tokens as usize, most as usize);
    }
    if let Some(most) = limits.usd {
        let usd: f64 = data.spend.iter().map(|row| row.cost_usd).sum();
        reached.note("millionths of a dollar", (usd * 1e6).round() as usize, (most * 1e6).round() as usize);
    }
    let stopped = match research.stop {
        Stop::Searches => Some("searches"),
        Stop::Tokens => Some("tokens"),
        Stop::Money => Some("dollars"),
        Stop::Time => Some("seconds"),
        _ => None,
    };
    reached.limits.extend(stopped);
    reached
}

/// What the records of a session say that did not happen, and turns that were asked for without anything to do.
fn untrue(Lived { data, sent, turns, .. }: &Lived) -> Vec<String> {
    let research: &Research = data.research.as_ref().expect("research");
    let mut faults = Vec::new();
    let directives: Vec<_> = research.rounds.iter().flat_map(|round| &round.directives).collect();
    for one in &directives {
        if one.stopped == DirectiveStop::Complete && one.turns == 0 {
            faults.push(format!("{} is complete, and nobody took a turn", one.id));
        }
        if one.tool_calls > 0 && one.turns == 0 {
            faults.push(format!("{} has calls and no turns", one.id));
        }
    }
    // What was under way when the time was over is of no round.
    let searched = data.spend.iter().map(|row| row.searches).sum::<u64>() as usize;
    if searched > *sent || (searched < *sent && research.stop != Stop::Time) {
        faults.push(format!("{searched} searches are spent, and {sent} were sent"));
    }
    let idle = turns.iter().filter(|seen| seen.body["tools"].as_array().is_none_or(Vec::is_empty)).count();
    if idle > 0 {
        faults.push(format!("{idle} turns in which nothing could be done"));
    }
    faults
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

#[test]
fn unruly_models_exceed_no_limit_and_records_are_true() {
    let only = number("PRECIS_UNRULY_SEED");
    let sessions = number("PRECIS_UNRULY_SESSIONS").unwrap_or(SESSIONS);
    let seeds: Vec<u64> = only.map_or((0..sessions).collect(), |seed| vec![seed]);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let mut all: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut passed = Vec::new();
    for some in seeds.chunks(AT_ONCE as usize) {
        let lived = runtime.block_on(futures_util::future::join_all(some.iter().map(|seed| lived(*seed))));
        for (seed, lived) in some.iter().zip(lived) {
            let reached = reached(&lived);
            reached.limits.into_iter().for_each(|what| *all.entry(what).or_default() += 1);
            let (limits, mood) = (&lived.limits, lived.mood);
            let faults = reached.passed.into_iter().chain(untrue(&lived));
            passed.extend(faults.map(|what| format!("PRECIS_UNRULY_SEED={seed} {mood:?} {limits:?}: {what}")));
        }
    }
    println!("{} sessions; limits reached: {all:?}", seeds.len());
    assert!(passed.is_empty(), "{} faults:\n{}", passed.len(), passed.join("\n"));
    let wanted = ["calls", "directives", "dollars", "rounds", "searches", "seconds", "sources", "tokens"];
    let missing: Vec<&str> = wanted.into_iter().filter(|what| !all.contains_key(what)).collect();
    assert!(only.is_some() || missing.is_empty(), "never reached: {missing:?}; {all:?}");
}
