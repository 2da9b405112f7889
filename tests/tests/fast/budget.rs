//! Whole sessions against a provider that counts for itself and refuses what exceeds its window: it never has to, and nothing
//! is lost without a record.
//!
//! Windows, vocabularies (also one that the program does not know), documents, background, carried context and histories of up
//! to 500 turns are drawn anew for each session. A few run in CI. `PRECIS_BUDGET_SESSIONS=1000` runs as many as it says, with
//! documents up to 5 MB; `PRECIS_BUDGET_SEED` changes what they are made of, `PRECIS_BUDGET_FIRST` which is the first of them.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::response::{ReportData, Response};
use precis_proto::warning::WarningCode;
use precis_proto::{Phase, SessionId};
use precis_report::ledger;
use precis_runtime::broker::Broker;
use precis_runtime::config::Settings;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::runner::{Queues, RunnerSettings, Services, Worker, WorkerParts};
use precis_tests::provider::{Scripted, Vocabulary};
use precis_tests::world::World;
use precis_workers::assembly::pipeline;
use precis_workers::documents::parse::Parser;
use precis_workers::options::extract_limits;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

/// Sessions where nobody asks for more.
const SESSIONS: u64 = 16;
/// Largest document of those, in bytes.
const SMALL: f64 = 60_000.0;
/// Largest document of a long run, in bytes.
const LARGE: f64 = 5_000_000.0;
/// Most turns of a conversation before a session.
const TURNS: f64 = 500.0;
/// More time than any session takes.
const LONG: Duration = Duration::from_secs(300);

/// What a text is made of, a piece at a time.
const KINDS: [&[&str]; 7] = [
    &["The glacier ", "loses ice ", "where the summer ", "is warm. ", "In 1998, ", "12.5 % of it ", "melted.\n\n"],
    &["氷河は", "夏に", "氷を失う。", "予算を超える", "要求は送られない。", "\n"],
    &["冰川", "在夏天", "失去冰。", "超出預算的請求", "不會被發送。"],
    &["fn melt(ice: &mut Ice) {\n", "    ice.mass -= 0x7f;\n", "}\n", "// why?\n", "{\"a\": [1, 2]}\n"],
    &["12.75 ", "0.003 ", "1998 ", "-4 ", "| ", "\n", "NaN "],
    &["🧑‍🚀", "👩🏽‍🔬", "e\u{301}", "ﷺ", " ", "\u{200d}", "🇮🇸", "zz9 "],
    &["Ледник ", "теряет лёд ", "летом. ", "빙하는 ", "얼음을 잃는다. ", "הקרחון ", "يذوب "],
];

fn asked(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// A number from `least` to `most`, small ones as likely as large ones.
fn spread(dice: &mut StdRng, least: f64, most: f64) -> f64 {
    least * (most / least).powf(dice.random::<f64>())
}

fn text(dice: &mut StdRng, bytes: usize) -> String {
    let kind = KINDS[dice.random_range(0..KINDS.len())];
    let mut text = String::with_capacity(bytes + 64);
    while text.len() < bytes {
        text.push_str(kind[dice.random_range(0..kind.len())]);
        if dice.random_range(0..400) == 0 {
            text.push_str(["   ", "\n\n\n", "word ", "Glaciers lose ice in summer. "][dice.random_range(0..4)]);
        }
    }
    text
}

/// A text of `least` to `most` bytes.
fn sized(dice: &mut StdRng, least: f64, most: f64) -> String {
    let bytes = spread(dice, least, most) as usize;
    text(dice, bytes)
}

/// Nothing, or a conversation of up to [`TURNS`] turns, some with what a tool returned.
fn history(dice: &mut StdRng) -> Vec<Value> {
    if dice.random_bool(0.4) {
        return Vec::new();
    }
    let turns = spread(dice, 1.0, TURNS + 1.0) as usize;
    // A few long messages or many short ones: a request stays below what a broker takes.
    let longest = (2_000_000.0 / turns as f64).min(200_000.0);
    let mut said = |role: &str| json!({ "role": role, "content": sized(dice, 20.0, longest / 4.0) });
    let turn = |n: usize| match n % 5 {
        3 => vec![said("user"), said("tool"), said("assistant")],
        _ => vec![said("user"), said("assistant")],
    };
    (0..turns).flat_map(turn).collect()
}

/// One session as it was asked for.
struct Case {
    window: u64,
    vocabulary: Vocabulary,
    model: &'static str,
    documents: Vec<String>,
    history: Vec<Value>,
    prior_context: Vec<Value>,
    project_context: String,
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let documents: Vec<usize> = self.documents.iter().map(String::len).collect();
        let Self { window, vocabulary, model, history, prior_context, project_context, .. } = self;
        let (said, blocks, project) = (history.len(), prior_context.len(), project_context.len());
        write!(f, "{model} by {vocabulary:?} in {window}, documents {documents:?}, ")?;
        write!(f, "{said} messages, {blocks} blocks, {project} bytes of background")
    }
}

