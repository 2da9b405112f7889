//! Texts that no call can carry: read in parts that join to the whole, and a part that nobody summarizes is not lost in silence.
//! The real handlers on the memory broker, a scripted provider behind them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use precis_context::models::prices::Prices;
use precis_proto::Phase;
use precis_proto::fidelity::{FidelityLevel, FidelityReason};
use precis_proto::response::ReportData;
use precis_proto::task::Role;
use precis_proto::warning::{Warning, WarningCode};
use precis_runtime::broker::Broker;
use precis_runtime::config::Settings;
use precis_runtime::failpoints::Failpoints;
use precis_runtime::model::{CallPolicy, Chain, Chains, Models, ProviderConfig, Vendor};
use precis_runtime::runner::{Queues, RunnerSettings, Services, Worker, WorkerParts};
use precis_tests::provider::{Reply, Scripted, Seen, Vocabulary, Wording};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use precis_workers::assembly::model_gate::DistillGate;
use precis_workers::documents::token_counts::TokenCounts;
use precis_workers::options::limits;
use serde_json::json;

/// The summarizer's window, in tokens; the text has more than ten times as many.
const WINDOW: u64 = 4_000;
const SENTENCES: usize = 4_000;

fn settings(base_url: &str) -> Settings {
    let limits = |window: u64| json!({ "context_window": window, "max_output_tokens": 512, "output_reserved": 512, "tokenizer": "o200k" });
    let role = |provider: &str| json!({ "providers": [provider] });
    let settings = json!({
        "runtime_overhead": 0,
        "compression_calls": 1,
        "digest_policy": "off",
        "providers": { "fake": { "kind": "openai", "base_url": base_url } },
        "roles": { "summarization": role("fake:small"), "compression": role("fake:wide"), "synthesis": role("fake:wide") },
        "model_context_overrides": { "fake:small": limits(WINDOW), "fake:wide": limits(24_000) },
    });
    serde_json::from_value(settings).expect("settings")
}

fn summarizers(ends_local: bool) -> Chain {
    let chain = Chain::new(["fake:small"]);
    if ends_local { chain } else { chain.or_fail() }
}

/// Models with or without the built-in one at the end of the summarizer's chain.
fn models(settings: &Settings, server: &Scripted, world: &World, ends_local: bool) -> Models {
    let provider = ProviderConfig::server("fake", Vendor::OpenAi, server.base_url(), None);
    let chains = Chains::all(Chain::new(["fake:wide"])).with(Role::Summarization, summarizers(ends_local));
    let gate = DistillGate { limits: limits(settings), prices: Prices::default(), counts: TokenCounts::default() };
    let policy = CallPolicy { retry_delay: Duration::from_millis(10), ..CallPolicy::default() };
    Models::new(&[provider], chains, world.store(), Arc::new(gate), policy).expect("is well configured")
}

fn sentence(n: usize) -> String {
    format!("Record {n} of the glacier says that it lost ice.")
}

/// A worker whose summarizer plays a script.
struct Bench {
    server: Scripted,
    world: World,
    worker: Worker,
}

impl Bench {
    async fn start(script: Vec<Reply>, change: impl FnOnce(&mut Settings)) -> Self {
        Self::start_with(script, change, false).await
    }

    async fn start_with(script: Vec<Reply>, change: impl FnOnce(&mut Settings), ends_local: bool) -> Self {
        Self::on(Scripted::start(script).await, World::new().await, change, ends_local).await
    }

    /// Another process of the fleet that has this store: it begins with what the store knows.
    async fn next_process(self, change: impl FnOnce(&mut Settings)) -> Self {
        let Self { server, world, worker } = self;
        assert!(worker.drain(Duration::from_secs(5)).await, "the first process ends");
        Self::on(server, world, change, false).await
    }

    async fn on(server: Scripted, world: World, change: impl FnOnce(&mut Settings), ends_local: bool) -> Self {
        let mut settings = settings(server.base_url());
        change(&mut settings);
        let parts = WorkerParts {
            worker_id: "a".to_owned(),
            broker: Broker::Memory(world.broker.connect(Failpoints::none())),
            store: world.store(),
            services: Services {
                content: world.content.clone(),
                models: models(&settings, &server, &world, ends_local),
            },
            registry: real_registry(&settings),
            settings: RunnerSettings::default(),
            queues: Queues::All,
            clock: world.clock.clone(),
            failpoints: Failpoints::none(),
        };
        let worker = Worker::start(parts).await.expect("starts");
        Self { server, world, worker }
    }

