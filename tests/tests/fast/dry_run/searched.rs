//! The law of dry runs for sessions that search: folders and the web, with models that plan, supervise and research as they like.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use precis_proto::Phase;
use precis_proto::research::ResearchOptions;
use precis_runtime::config::Settings;
use precis_runtime::runner::Registry;
use precis_runtime::search::SearchKind;
use precis_tests::privacy::Sink;
use precis_tests::search::{Page, Reply, ScriptedSearch};
use precis_tests::world::World;
use precis_workers::assembly::{pipeline, search_providers};
use precis_workers::documents::parse::Parser;
use precis_workers::lanes::Lanes;
use precis_workers::options::extract_limits;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::{Map, Value, json};

use super::{AT_ONCE, Trial, faults, spent, text};
use crate::rounds::{corpus, proved};
use crate::unruly::minds::Mood;
use crate::unruly::{QUESTIONS, pages};

/// How many sessions the law is tried on, unless the variable says otherwise.
const SESSIONS: u64 = 48;
const VARIABLE: &str = "PRECIS_TEST_DRY_SEARCHES";
/// How long a session may take: less than its result is waited for.
const DEADLINE_SECONDS: u64 = 15;
/// US dollars of a search.
const PRICE: f64 = 0.01;

/// What a made-up session searches, and how far.
pub(super) struct Search {
    /// How its models plan and research.
    pub(super) mood: Mood,
    question: &'static str,
    options: Value,
    with_folder: bool,
    provider: ScriptedSearch,
    web: Sink,
}

impl Search {
    async fn new(seed: u64) -> Self {
        let mut random = SmallRng::seed_from_u64(seed ^ 0x5eed);
        let places = random.random_range(0..3);
        let depth = ["quick", "standard", "deep"][random.random_range(0..3)];
        let mut options = json!({ "depth": depth, "public": true });
        if places > 0 {
            options["web"] = json!(["pages"]);
        }
        for (key, most) in [("max_rounds", 4), ("max_searches", 20), ("max_sources", 6), ("max_refinements", 3)] {
            let least = u32::from(key != "max_refinements");
            if key == "max_rounds" || random.random_bool(0.5) {
                options[key] = json!(random.random_range(least..most));
            }
        }
        let found = pages().into_iter().map(|(url, title, text)| Page::new(&url, &title, &text)).collect();
        let served: BTreeMap<String, String> = pages()
            .into_iter()
            .map(|(url, title, text)| {
                (url, format!("<html><head><title>{title}</title></head><body><p>{text}</p></body></html>"))
            })
            .collect();
        // Of some, every second request fails in a way that may be paid.
        let script: Vec<Reply> = if random.random_bool(0.5) { faulty() } else { Vec::new() };
        Self {
            mood: Mood::ALL[seed as usize % Mood::ALL.len()],
            question: QUESTIONS[seed as usize % QUESTIONS.len()],
            options,
            with_folder: places != 1,
            provider: ScriptedSearch::start(found, script).await,
            web: Sink::start(served).await,
        }
    }

    /// What its settings have beside those of any session.
    pub(super) fn settings(&self) -> Map<String, Value> {
        let provider = json!({ "kind": "searxng", "base_url": self.provider.base_url(SearchKind::Searxng), "usd_per_call": PRICE });
        let settings = json!({ "search": { "providers": { "pages": provider } }, "search_cache_ttl": 0.0,
            "fetch_proxy": self.web.address(), "fetch_host_interval": 0.0, "fetch_host_concurrency": 64 });
        settings.as_object().cloned().expect("a table")
    }

    /// The options of its request, as a dry run has them.
    pub(super) fn options(&self) -> ResearchOptions {
        let mut options = self.options.clone();
        if self.with_folder {
            options["corpus"] = json!([{ "manifest": format!("sha256:{}", "0".repeat(64)) }]);
        }
        serde_json::from_value(options).expect("options")
    }

    pub(super) fn registry(&self, settings: &Settings, world: &World) -> Registry {
        let searches = search_providers::searches(settings, &["pages".to_owned()], world.store()).expect("a provider");
        let parser = Parser::in_process(extract_limits(settings), settings.extraction.html);
        let lanes = Arc::new(Lanes::default().searching(searches));
        pipeline::searching_registry(settings, parser, None, lanes)
    }

    /// Makes the request `body` one that searches.
    pub(super) async fn ask(&self, body: &mut Value, world: &World) {
        let mut options = self.options.clone();
        if self.with_folder {
            let texts: Vec<(String, String)> = (0..20)
                .map(|n| {
                    (
                        format!("survey-{n}.txt"),
                        format!("{} The reservoir of Talbruck was built {n}.", text(n, 8 + 40 * (n % 3))),
                    )
                })
                .collect();
            let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            options["corpus"] = proved(world, &corpus(world, &texts).await).await;
        }
        body["query"] = json!(self.question);
        body["options"]["research"] = options;
        // Ends on a busy machine too: what was spent by then is bounded all the same.
        body["options"]["deadline_seconds"] = json!(DEADLINE_SECONDS);
    }
}

/// Answers of a search provider of which every second one does not come whole.
fn faulty() -> Vec<Reply> {
    (0..200).map(|n| if n % 2 == 0 { Reply::Fitting } else { Reply::HalfJson }).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_search_exceeds_the_most_of_any_of_its_phases() {
    let sessions = std::env::var(VARIABLE).ok().and_then(|n| n.parse().ok()).unwrap_or(SESSIONS);
    let tried = stream::iter(0..sessions).map(|seed| async move {
        let trial = Trial::new(seed, Some(Search::new(seed).await)).await;
        let (found, data) = (trial.estimate(), trial.report().await);
        (seed, found, spent(&data))
    });
    let tried: Vec<_> = tried.buffer_unordered(AT_ONCE).collect().await;
    let (mut wrong, mut phases, mut nearest, mut searches) = (Vec::new(), BTreeSet::new(), 0.0_f64, 0);
    for (seed, found, spent) in &tried {
        wrong.extend(faults(found, spent).into_iter().map(|fault| format!("seed {seed}: {fault}")));
        let usd: f64 = spent.values().map(|one| one.usd).sum();
        let most = found.most_usd.expect("all prices are known");
        assert!(usd <= most, "seed {seed}: {usd} of {most}");
        for (of, spent) in spent {
            let row = found.phases.iter().find(|row| (row.phase, row.role) == *of);
            nearest = nearest.max(row.map_or(0.0, |row| spent.calls as f64 / row.most.requests.max(1) as f64));
        }
        phases.extend(spent.iter().filter(|(_, one)| one.calls > 0).map(|((phase, _), _)| *phase));
        searches += spent.values().map(|one| one.searches).sum::<u64>();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    eprintln!(
        "{} searches, nearest to the most {nearest:.3}, {searches} requests to search providers, {phases:?}",
        tried.len()
    );
    assert!(searches > 0, "no search was paid");
    for phase in [
        Phase::Planning,
        Phase::Gathering,
        Phase::Refinement,
        Phase::Summarization,
        Phase::Compression,
        Phase::Synthesis,
    ] {
        assert!(phases.contains(&phase), "no session of {} called a model in {phase}: {phases:?}", tried.len());
    }
}
