//! Rounds of research under faults: a worker dies at any point of a round, and the session ends with the report that it would have had.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use precis_corpus::{Corpus, ExtractedText, FileStamp, IndexPlace, Update};
use precis_proto::failure_code::FailureCode;
use precis_proto::response::Response;
use precis_runtime::config::Settings;
use precis_runtime::failpoints::Fault;
use precis_runtime::runner::{Services, WorkerParts};
use precis_tests::provider::Marked;
use precis_tests::world::real::{real_worker, result_of};
use precis_tests::world::{Fate, WorkerSlot, World};
use precis_workers::assembly::pipeline;
use precis_workers::documents::parse::Parser;
use precis_workers::lanes::{Lanes, publish};
use precis_workers::options::extract_limits;
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(3_600);
const QUESTION: &str = "Where was the director of Blue Moon born, and who owned the ferry of Leeds?";
const DOCUMENTS: [(&str, &str); 5] = [
    ("film.txt", "Blue Moon is a drama film of 1950 that was directed by Ann Bell and starred Tom Fox."),
    ("bell.txt", "Ann Bell (1901 – 1980) was born in Leeds and worked in the theatre."),
    ("fox.txt", "Tom Fox was a singer who toured widely."),
    ("ferry.txt", "The ferry of Leeds crossed the river until 1932. It was owned by Carl Hope."),
    ("moon.txt", "The moon of the earth has no air."),
];

/// The corpus as a fleet has it: in the content store, by the hash of its manifest.
pub(super) async fn corpus(world: &World, documents: &[(&str, &str)]) -> String {
    let dir = tempfile::tempdir().expect("a directory");
    let (folder, cache) = (dir.path().join("docs"), dir.path().join("cache"));
    std::fs::create_dir(&folder).expect("made");
    let place = IndexPlace::new(&cache, &folder).expect("a place");
    let mut update = Update::begin(&place, "test").expect("begins");
    for &(path, text) in documents {
        let stamp = FileStamp { path: path.to_owned(), size: text.len() as u64, mtime_ns: 0 };
        let found =
            ExtractedText { content_type: "text/plain".to_owned(), text: text.to_owned(), ..ExtractedText::default() };
        let sha256 = precis_proto::ids::sha256_hex(text.as_bytes());
        update.read(&stamp, &sha256, "txt", &found).expect("taken");
    }
    update.publish().expect("published");
    assert_eq!(Corpus::open(&place).expect("opens").size().documents, documents.len());
    let (manifest, files, bytes) = publish(&place, &world.content).await.expect("published");
    assert!(files > documents.len() && bytes > 0);
    manifest.to_string()
}

pub(super) async fn proved(world: &World, manifest: &str) -> Value {
    let key = world.content.fleet_key().await.expect("in memory");
    let proof = key.proof("", &manifest.parse().expect("a hash"));
    json!([{ "manifest": manifest, "proof": proof }])
}

async fn request(world: &World, manifest: &str) -> Value {
    let research = json!({ "corpus": proved(world, manifest).await, "depth": "deep", "max_sources": 3 });
    json!({ "schema_version": 3, "session_id": "one", "query": QUESTION, "sources": [], "options": { "research": research } })
}

/// The real handlers; each life of a worker opens the corpus anew.
pub(super) fn furnish(parts: WorkerParts) -> WorkerParts {
    let settings = Settings::default();
    let parser = Parser::in_process(extract_limits(&settings), settings.extraction.html);
    let registry = pipeline::searching_registry(&settings, parser, None, Arc::new(Lanes::default()));
    let models = pipeline::models(&settings, parts.store.clone()).expect("built in");
    let services = Services { models, ..parts.services };
    WorkerParts { registry, services, ..parts }
}

/// A report without what is of the day: times, and when it was written.
pub(super) fn lasting(bytes: &[u8]) -> Value {
    let response: Response = serde_json::from_slice(bytes).expect("a response");
    let mut data = serde_json::to_value(response.data.unwrap_or_else(|| panic!("{:?}", response.error))).expect("JSON");
    for round in data["research"]["rounds"].as_array_mut().expect("rounds") {
        round["seconds"] = Value::Null;
    }
    data["session"]["phases"] = Value::Null;
    data["generated"] = Value::Null;
    data["content_fidelity"] = Value::Null;
    data
}

