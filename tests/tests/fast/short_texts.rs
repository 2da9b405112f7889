//! Several short texts in one summarizing call, on the real handlers.

use precis_proto::Phase;
use precis_proto::fidelity::FidelityLevel;
use precis_proto::response::ReportData;
use precis_proto::warning::WarningCode;
use precis_runtime::config::Settings;
use precis_tests::provider::{Marked, Reply, Scripted, Seen};
use precis_tests::world::World;
use precis_tests::world::real::{real_registry, real_worker, result_of};
use serde_json::{Value, json};

/// Texts of a session, and sentences of each: short, and too long together for the window.
const TEXTS: usize = 14;
const SENTENCES: usize = 60;
const WINDOW: u64 = 16_000;

fn settings(base_url: &str, keeps: bool) -> Settings {
    let role = json!({ "providers": ["fake:m"] });
    let limits = json!({
        "context_window": WINDOW, "max_output_tokens": 2_000, "output_reserved": 2_000, "budgeting_mode": "combined",
        "tokenizer": "o200k",
    });
    let settings = json!({
        "runtime_overhead": 0,
        "compression_calls": 1,
        "providers": { "fake": { "kind": "openai", "base_url": base_url } },
        "roles": { "summarization": role, "compression": role, "synthesis": role },
        "model_context_overrides": { "fake:m": limits },
    });
    let mut settings: Settings = serde_json::from_value(settings).expect("settings");
    settings.digest.policy = serde_json::from_value(json!("off")).expect("a policy");
    settings.summarization.cache_enabled = keeps;
    settings
}

fn text(source: usize) -> String {
    let sentence = |n: usize| {
        format!(
            "Record {source}-{n} says that the glacier lost {} percent of its ice while the orchard stayed.",
            n % 90
        )
    };
    (0..SENTENCES).map(sentence).collect::<Vec<_>>().join(" ")
}

async fn report(settings: &Settings, texts: usize) -> ReportData {
    let world = World::new().await;
    let _worker = real_worker(&world, settings, real_registry(settings)).await;
    let source = |n: usize| json!({ "source_id": format!("s{n}"), "title": format!("Source {n}"), "content": text(n) });
    let sources: Vec<Value> = (0..texts).map(source).collect();
    let body = json!({ "schema_version": 2, "session_id": "s", "query": "How much ice did the glacier lose?", "sources": sources });
    world.submit_body("s", &body).await;
    let response = result_of(&world, "s").await;
    response.data.unwrap_or_else(|| panic!("{:?}", response.error))
}

/// Sources that a model wrote of, which have a level with prose.
fn noted(data: &ReportData) -> usize {
    let record = |item: &precis_proto::fidelity::ItemFidelity| item.phases[&Phase::Summarization].level;
    let with_prose = data.content_fidelity.0.values().filter(|item| record(item) == FidelityLevel::Condensed).count();
    let notes = data.sources.iter().filter(|row| row.note.is_some()).count();
    assert_eq!(notes, with_prose, "each source that is carried with prose has a note");
    notes
}

/// Requests whose answer has a field of that name.
fn asked(server: &Scripted, name: &str) -> usize {
    let is_one = |request: &&Seen| request.schema().is_some_and(|schema| schema["properties"].get(name).is_some());
    server.seen().iter().filter(is_one).count()
}

#[tokio::test]
async fn short_texts_are_summarized_in_one_call_and_all_are_read() {
    let server = Marked::start().await;
    let data = report(&settings(server.base_url(), true), TEXTS).await;
    let calls = server.calls();
    let count = |schema: &str| calls.iter().filter(|call| call.schema == schema).count();
    let (notes, together) = (noted(&data), count("summaries"));
    assert!(notes > 6, "{notes} sources with prose");
    let (full, rest) = (notes / 6, notes % 6);
    let expected = (full + usize::from(rest > 1), usize::from(rest == 1));
    assert_eq!((together, count("summary")), expected, "{notes} sources");
    for call in calls.iter().filter(|call| call.schema == "summaries") {
        assert!(call.tokens <= WINDOW);
        let compressing = calls.iter().filter(|later| later.schema == "findings");
        let read: String = compressing.map(|later| later.text.as_str()).collect();
        assert!(read.contains(&call.mark), "nobody read {}", call.mark);
    }
    let other = |n: usize| data.sources[n].note.as_ref().map(|note| json!(note).to_string());
    let marks: std::collections::BTreeSet<String> = (0..TEXTS).filter_map(other).collect();
    assert_eq!(marks.len(), notes, "each has its own");
}

#[tokio::test]
async fn a_text_forgotten_by_a_joint_call_is_requested_alone() {
    // It answers any list with one entry, of the first text.
    let server = Scripted::start(Vec::new()).await;
    let data = report(&settings(server.base_url(), true), TEXTS).await;
    let notes = noted(&data);
    let together = asked(&server, "summaries");
    assert!(notes > 6 && together > 1, "{notes} sources with prose, {together} calls for several");
    assert_eq!(asked(&server, "summary"), notes - together);
}

#[tokio::test]
async fn where_no_summary_is_kept_each_text_is_asked_for_by_itself() {
    let server = Marked::start().await;
    let data = report(&settings(server.base_url(), false), TEXTS).await;
    let count = |schema: &str| server.calls().iter().filter(|call| call.schema == schema).count();
    assert_eq!((count("summaries"), count("summary")), (0, noted(&data)));
}

#[tokio::test]
async fn a_slightly_long_joint_summary_is_cut_without_another_call() {
    let wordy = "The glacier lost ice. ".repeat(15);
    let summaries: Vec<Value> = (1..=6).map(|id| json!({ "id": id, "summary": wordy })).collect();
    let answer = || Reply::Text(json!({ "summaries": summaries }).to_string());
    // Of twelve texts each is in a call for several, and these come first.
    let server = Scripted::start(vec![answer(), answer()]).await;
    let data = report(&settings(server.base_url(), true), 12).await;
    let notes = noted(&data);
    assert!(notes > 6, "{notes} sources with prose");
    assert_eq!((asked(&server, "summaries"), asked(&server, "summary")), (2, 0));
    let is_cut = |item: &precis_proto::fidelity::ItemFidelity| {
        let record = &item.phases[&Phase::Summarization];
        record.warnings.iter().any(|note| note.contains("was cut to"))
    };
    assert_eq!(data.content_fidelity.0.values().filter(|item| is_cut(item)).count(), notes, "each record says so");
    assert!(data.warning_details.iter().any(|w| w.code == WarningCode::ContentTruncated));
}