    /// The report of a session on one long text, always the same.
    async fn report(&self, session: &str) -> ReportData {
        self.report_on(session, "Which ice was lost?").await
    }

    /// The same on another question.
    async fn report_on(&self, session: &str, query: &str) -> ReportData {
        let text = (0..SENTENCES).map(sentence).collect::<Vec<_>>().join(" ");
        let source = json!({ "source_id": "a", "title": "Glacier", "content": text });
        let body = json!({ "schema_version": 2, "session_id": session, "query": query, "sources": [source] });
        self.world.submit_body(session, &body).await;
        let response = result_of(&self.world, session).await;
        response.data.unwrap_or_else(|| panic!("{:?}", response.error))
    }

    /// What the summarizer was asked for.
    fn asked(&self) -> Vec<Seen> {
        self.server.seen().into_iter().filter(|request| request.body["model"] == "small").collect()
    }
}

/// The report on one long text, and what the summarizer was asked for on the way, after `script`.
async fn run(script: Vec<Reply>) -> (ReportData, Vec<Seen>) {
    let bench = Bench::start(script, |_| ()).await;
    (bench.report("s").await, bench.asked())
}

/// A summarizer that takes the whole text in one call.
fn widened(settings: &mut Settings) {
    let limits = settings.models.model_context_overrides.get_mut("fake:small").expect("is set");
    limits.context_window = Some(100_000);
}

fn codes_about(data: &ReportData, item: &str) -> Vec<WarningCode> {
    let about = |w: &&Warning| w.item_id.as_ref().is_some_and(|id| id.as_str() == item);
    data.warning_details.iter().filter(about).map(|w| w.code).collect()
}

fn summarizing(data: &ReportData) -> u64 {
    let rows = data.spend.iter().filter(|row| row.role == Role::Summarization);
    rows.map(|row| row.calls + row.cached_calls).sum()
}

/// The source text that a request carries, between its marks.
fn carried(request: &Seen) -> &str {
    let (_, rest) = request.user().split_once('\n').expect("a mark above");
    rest.rsplit_once("\n#").expect("a mark below").0
}

/// Requests for parts of the text itself, in its order.
fn parts(asked: &[Seen]) -> Vec<&str> {
    let first = |part: &str| part["Record ".len()..].split(' ').next().and_then(|n| n.parse::<usize>().ok());
    let mut parts: Vec<&str> = asked.iter().map(carried).filter(|part| part.starts_with("Record ")).collect();
    parts.sort_by_key(|part| first(part));
    parts
}

#[tokio::test]
async fn a_long_text_is_read_in_fitting_parts_that_join() {
    let (data, asked) = run(Vec::new()).await;
    let parts = parts(&asked);
    assert!(parts.len() > 10, "{} parts", parts.len());
    let whole = (0..SENTENCES).map(sentence).collect::<Vec<_>>().join(" ");
    assert!(parts.join(" ") == whole, "what was asked for is not the text");
    assert!(asked.iter().all(|request| request.tokens <= WINDOW));
    assert_eq!(asked.len(), parts.len() + 1, "and the summaries of the parts as one text");
    let source = data.sources[0].source_id.clone();
    let record = &data.content_fidelity.0[&source].phases[&Phase::Summarization];
    assert!(record.level > FidelityLevel::Raw && record.tokens_after < record.tokens_before / 3, "{record:?}");
}

