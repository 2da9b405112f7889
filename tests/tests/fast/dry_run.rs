//! The law of dry runs: no session spends more in a phase than its estimate says, whatever its models do, and half of all spend about what
//! it calls likely. Made-up settings, texts and models, with the real handlers on the memory broker.

mod searched;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use precis_door::Estimate;
use precis_proto::Phase;
use precis_proto::response::ReportData;
use precis_proto::task::Role;
use precis_runtime::broker::Broker;
use precis_runtime::config::Settings;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::model::{CallPolicy, Chain, Chains, Models, ProviderConfig, Vendor};
use precis_runtime::runner::{Queues, RunnerSettings, Services, Worker, WorkerParts};
use precis_tests::provider::{Reply, Scripted, Seen, Wording};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, result_of};
use precis_text::tokens;
use precis_workers::assembly::model_gate::DistillGate;
use precis_workers::documents::token_counts::TokenCounts;
use precis_workers::estimate::{SessionFacts, estimate};
use precis_workers::options::{account, limits, prices};
use searched::Search;

use crate::unruly::minds::{Mood, answered_by};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use serde_json::json;

/// How many sessions the law is tried on, unless the variable says otherwise.
const SESSIONS: u64 = 120;
const VARIABLE: &str = "PRECIS_TEST_DRY_RUNS";
/// Sessions at once.
const AT_ONCE: usize = 8;
/// Of a hundred requests to a model with faults, those that go wrong in each way.
const WRONG: u64 = 12;

/// A made-up session.
struct Trial {
    seed: u64,
    /// What it searches, if anything.
    search: Option<Search>,
    settings: Settings,
    texts: Vec<String>,
    report_tokens: u64,
    /// The servers behind its models.
    servers: Vec<Scripted>,
}

impl Trial {
    async fn new(seed: u64, search: Option<Search>) -> Self {
        let mut random = SmallRng::seed_from_u64(seed);
        let mood = search.as_ref().map(|search| search.mood);
        let report_tokens = random.random_range(200..1_500);
        let mut servers = Vec::new();
        let faulty = random.random_bool(0.4);
        for _ in 0..2 {
            servers.push(server(random.random(), faulty, report_tokens, mood).await);
        }
        let pick = |random: &mut SmallRng| match random.random_range(0..3) {
            0 => json!({ "providers": ["a:m"] }),
            1 => json!({ "providers": ["a:m", "b:m"] }),
            _ => json!({ "providers": ["b:m", "a:m"] }),
        };
        let roles: BTreeMap<&str, serde_json::Value> =
            Role::OF_TASKS.iter().map(|role| (role.as_str(), pick(&mut random))).collect();
        let window = |random: &mut SmallRng| {
            let most = random.random_range(600..2_000);
            json!({ "context_window": random.random_range(9_000..30_000), "max_output_tokens": most, "output_reserved": most,
                "tokenizer": "o200k" })
        };
        let policy = ["auto", "off", "always"][random.random_range(0..3)];
        let digests = [1, 3, 20][random.random_range(0..3)];
        let longest = [120, 300, 700][random.random_range(0..3)];
        let writer_tokens = [0, 4_000, 32_000][random.random_range(0..3)];
        let mut settings = json!({
            "runtime_overhead": 0,
            "token_safety_margin": 0.02,
            "compression_calls": random.random_range(1..5),
            "digest_policy": policy,
            "digest_max_sources": digests,
            "writer_evidence_tokens": writer_tokens,
            "providers": { "a": { "kind": "openai", "base_url": servers[0].base_url() },
                "b": { "kind": "openai", "base_url": servers[1].base_url() } },
            "roles": roles,
            "prices": { "a:m": { "input": 1.0, "output": 4.0 }, "b:m": { "input": 3.0, "output": 9.0 } },
            "model_context_overrides": { "a:m": window(&mut random), "b:m": window(&mut random) },
        });
        let searching = search.as_ref().map(Search::settings).unwrap_or_default();
        settings.as_object_mut().expect("a table").extend(searching);
        let settings: Settings = serde_json::from_value(settings).expect("settings");
        let sizes: Vec<usize> = (0..random.random_range(1..7)).map(|_| random.random_range(10..longest)).collect();
        let texts = sizes.iter().enumerate().map(|(n, size)| text(n, *size)).collect();
        Self { seed, search, settings, texts, report_tokens, servers }
    }