impl Case {
    fn from_seed(seed: u64, largest: f64) -> Self {
        let mut dice = StdRng::seed_from_u64(seed);
        let (model, vocabulary) = [
            ("fake:gpt-4.1", Vocabulary::O200k),
            ("fake:gpt-4", Vocabulary::Cl100k),
            ("fake:small", Vocabulary::O200k),
            ("fake:small", Vocabulary::Cl100k),
        ][dice.random_range(0..4)];
        let window = spread(&mut dice, 2_000.0, 128_000.0) as u64;
        let documents = (0..dice.random_range(1..=6)).map(|_| sized(&mut dice, 1_000.0, largest)).collect();
        let history = history(&mut dice);
        let prior_context = (0..dice.random_range(0..4) * dice.random_range(0..3))
            .map(|n| json!({ "title": format!("Earlier {n}"), "text": sized(&mut dice, 100.0, 100_000.0) }))
            .collect();
        let project_context = if dice.random_bool(0.5) { sized(&mut dice, 100.0, 200_000.0) } else { String::new() };
        Self { window, vocabulary, model, documents, history, prior_context, project_context }
    }

    fn options(&self) -> Value {
        json!({
            "history": self.history, "prior_context": self.prior_context, "project_context": self.project_context,
        })
    }

    fn settings(&self, base_url: &str) -> Settings {
        let role = json!({ "providers": [self.model] });
        let settings = json!({
            "runtime_overhead": 0,
            "providers": { "fake": { "kind": "openai", "base_url": base_url, "max_concurrent": 8 } },
            "roles": { "summarization": role, "compression": role, "synthesis": role },
            "model_context_overrides": { self.model: {
                "context_window": self.window, "max_output_tokens": 512, "output_reserved": 512, "budgeting_mode": "combined",
            } },
        });
        serde_json::from_value(settings).expect("settings")
    }
}

async fn worker(world: &World, settings: &Settings) -> Worker {
    let models = pipeline::models(settings, world.store()).expect("a provider");
    let parser = Parser::in_process(extract_limits(settings), settings.extraction.html);
    let parts = WorkerParts {
        worker_id: "a".to_owned(),
        broker: Broker::Memory(world.broker.connect(Failpoints::none())),
        store: world.store(),
        services: Services { content: world.content.clone(), models },
        registry: pipeline::registry(settings, parser, None),
        settings: RunnerSettings::default(),
        queues: Queues::All,
        clock: world.clock.clone(),
        failpoints: Failpoints::none(),
    };
    Worker::start(parts).await.expect("starts")
}

async fn request(world: &World, case: &Case) -> Value {
    let mut sources = Vec::new();
    for (n, document) in case.documents.iter().enumerate() {
        let content = world.content.put(Bytes::from(document.clone())).await.expect("room in memory");
        let proof = world.content.proof("", &content).await.expect("in memory");
        sources.push(json!({ "source_id": format!("s{n}"), "title": format!("Text {n}"), "content_ref": content, "content_proof": proof, "protected": n == 3 }));
    }
    json!({ "schema_version": 2, "session_id": "s", "query": "Where do glaciers lose ice?", "sources": sources, "options": case.options() })
}

/// Runs the session; returns its report and how many requests there were.
async fn run(case: &Case) -> (ReportData, usize) {
    let provider = Scripted::with_vocabulary(case.window, case.vocabulary).await;
    let world = World::new().await;
    let worker = worker(&world, &case.settings(provider.base_url())).await;
    world.submit_body("s", &request(&world, case).await).await;
    world.wait_for(1, LONG).await.expect("ends");
    worker.drain(Duration::from_secs(5)).await;
    let session_id = SessionId::new("s").expect("an id");
    let response: Response = serde_json::from_slice(&world.results()[&session_id][0]).expect("a response");
    let seen = provider.seen();
    for request in &seen {
        assert!(request.tokens <= case.window, "{} tokens sent to a window of {}", request.tokens, case.window);
    }
    (response.data.unwrap_or_else(|| panic!("{:?}", response.error)), seen.len())
}

