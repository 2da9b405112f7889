//! The events of a session at `precis serve --embedded`, for a reader that comes back after the process was killed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use precis_tests::http_client::{HttpClient, StreamedEvent};
use precis_tests::program::CliWorkspace;
use precis_tests::provider::{Reply, Scripted};
use serde_json::json;

use super::embedded::{free_address, killed, started_with};

/// Longest time until the model is asked, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(120);
const KEY: (&str, &str) = ("SCRIPTED_KEY", "k");

fn words(events: &[StreamedEvent]) -> Vec<&str> {
    events.iter().map(|(_, word, _)| word.as_str()).collect()
}

/// Asks a session whose model does not answer, follows it, and kills the process under it; the next one finishes it. Returns the address of
/// its events, those that were read before the kill, and those that were read after it from the last of them on.
fn followed_over_a_kill(
    workspace: &CliWorkspace,
    client: &HttpClient,
    provider: &Scripted,
) -> (String, [Vec<StreamedEvent>; 2]) {
    let process = started_with(workspace, client, &[KEY]);
    let source = json!({ "source_id": "a", "title": "a", "content": "The river rose by two metres in spring." });
    let body = json!({ "schema_version": 2, "query": "By how much did the river rise?", "sources": [source] });
    let accepted = client.call("POST", "/v1/sessions", &body.to_string(), &[("content-type", "application/json")]);
    let session = format!("/v1/sessions/{}", accepted.json()["id"].as_str().expect("an id"));
    let path = format!("{session}/events");
    let before = client.events(&path, None, 2);
    let since = Instant::now();
    while provider.seen().is_empty() {
        assert!(since.elapsed() < PATIENCE, "the model is not asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    killed(process);
    let process = started_with(workspace, client, &[KEY]);
    let after = client.events(&path, before[1].0.as_deref(), 10_000);
    killed(process);
    (path, [before, after])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_replayed_after_a_kill_as_they_were_sent() {
    let provider = Arc::new(Scripted::start([Reply::Hang]).await);
    let workspace = CliWorkspace::new();
    workspace.configure(format!(
        "[providers.scripted]\nbase_url = '{}'\napi_key_env = '{}'\n[roles.synthesis]\nproviders = ['scripted:m']\n",
        provider.base_url(),
        KEY.0
    ));
    let asked = Arc::clone(&provider);
    let read = tokio::task::spawn_blocking(move || {
        let client = HttpClient { address: free_address(), token: None };
        let (path, followed) = followed_over_a_kill(&workspace, &client, &asked);
        let process = started_with(&workspace, &client, &[KEY]);
        let whole = client.events(&path, None, 10_000);
        assert_eq!(followed.concat(), whole, "nothing is lost, doubled or announced as a gap");
        let words = words(&whole);
        assert_eq!((words[0], words.last()), ("session_accepted", Some(&"session_finished")));
        assert!(!words.contains(&"snapshot"), "{words:?}");
        killed(process);
        (workspace, client, path, whole)
    });
    let (workspace, client, path, whole) = read.await.expect("no panic");

    // What is lost is announced.
    let announced = tokio::task::spawn_blocking(move || {
        std::fs::remove_dir_all(workspace.at("data/store/events")).expect("kept on disk");
        let process = started_with(&workspace, &client, &[KEY]);
        let gap = client.events(&path, whole[0].0.as_deref(), 10_000);
        assert_eq!(words(&gap), ["snapshot", "session_finished"]);
        killed(process);
    });
    announced.await.expect("no panic");
}
