//! A digest that takes too long is given up: the source keeps its text, the record says why, and the report is made all the same.

use precis_tests::program::{Desk, ended};
use precis_tests::provider::{Reply, Scripted};
use serde_json::Value;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_source_whose_digest_takes_too_long_keeps_its_text() {
    let provider = Scripted::start([Reply::Hang]).await;
    let desk = Desk::new();
    desk.write(
        "river.txt",
        "The river Alba rose by three metres after the storm of 1953, and the dam held. ".repeat(40),
    );
    desk.write(
        "precis.toml",
        format!(
            "digest_policy = 'always'\ndigest_timeout = 1.0\ndigest_max_concurrent = 1\n\
             [providers.scripted]\nbase_url = '{}'\n[roles.summarization]\nproviders = ['scripted:m']\n",
            provider.base_url()
        ),
    );
    let command = desk.command(&["run", "--quiet", "--query", "What did the river Alba do?", "--docs", "river.txt"]);
    let ended = tokio::task::spawn_blocking(move || ended(command)).await.expect("no panic");
    let bytes = std::fs::read(desk.at("precis-out/report.json")).unwrap_or_else(|e| panic!("{e}: {}", ended.stderr));
    let report: Value = serde_json::from_slice(&bytes).expect("JSON");
    let records = report["data"]["content_fidelity"].to_string();
    assert!(records.contains("digest_failed: timed_out") && records.contains("\"raw\""), "{records}");
    assert!(report["data"]["warning_details"].to_string().contains("DIGEST_FAILED"), "{report:#}");
    assert!(!report["data"]["citations"].as_array().expect("a list").is_empty());
}