/// Every token that entered a phase left it or is accounted for, and every source has a record in each phase until it is left out.
fn check(data: &ReportData) {
    ledger::check(&data.ledger).expect("the ledger balances");
    assert_eq!(data.ledger, ledger::of(&data.content_fidelity));
    for source in &data.sources {
        let records = &data.content_fidelity.0[&source.source_id].phases;
        for phase in [Phase::Extraction, Phase::Digest, Phase::Summarization, Phase::Compression, Phase::Synthesis] {
            let gone = records.range(..phase).any(|(_, record)| record.level == FidelityLevel::Dropped);
            assert!(gone || records.contains_key(&phase), "{} in {phase}: {records:?}", source.source_id);
        }
        let is_dropped = records.values().next_back().is_some_and(|record| record.level == FidelityLevel::Dropped);
        assert_eq!(is_dropped, data.dropped_content_ids.contains(&source.source_id), "{records:?}");
        let is_named = data.warning_details.iter().any(|w| w.item_id.as_ref() == Some(&source.source_id));
        assert!(!is_dropped || is_named, "{} was dropped: {:?}", source.source_id, data.warning_details);
    }
    for layer in &data.token_usage {
        assert_eq!(layer.kept + layer.dropped, layer.estimated, "{layer:?}");
        assert!(layer.phase.is_some() && layer.role.is_some() && !layer.provider.is_empty(), "{layer:?}");
    }
    let told = |code: WarningCode| data.warning_details.iter().any(|warning| warning.code == code);
    for cut in data.token_usage.iter().filter(|layer| layer.dropped > 0) {
        let is_told = told(WarningCode::ContentDropped) || told(WarningCode::ContentTruncated);
        assert!(is_told, "{cut:?}: {:?}", data.warning_details);
    }
    for call in data.token_usage.chunk_by(|a, b| a.call_key == b.call_key) {
        let kept: u64 = call.iter().map(|layer| layer.kept).sum();
        let room = call.iter().map(|layer| layer.budget).max().unwrap_or(0);
        assert!(kept <= room, "{call:?}");
    }
}

/// What a run was made of.
#[derive(Debug, Default)]
struct Seen {
    sessions: u64,
    requests: usize,
    /// Smallest and largest window.
    windows: Option<(u64, u64)>,
    /// Sessions of each model and vocabulary.
    models: BTreeMap<String, u64>,
    document_bytes: usize,
    largest_document: usize,
    /// Sessions with a history, and the messages of the longest.
    with_history: u64,
    longest_history: usize,
}

impl Seen {
    fn add(&mut self, case: &Case, requests: usize) {
        let (least, most) = self.windows.unwrap_or((case.window, case.window));
        self.windows = Some((least.min(case.window), most.max(case.window)));
        *self.models.entry(format!("{} {:?}", case.model, case.vocabulary)).or_default() += 1;
        let bytes = || case.documents.iter().map(String::len);
        self.sessions += 1;
        self.requests += requests;
        self.document_bytes += bytes().sum::<usize>();
        self.largest_document = bytes().fold(self.largest_document, usize::max);
        self.with_history += u64::from(!case.history.is_empty());
        self.longest_history = self.longest_history.max(case.history.len());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_is_refused_and_nothing_is_lost_without_a_record() {
    let seed = asked("PRECIS_BUDGET_SEED").unwrap_or(7);
    let first = asked("PRECIS_BUDGET_FIRST").unwrap_or(0);
    let sessions = asked("PRECIS_BUDGET_SESSIONS");
    let largest = if sessions.is_some() { LARGE } else { SMALL };
    let mut seen = Seen::default();
    for n in first..first + sessions.unwrap_or(SESSIONS) {
        let case = Case::from_seed(seed.wrapping_mul(1_000_003).wrapping_add(n), largest);
        println!("session {n}: {case:?}");
        let (data, requests) = run(&case).await;
        check(&data);
        seen.add(&case, requests);
    }
    assert!(seen.requests > 0, "somebody was asked");
    println!("no request refused, nothing lost without a record: {seen:#?}");
}