/// Two workers; the first to reach `point` for the `nth` time dies. What came out, and how often the point was reached.
async fn at(world: World, point: &'static str, nth: usize) -> (Value, usize) {
    let manifest = corpus(&world, &DOCUMENTS).await;
    let body = request(&world, &manifest).await;
    asked_at(world, &body, point, nth).await
}

/// The same for any request `one`.
pub(super) async fn asked_at(world: World, body: &Value, point: &'static str, nth: usize) -> (Value, usize) {
    let reached = Arc::new(AtomicUsize::new(0));
    let _slots: Vec<WorkerSlot> = ["a", "b"]
        .into_iter()
        .map(|name| {
            let reached = Arc::clone(&reached);
            WorkerSlot::start_furnished(&world, name, furnish, move |p| {
                let is_it = p == point && reached.fetch_add(1, Ordering::Relaxed) + 1 == nth;
                Fate::Fault(if is_it { Fault::Crash } else { Fault::None })
            })
        })
        .collect();
    world.submit_body("one", body).await;
    world.wait_for(1, LIMIT).await.expect("a result");
    let results = world.results();
    let bodies = results.values().next().expect("one");
    assert!(bodies.iter().all(|body| body == &bodies[0]), "{point} {nth}: repeats differ");
    (lasting(&bodies[0]), reached.load(Ordering::Relaxed))
}

#[tokio::test(start_paused = true)]
async fn a_session_that_searches_ends_as_without_faults_wherever_a_worker_dies() {
    let (whole, _) = at(World::new().await, "never", 1).await;
    assert_eq!(at(World::paged().await, "never", 1).await.0, whole, "a state on pages");
    let rounds = whole["research"]["rounds"].as_array().expect("rounds").len();
    assert!(rounds >= 2, "a name leads to a second round: {}", whole["research"]);
    let report = whole["report"].as_str().expect("a report");
    assert!(report.contains("born in Leeds") && report.contains("Carl Hope"), "{report}");
    for (point, nths) in [
        ("publish.before", &[1, 2, 3, 5, 8][..]),
        ("publish.confirm", &[2, 4, 6]),
        ("session.ran", &[1, 2, 3, 4]),
        ("session.published", &[1, 2, 3]),
        ("session.fenced", &[1, 2, 3]),
        ("job.answered", &[1, 2, 3]),
        ("ack.before", &[1, 3, 5]),
        ("state.kept", &[1, 2, 3]),
    ] {
        for nth in nths {
            let (found, reached) = at(World::new().await, point, *nth).await;
            assert!(reached >= *nth, "{point} was reached {reached} times: the row tests nothing");
            assert_eq!(found, whole, "{point} {nth}");
        }
    }
}

/// What a session finds whose supervisor and researchers are `chain`, and how often the model was asked.
async fn with_models(chain: &str) -> (Value, usize) {
    let world = World::new().await;
    let server = Marked::start().await;
    let role = json!({ "providers": [chain] });
    let settings = json!({
        "providers": { "fake": { "kind": "openai", "base_url": server.base_url() } },
        "roles": { "supervision": role, "research": role },
        "model_context_overrides": { "fake:m": { "context_window": 32_000, "max_output_tokens": 1_000 } },
    });
    let settings: Settings = serde_json::from_value(settings).expect("settings");
    let parser = Parser::in_process(extract_limits(&settings), settings.extraction.html);
    let registry = pipeline::searching_registry(&settings, parser, None, Arc::new(Lanes::default()));
    let _worker = real_worker(&world, &settings, registry).await;
    let manifest = corpus(&world, &DOCUMENTS).await;
    world.submit_body("one", &request(&world, &manifest).await).await;
    let response = result_of(&world, "one").await;
    let data = response.data.unwrap_or_else(|| panic!("{:?}", response.error));
    (serde_json::to_value(data).expect("JSON"), server.calls().len())
}

