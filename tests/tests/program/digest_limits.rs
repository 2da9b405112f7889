//! What a digest may take: its share of the time, its turn among others, its place among the best. A source that gets none keeps
//! its text and says why, the report is made all the same, and nothing that was broken off or written by a stand-in is kept.

use precis_context::digest::{cache_key, config_hash8, content_hash16, query_hash8};
use precis_extract::{ExtractLimits, Hint, HtmlMode, extract};
use precis_proto::SourceId;
use precis_proto::digest::DigestPayload;
use precis_proto::response::Response;
use precis_proto::source::ContentRef;
use precis_runtime::config::Settings;
use precis_runtime::model::Vendor;
use precis_tests::program::{CliWorkspace, ended};
use precis_tests::provider::{Reply, Scripted};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use precis_workers::options::DigestOptions;
use serde_json::{Value, json};

const QUERY: &str = "How far did the glacier move in the valley?";

fn essay(about: &str) -> String {
    (0..400).map(|n| format!("In year {n} the {about} moved {} metres and the valley kept a record. ", n * 7)).collect()
}

/// Settings under which every source is digested by the scripted provider at `base_url`, and `others`.
fn settings(base_url: &str, others: Value) -> Settings {
    let mut settings = json!({
        "digest_policy": "always",
        "providers": { "scripted": { "base_url": base_url } },
        "roles": { "summarization": { "providers": ["scripted:m"] } },
    });
    let others = others.as_object().expect("an object").clone();
    settings.as_object_mut().expect("an object").extend(others);
    serde_json::from_value(settings).expect("settings")
}

async fn submit(world: &World, session: &str, sources: &[(&str, &str)]) {
    let sources: Vec<Value> =
        sources.iter().map(|(id, text)| json!({ "source_id": id, "title": id, "content": text })).collect();
    let body = json!({ "schema_version": 2, "session_id": session, "query": QUERY, "sources": sources });
    world.submit_body(session, &body).await;
}

/// The record of `source` after the digest phase.
fn record(response: &Response, source: &str) -> Value {
    let data = serde_json::to_value(response).expect("JSON")["data"].take();
    assert!(data.is_object(), "{:?}", response.error);
    data["content_fidelity"][source]["phases"]["digest"].clone()
}