#[tokio::test]
async fn a_reported_window_splits_the_text_again_and_cuts_nothing() {
    let named = 6_000;
    let bench = Bench::start(vec![Reply::Overflow(Wording::OpenAi, named)], widened).await;
    let data = bench.report("s").await;
    let asked = bench.asked();
    let whole: String = (0..SENTENCES).map(sentence).collect::<Vec<_>>().join(" ");
    // The first request is the refused one; the parts behind it join to the whole text.
    let parts = parts(&asked[1..]);
    assert!(parts.len() > 5, "{} parts", parts.len());
    assert_eq!(parts.iter().map(|part| part.trim()).collect::<Vec<_>>().join(" "), whole);
    assert!(asked[1..].iter().all(|request| request.tokens <= named));
    // The count of sources that are carried shorter is of no phase.
    let is_cut = |w: &Warning| w.code == WarningCode::ContentTruncated && w.phase.is_some();
    let cut = |w: &Warning| is_cut(w) || w.code == WarningCode::ProviderFallback;
    assert!(!data.warning_details.iter().any(cut), "{:?}", data.warning_details);
    // Another session knows it from the beginning.
    bench.report("t").await;
    assert!(bench.asked()[1..].iter().all(|request| request.tokens <= named));
}

#[tokio::test]
async fn a_window_learned_by_one_process_is_shared_through_the_store() {
    let named = 6_000;
    let first = Bench::start(vec![Reply::Overflow(Wording::OpenAi, named)], widened).await;
    first.report("first").await;
    let (refused, before) = (first.asked()[0].tokens, first.asked().len());
    assert!(refused > named, "{refused} tokens were sent before anybody named a window");
    let next = first.next_process(widened).await;
    // What was asked before would be found in the store, and nobody be asked.
    next.report_on("next", "What do the records of the glacier say?").await;
    let asked = next.asked().split_off(before);
    assert!(asked.len() > 5, "{} requests", asked.len());
    let most = asked.iter().map(|request| request.tokens).max();
    assert!(most <= Some(named), "{most:?} tokens in a window of {named}");
    // A smaller one that is named later takes its place, for those that come after.
    next.server.play([Reply::Overflow(Wording::OpenAi, 5_000)]);
    next.report_on("smaller", "Which of the records tells of ice?").await;
    for (world, known) in [(&next.world, Some(5_000)), (&World::new().await, None)] {
        let models = models(&settings(next.server.base_url()), &next.server, world, false);
        assert_eq!(models.window("fake:small").await, known);
        assert_eq!(models.window("fake:wide").await, None, "a window is that of one model");
    }
}

#[tokio::test]
async fn a_summary_timeout_ends_it_and_its_substitute_is_informed() {
    for ends_local in [false, true] {
        // Whoever asks would wait for two minutes.
        let change = |settings: &mut Settings| {
            widened(settings);
            settings.summarization.timeout_seconds = 1.0;
        };
        let bench = Bench::start_with(vec![Reply::Hang], change, ends_local).await;
        let began = Instant::now();
        let data = bench.report("s").await;
        let took = began.elapsed();
        assert!(took >= Duration::from_secs(1) && took < Duration::from_secs(60), "{ends_local}: {took:?}");
        assert_eq!(bench.asked().len(), 1, "{ends_local}: the time for another try is over");
        let is_told = |w: &Warning| w.code == WarningCode::SummaryProviderFailed && w.message.contains("out_of_time");
        assert!(data.warning_details.iter().any(is_told), "{ends_local}: {:?}", data.warning_details);
        let record = &data.content_fidelity.0[&data.sources[0].source_id].phases[&Phase::Summarization];
        assert_eq!(record.level == FidelityLevel::Truncated, !ends_local, "{record:?}");
        assert!(record.tokens_after > 0 && !data.citations.is_empty(), "{ends_local}: {record:?}");
    }
}

#[tokio::test]
async fn a_part_that_fails_is_asked_for_one_level_tighter() {
    let (data, asked) = run(vec![Reply::status(400)]).await;
    let mut parts = parts(&asked);
    let requests = parts.len();
    parts.dedup();
    assert_eq!(requests, parts.len() + 1, "one part was asked for twice");
    let levels: Vec<bool> = asked.iter().map(|request| request.user().contains("single most important")).collect();
    assert_eq!(levels.iter().filter(|is_headline| **is_headline).count(), 1, "{levels:?}");
    let about = |w: &Warning| w.item_id.as_ref().is_some_and(|id| id.as_str().contains("#fragment"));
    assert!(!data.warning_details.iter().any(about), "nothing of the part is lost: {:?}", data.warning_details);
}