fn read(data: &Value) -> Vec<&str> {
    data["sources"].as_array().expect("rows").iter().filter_map(|row| row["path"].as_str()).collect()
}

#[tokio::test]
async fn an_unhelpful_model_never_finds_less_than_the_built_in_one() {
    let (without, none) = with_models("local:extractive").await;
    let (with, asked) = with_models("fake:m").await;
    assert_eq!(none, 0);
    // A plan and its critique, and two calls for a round at least.
    assert!((4..200).contains(&asked), "{asked} calls");
    let research = &with["research"];
    assert_eq!(research["brief"]["written_by"], "fake:m");
    // What every round was asked for stands in the ledger of spending, not that of the last round alone.
    let rows = with["spend"].as_array().expect("rows").iter().filter(|row| row["provider"] == "fake:m");
    let counted: u64 = rows.filter_map(|row| row["calls"].as_u64()).sum();
    assert_eq!(counted, asked as u64, "{}", with["spend"]);
    assert!(research["rounds"][0]["think"].as_str().is_some_and(|think| think.starts_with("sha256:")), "{research}");
    let (found, before) = (read(&with), read(&without));
    assert!(before.iter().all(|path| found.contains(path)), "{found:?} {before:?}");
    for round in research["rounds"].as_array().expect("rounds") {
        assert!(round["directives"].as_array().is_some_and(|directives| directives.len() <= 5));
    }
    let [used, limit] = [0, 1].map(|at| research["budget"]["searches"][at].as_u64().expect("a count"));
    assert!(used <= limit, "{used} of {limit} searches");
}

#[tokio::test(start_paused = true)]
async fn a_missing_or_foreign_corpus_is_refused_before_any_search() {
    for (change, code) in [("missing", "corpus_missing"), ("unproved", "content_not_proved")] {
        let world = World::new().await;
        let _slot = WorkerSlot::start_furnished(&world, "a", furnish, |_| Fate::Fault(Fault::None));
        let manifest = match change {
            "missing" => precis_proto::source::ContentRef::from_bytes(b"nothing").to_string(),
            _ => corpus(&world, &DOCUMENTS).await,
        };
        let mut body = request(&world, &manifest).await;
        if change == "unproved" {
            body["options"]["research"]["corpus"][0]["proof"] = "0".repeat(64).into();
        }
        world.submit_body("one", &body).await;
        world.wait_for(1, LIMIT).await.expect("a result");
        let results = world.results();
        let response: Response = serde_json::from_slice(&results.values().next().expect("one")[0]).expect("a response");
        assert_eq!(response.error.map(|error| error.code).as_ref().map(FailureCode::as_str), Some(code));
    }
}

#[tokio::test(start_paused = true)]
async fn forked_rounds_need_a_proof_and_match_their_count() {
    for (rounds, proof, code) in [
        ("[]", "missing", Some("content_not_proved")),
        ("[]", "of another text", Some("content_not_proved")),
        ("[]", "right", None),
        ("[[]]", "right", Some("invalid_fork")),
    ] {
        let world = World::new().await;
        let _slot = WorkerSlot::start_furnished(&world, "a", furnish, |_| Fate::Fault(Fault::None));
        let manifest = corpus(&world, &DOCUMENTS).await;
        let mut body = request(&world, &manifest).await;
        let page = world.content.put(Bytes::from_static(rounds.as_bytes())).await.expect("in memory");
        let from = json!({ "session": "s", "report": page, "round": 0 });
        let mut fork = json!({ "from": from, "rounds": page });
        let proved = match proof {
            "right" => Some(page),
            "of another text" => Some(manifest.parse().expect("a hash")),
            _ => None,
        };
        if let Some(proved) = proved {
            fork["proof"] = world.content.proof("", &proved).await.expect("in memory").into();
        }
        body["options"]["research"]["fork"] = fork;
        world.submit_body("one", &body).await;
        world.wait_for(1, LIMIT).await.expect("a result");
        let results = world.results();
        let response: Response = serde_json::from_slice(&results.values().next().expect("one")[0]).expect("a response");
        assert_eq!(response.error.map(|error| error.code).as_ref().map(FailureCode::as_str), code, "{rounds} {proof}");
    }
}