    fn estimate(&self) -> Estimate {
        let facts = SessionFacts {
            texts: self.texts.iter().map(|text| Some(tokens::count(text))).collect(),
            report_tokens: Some(self.report_tokens),
            research: self.search.as_ref().map(Search::options),
            ..SessionFacts::default()
        };
        estimate(&self.settings, &facts)
    }

    async fn report(&self) -> ReportData {
        let world = World::new().await;
        let providers: Vec<ProviderConfig> = ["a", "b"]
            .into_iter()
            .zip(&self.servers)
            .map(|(name, server)| ProviderConfig::server(name, Vendor::OpenAi, server.base_url(), None))
            .collect();
        let chains = Role::OF_TASKS.into_iter().fold(Chains::all(Chain::new(Vec::<String>::new())), |chains, role| {
            chains.with(role, Chain::new(self.settings.chain(role)))
        });
        let (limits, prices) = (limits(&self.settings), prices(&self.settings));
        let gate = DistillGate { limits, prices, counts: TokenCounts::default() };
        let policy = CallPolicy { retry_delay: Duration::from_millis(5), ..CallPolicy::default() };
        let models = Models::new(&providers, chains, world.store(), Arc::new(gate), policy).expect("models");
        let parts = WorkerParts {
            worker_id: "a".to_owned(),
            broker: Broker::Memory(world.broker.connect(Failpoints::none())),
            store: world.store(),
            services: Services { content: world.content.clone(), models },
            registry: match &self.search {
                Some(search) => search.registry(&self.settings, &world),
                None => real_registry(&self.settings),
            },
            settings: RunnerSettings { account: account(&self.settings), ..RunnerSettings::default() },
            queues: Queues::All,
            clock: world.clock.clone(),
            failpoints: Failpoints::none(),
        };
        let worker = Worker::start(parts).await.expect("starts");
        let source = |(n, text): (usize, &String)| json!({ "source_id": format!("s{n}"), "title": format!("Survey {n}"), "content": text });
        let sources: Vec<_> = self.texts.iter().enumerate().map(source).collect();
        let mut body = json!({ "schema_version": 3, "session_id": "s", "query": "How much ice did the glacier lose?", "sources": sources,
            "options": { "report_tokens": self.report_tokens } });
        if let Some(search) = &self.search {
            search.ask(&mut body, &world).await;
        }
        world.submit_body("s", &body).await;
        let response = result_of(&world, "s").await;
        worker.drain(Duration::from_secs(2)).await;
        response.data.unwrap_or_else(|| panic!("seed {}: {:?}", self.seed, response.error))
    }
}

fn text(source: usize, sentences: usize) -> String {
    let sentence = |n: usize| {
        format!(
            "Record {source}-{n} says that the glacier lost {} percent of its ice while the orchard stayed.",
            n % 90
        )
    };
    (0..sentences).map(sentence).collect::<Vec<_>>().join(" ")
}

/// A model that answers what fits, and writes half of the report it may write; one with faults also what does not fit, or nothing whole.
async fn server(seed: u64, faulty: bool, report_tokens: u64, mood: Option<Mood>) -> Scripted {
    let asked = AtomicU64::new(seed);
    let researching = mood.map(|mood| answered_by(mood, Duration::ZERO));
    Scripted::answering(move |seen| {
        let drawn = SmallRng::seed_from_u64(asked.fetch_add(1, Ordering::Relaxed)).random_range(0..100_u64);
        match drawn {
            n if faulty && n < WRONG => Reply::Counted(Some("I would rather not say.".to_owned())),
            n if faulty && n < 2 * WRONG => Reply::Cut,
            n if faulty && n < 3 * WRONG => Reply::Overflow(Wording::Bare, 8_000),
            _ => match researching.as_ref().map(|answer| answer(seen)) {
                Some(reply) if !matches!(reply, Reply::Fitting) => reply,
                _ => Reply::Counted(said(seen, report_tokens)),
            },
        }
    })
    .await
}