#[tokio::test]
async fn a_failed_part_is_retried_one_level_tighter_in_any_chain() {
    let bench = Bench::start_with(vec![Reply::status(400)], |_| (), true).await;
    let data = bench.report("s").await;
    let (asked, mut parts) = (bench.asked(), Vec::new());
    parts.extend(self::parts(&asked).into_iter().map(str::to_owned));
    let requests = parts.len();
    parts.dedup();
    assert_eq!(requests, parts.len() + 1, "one part was asked for twice");
    let about = |w: &Warning| w.item_id.as_ref().is_some_and(|id| id.as_str().contains("#fragment"));
    assert!(!data.warning_details.iter().any(about), "nothing of the part is lost: {:?}", data.warning_details);
}

#[tokio::test]
async fn parts_that_the_built_in_model_summarizes_are_recorded_one_by_one() {
    let (_, asked) = run(Vec::new()).await;
    let count = parts(&asked).len();
    let bench = Bench::start_with(vec![Reply::status(400); 2 * count], |_| (), true).await;
    let data = bench.report("s").await;
    for n in 1..=count {
        assert!(codes_about(&data, &format!("a#fragment-{n}")).contains(&WarningCode::SummaryProviderFailed), "{n}");
    }
    let record = &data.content_fidelity.0[&data.sources[0].source_id].phases[&Phase::Summarization];
    assert_eq!(record.warnings.iter().filter(|note| note.starts_with("#fragment-")).count(), count, "{record:?}");
}

#[tokio::test]
async fn unsummarized_parts_keep_their_beginning_and_the_report_names_each() {
    let (_, asked) = run(Vec::new()).await;
    let count = parts(&asked).len();
    // Each of them twice: as asked, and one level tighter.
    let (data, asked) = run(vec![Reply::status(400); 2 * count]).await;
    let last = carried(asked.last().expect("the parts as one text"));
    assert!(last.contains(&sentence(0)) && last.len() < SENTENCES * sentence(0).len() / 2);
    for n in 1..=count {
        let item = format!("a#fragment-{n}");
        let told = |code| {
            data.warning_details
                .iter()
                .any(|w| w.code == code && w.item_id.as_ref().is_some_and(|id| id.as_str() == item))
        };
        assert!(told(WarningCode::SummaryProviderFailed) && told(WarningCode::ContentTruncated), "{item}");
    }
    let record = &data.content_fidelity.0[&data.sources[0].source_id].phases[&Phase::Summarization];
    assert_eq!(record.level, FidelityLevel::Truncated);
    let parts: Vec<String> = (1..=count).map(|n| format!("#fragment-{n}: truncated")).collect();
    assert_eq!(record.warnings[1..], parts);
}

#[tokio::test]
async fn where_every_summary_fails_the_best_passages_replace_it() {
    let (_, asked) = run(Vec::new()).await;
    // Each part twice, then the parts as one text.
    let script = vec![Reply::status(400); 2 * parts(&asked).len() + 1];
    let (data, _) = run(script).await;
    let record = &data.content_fidelity.0[&data.sources[0].source_id].phases[&Phase::Summarization];
    assert_eq!((record.level, record.reason), (FidelityLevel::Truncated, Some(FidelityReason::ProviderError)));
    assert!(record.tokens_after > 0 && !data.citations.is_empty(), "{record:?}");
    let codes = codes_about(&data, "a");
    assert!(codes.contains(&WarningCode::SummaryProviderFailed) && codes.contains(&WarningCode::ContentTruncated));
}