/// The digest of `text` that is kept for others to find.
async fn kept(world: &World, settings: &Settings, source: &str, text: &str) -> Option<DigestPayload> {
    let read = extract(text.as_bytes(), &Hint::default(), HtmlMode::Main, &ExtractLimits::default()).expect("a text");
    let content = read.text.hash();
    let blocks = ContentRef::from_bytes(&serde_json::to_vec(read.text.blocks()).expect("plain data"));
    let settings = DigestOptions::from_settings(settings).config_hash;
    let config = config_hash8(&[("settings", &settings), ("blocks", blocks.hex())]);
    let source = SourceId::new(source).expect("an id");
    let key = cache_key(&source, content_hash16(&content), &query_hash8(QUERY), &config);
    let bytes = world.store().values().get(&key).await.expect("reachable")?;
    Some(serde_json::from_slice(&bytes).expect("a payload"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_with_a_slow_digest_keeps_its_text_until_retried() {
    let provider = Scripted::start([Reply::Hang]).await;
    let workspace = CliWorkspace::new();
    workspace.write("glacier.txt", essay("glacier"));
    let run = async |out: &str, timeout: &str| {
        let configured = format!(
            "digest_policy = 'always'\ndigest_timeout = {timeout}\ndigest_max_concurrent = 1\n\
             [providers.scripted]\nbase_url = '{}'\n[roles.summarization]\nproviders = ['scripted:m']\n",
            provider.base_url()
        );
        workspace.configure(configured);
        let command = workspace.command(&["run", "--quiet", "--query", QUERY, "--docs", "glacier.txt", "--out", out]);
        let ended = tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic");
        let path = workspace.at(out).join("report.json");
        let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{e}: {}", ended.stderr));
        serde_json::from_slice::<Value>(&bytes).expect("JSON")
    };
    let report = run("late", "1.0").await;
    let records = report["data"]["content_fidelity"].to_string();
    assert!(records.contains("digest_failed: timed_out") && records.contains("\"raw\""), "{records}");
    assert!(report["data"]["warning_details"].to_string().contains("DIGEST_FAILED"), "{report:#}");
    assert!(!report["data"]["citations"].as_array().expect("a list").is_empty());

    // The time for a digest is not part of its key: what was kept would be found.
    let asked = provider.calls();
    let report = run("in-time", "120.0").await;
    let records = report["data"]["content_fidelity"].to_string();
    assert!(records.contains("\"digest\"") && !records.contains("digest_failed"), "{records}");
    assert_eq!(provider.calls(), asked + 1, "the provider was asked again");
}

#[tokio::test]
async fn what_a_stand_in_wrote_is_used_and_not_kept() {
    let back = json!({ "summary": "The provider is back.", "key_points": ["It moved."] }).to_string();
    let provider = Scripted::start([Reply::status(500), Reply::status(500), Reply::Text(back)]).await;
    let settings = settings(provider.base_url(), json!({}));
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let text = essay("glacier");
    for (session, asked, summary) in [("away", 2, None), ("back", 3, Some("The provider is back."))] {
        submit(&world, session, &[("a", &text)]).await;
        let response = result_of(&world, session).await;
        assert_eq!(record(&response, "a")["level"], "digest", "{session}");
        assert_eq!(provider.calls(), asked, "{session}");
        let kept = kept(&world, &settings, "a", &text).await;
        assert_eq!(kept.as_ref().map(|payload| payload.summary.as_str()), summary, "{session}");
    }
}

#[tokio::test]
async fn losses_of_a_digest_are_reported_each_time_and_paid_once() {
    let provider = Scripted::with_window(Vendor::OpenAi, 2_626).await;
    let window = json!({ "context_window": 2_626, "max_output_tokens": 512, "output_reserved": 512 });
    let settings = settings(
        provider.base_url(),
        json!({ "runtime_overhead": 0, "model_context_overrides": { "scripted:m": window } }),
    );
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    // Far more parts than are read.
    let text = essay("glacier").repeat(8);
    let mut asked = Vec::new();
    for session in ["first", "second"] {
        submit(&world, session, &[("a", &text)]).await;
        let response = result_of(&world, session).await;
        assert_eq!(record(&response, "a")["level"], "digest", "{session}");
        let told = response.data.expect("a report").warning_details;
        assert!(told.iter().any(|w| w.message.contains("were not summarized")), "{session}: {told:?}");
        assert_eq!(kept(&world, &settings, "a", &text).await, None, "{session}");
        asked.push(provider.calls());
    }
    // Equal parts are one call.
    assert!(asked[0] > 1 && asked[0] == asked[1], "{asked:?}");
}

#[tokio::test]
async fn no_more_digests_are_made_at_once_than_may_be() {
    const SOURCES: [&str; 4] = ["a", "b", "c", "d"];
    for at_once in [1, 2, 4] {
        let provider = Scripted::start(vec![Reply::Held; SOURCES.len()]).await;
        let limits = json!({ "digest_max_concurrent": at_once, "digest_timeout": 3_600.0 });
        let settings = settings(provider.base_url(), limits);
        let world = World::new().await;
        let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
        let texts = SOURCES.map(|id| (id, essay(&format!("glacier {id}"))));
        submit(&world, "s", &texts.each_ref().map(|(id, text)| (*id, text.as_str()))).await;
        for answered in 0..SOURCES.len() {
            let begun = SOURCES.len().min(answered + at_once);
            provider.arrived(begun).await;
            // One that should not come would come at once.
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            assert_eq!(provider.calls(), begun, "{at_once} at once, {answered} answered");
            provider.release();
        }
        let response = result_of(&world, "s").await;
        assert!(SOURCES.iter().all(|id| record(&response, id)["level"] == "digest"), "{response:#?}");
    }
}

#[tokio::test]
async fn digests_that_hang_end_together_and_their_sources_keep_their_texts() {
    const SOURCES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    let provider = Scripted::start(vec![Reply::Hang; SOURCES.len()]).await;
    let limits = json!({ "digest_max_concurrent": 1, "digest_timeout": 1.0 });
    let settings = settings(provider.base_url(), limits);
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let texts = SOURCES.map(|id| (id, essay(&format!("glacier {id}"))));
    submit(&world, "s", &texts.each_ref().map(|(id, text)| (*id, text.as_str()))).await;
    let response = result_of(&world, "s").await;
    for id in SOURCES {
        let record = record(&response, id);
        assert_eq!((&record["level"], &record["warnings"][0]), (&"raw".into(), &"digest_failed: timed_out".into()));
    }
    // One after the other they would take six seconds, and the breaker would open before the last one.
    let warnings = serde_json::to_string(&response.data.expect("a report").warning_details).expect("JSON");
    assert!(warnings.contains("no digest within 1 s"), "{warnings}");
    assert!(warnings.contains("the time limit for all jobs has passed"), "{warnings}");
}

#[tokio::test]
async fn sources_are_ranked_on_their_whole_texts_before_one_is_chosen() {
    let settings: Settings = serde_json::from_value(json!({ "digest_max_sources": 1 })).expect("settings");
    let world = World::new().await;
    let _worker = real_worker(&world, &settings, real_registry(&settings)).await;
    let aside = "Nobody asked for the weather of another place and time, and this says nothing else. ";
    // By length and by id the first would be chosen.
    let first = aside.repeat(300);
    let second = format!("{} In the valley the glacier did move, and how far is written here.", aside.repeat(200));
    submit(&world, "s", &[("a", &first), ("b", &second)]).await;
    let response = result_of(&world, "s").await;
    assert_eq!(
        (record(&response, "a")["level"].take(), record(&response, "b")["level"].take()),
        ("raw".into(), "digest".into())
    );
}