fn said(seen: &Seen, report_tokens: u64) -> Option<String> {
    let one = |n: u64| format!("The glacier lost a part of its ice, says record {n}. [1] ");
    let each = tokens::count(&one(1));
    seen.schema_name().is_empty().then(|| (0..(report_tokens / 2 / each).max(1)).map(one).collect())
}

/// What was spent in a phase by a role.
#[derive(Debug, Default, PartialEq)]
struct Spent {
    calls: u64,
    searches: u64,
    input: u64,
    output: u64,
    usd: f64,
}

fn spent(data: &ReportData) -> BTreeMap<(Phase, Role), Spent> {
    let mut all: BTreeMap<(Phase, Role), Spent> = BTreeMap::new();
    for row in data.spend.iter().filter(|row| row.provider != "local:extractive") {
        let sum = all.entry((row.phase.expect("a phase"), row.role)).or_default();
        sum.calls += row.calls;
        sum.searches += row.searches;
        sum.input += row.input_tokens;
        sum.output += row.output_tokens;
        sum.usd += row.cost_usd;
    }
    all
}

/// What is wrong with an estimate after the session, if anything.
fn faults(found: &Estimate, spent: &BTreeMap<(Phase, Role), Spent>) -> Vec<String> {
    let fault = |((phase, role), spent): (&(Phase, Role), &Spent)| {
        let row = found.phases.iter().find(|row| (row.phase, row.role) == (*phase, *role));
        let most = row.map(|row| row.most);
        let holds = most.is_some_and(|most| {
            spent.calls <= most.requests
                && spent.searches <= most.searches
                && spent.input <= most.input_tokens
                && spent.output <= most.output_tokens
                && most.usd.is_some_and(|usd| spent.usd <= usd)
        });
        (!holds).then(|| format!("{phase} {role:?}: spent {spent:?}, the most is {most:?}"))
    };
    spent.iter().filter_map(fault).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_session_exceeds_its_estimate_and_half_meet_the_likely_cost() {
    let sessions = std::env::var(VARIABLE).ok().and_then(|n| n.parse().ok()).unwrap_or(SESSIONS);
    let tried = stream::iter(0..sessions).map(|seed| async move {
        let trial = Trial::new(seed, None).await;
        let (found, data) = (trial.estimate(), trial.report().await);
        (seed, found, spent(&data))
    });
    let tried: Vec<_> = tried.buffer_unordered(AT_ONCE).collect().await;
    let (mut wrong, mut ratios, mut phases) = (Vec::new(), Vec::new(), BTreeMap::<Phase, usize>::new());
    for (seed, found, spent) in &tried {
        wrong.extend(faults(found, spent).into_iter().map(|fault| format!("seed {seed}: {fault}")));
        let all: u64 = spent.values().map(|one| one.input + one.output).sum();
        ratios.push(all as f64 / found.likely_tokens.expect("all texts are known").max(1) as f64);
        spent.keys().for_each(|(phase, _)| *phases.entry(*phase).or_default() += 1);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    eprintln!("{} sessions, median of spent to likely {median:.2}, {phases:?}", tried.len());
    assert!((0.5..=2.0).contains(&median), "{median}");
    for phase in [Phase::Digest, Phase::Summarization, Phase::Compression, Phase::Synthesis, Phase::Evaluation] {
        assert!(phases.contains_key(&phase), "no session of {} called a model in {phase}: {phases:?}", tried.len());
    }
}