#[tokio::test]
async fn a_long_summary_is_cut_and_cache_hits_warn_too() {
    let summary = json!({ "summary": sentence(1).repeat(2_000), "key_points": ["a point"] }).to_string();
    let bench = Bench::start(vec![Reply::Text(summary.clone()), Reply::Text(summary)], widened).await;
    let data = bench.report("first").await;
    let asked = bench.asked();
    assert_eq!(asked.len(), 2, "as asked, and one level tighter");
    assert!(carried(&asked[1]).starts_with(&sentence(1)), "what was too long is shortened");
    let share = |data: &ReportData| {
        let record = &data.content_fidelity.0[&data.sources[0].source_id].phases[&Phase::Summarization];
        (record.tokens_after, record.level)
    };
    let is_told = |data: &ReportData| {
        let cut = |w: &Warning| w.code == WarningCode::ContentTruncated && w.message.contains("was cut to");
        data.warning_details.iter().any(cut)
    };
    assert!(is_told(&data), "{:?}", data.warning_details);
    let is_recorded = |data: &ReportData| {
        let record = &data.content_fidelity.0[&data.sources[0].source_id].phases[&Phase::Summarization];
        record.warnings.iter().any(|note| note.contains("was cut to"))
    };
    assert!(is_recorded(&data), "{:?}", data.content_fidelity);
    assert!(share(&data).0 <= 24_000, "{:?}", share(&data));
    let again = bench.report("again").await;
    assert_eq!(summarizing(&again), 0, "it came from the cache");
    assert!(is_told(&again) && is_recorded(&again), "{:?}", again.warning_details);
    assert_eq!(share(&again), share(&data));
}

#[tokio::test]
async fn what_an_outage_left_of_a_text_is_not_kept() {
    let (_, asked) = run(Vec::new()).await;
    let count = parts(&asked).len();
    let bench = Bench::start(vec![Reply::status(400); 2 * count], |_| ()).await;
    bench.report("first").await;
    let before = bench.asked().len();
    let data = bench.report("again").await;
    assert!(bench.asked().len() >= before + count, "the parts are asked for again");
    assert!(codes_about(&data, "a#fragment-1").is_empty(), "{:?}", data.warning_details);
    let third = bench.report("third").await;
    assert_eq!(summarizing(&third), 0, "what went well is kept");
}

#[tokio::test]
async fn summaries_are_remade_where_none_are_kept() {
    for (is_kept, is_asked) in [(true, false), (false, true)] {
        let bench = Bench::start(Vec::new(), |settings| {
            widened(settings);
            settings.summarization.cache_enabled = is_kept;
        })
        .await;
        bench.report("first").await;
        let again = bench.report("again").await;
        assert_eq!(summarizing(&again) > 0, is_asked, "{:?}", again.spend);
    }
}

/// A digest that is more than the analysis may carry is shortened from what it holds, and is not left out.
#[tokio::test]
async fn a_digest_over_the_budget_yields_to_a_shorter_form() {
    let server = Scripted::with_vocabulary(2_626, Vocabulary::Cl100k).await;
    let role = json!({ "providers": ["fake:small"] });
    let limits = json!({ "context_window": 2_626, "max_output_tokens": 512, "output_reserved": 512 });
    let settings: Settings = serde_json::from_value(json!({
        "runtime_overhead": 0,
        "compression_calls": 1,
        "digest_policy": "always",
        "providers": { "fake": { "kind": "openai", "base_url": server.base_url() } },
        "roles": { "summarization": role, "compression": role, "synthesis": role },
        "model_context_overrides": { "fake:small": limits },
    }))
    .expect("settings");
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    // Many tokens in few characters, as a digest is bounded in characters.
    let text = "🧑\u{200d}🚀👩🏽\u{200d}🔬 zz9 ﷺ e\u{301} ".repeat(3_000);
    let source = json!({ "source_id": "a", "title": "Signs", "content": text });
    world
        .submit_body(
            "s",
            &json!({ "schema_version": 2, "session_id": "s", "query": "Where is ice?", "sources": [source] }),
        )
        .await;
    let response = result_of(&world, "s").await;
    let data = response.data.unwrap_or_else(|| panic!("{:?}", response.error));
    let phases = &data.content_fidelity.0[&data.sources[0].source_id].phases;
    let (digest, shorter) = (&phases[&Phase::Digest], &phases[&Phase::Summarization]);
    assert_eq!(digest.level, FidelityLevel::Digest);
    assert!(shorter.level != FidelityLevel::Dropped && shorter.tokens_after > 0, "{shorter:?}");
    assert!(shorter.tokens_after < digest.tokens_after, "{digest:?} {shorter:?}");
    assert!(server.seen().iter().all(|request| request.tokens <= 2_626));
    let asked = data.spend.iter().filter(|row| row.phase == Some(Phase::Summarization));
    assert_eq!(asked.count(), 0, "a digest is shortened from what it holds: {:?}", data.spend);
}
