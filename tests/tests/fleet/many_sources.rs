//! A session of many sources, through the real handlers of a fleet whose workers are killed in every phase: one
//! result, the statements of a run in one process, and a report that is proved.
//!
//! `PRECIS_MANY_SOURCES` says how many sources: a session may have 5,000.

use std::path::Path;
use std::time::{Duration, Instant};

use precis_proto::state::pages::MAX_PAGED_STATE_BYTES;
use precis_tests::fleet::many_sources::{self, QUESTION, SESSION};
use precis_tests::fleet::same_report::{difference, essence};
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::program::{self, CliWorkspace, ended};
use serde_json::Value;

/// Sources unless `PRECIS_MANY_SOURCES` says another number: as many as pass within a minute on two cores that others use too.
const SOURCES: usize = 1_000;
/// Characters of each, at least.
const CHARS: usize = 1_200;
/// Longest wait for the result of the fleet.
const PATIENCE: Duration = Duration::from_secs(600);
/// Sessions at once in one worker, and sources of each. With thousands of these a worker takes more than it should: see
/// docs/benchmarks.md, and `bench-fleet --only crowd`.
const CROWD: usize = 100;
const CROWD_SOURCES: usize = 20;
/// Most memory of a worker.
const MOST_MIB: u64 = 300;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_large_session_passes_while_workers_are_killed_in_every_phase() {
    let Some(servers) = SharedServers::open().await else { return };
    let sources = std::env::var("PRECIS_MANY_SOURCES").ok().and_then(|text| text.parse().ok()).unwrap_or(SOURCES);
    let workspace = CliWorkspace::new();
    let docs = workspace.at("docs");
    many_sources::write_documents(&docs, sources, CHARS);

    let begun = Instant::now();
    let alone = ["run", "--quiet", "--no-cache", "--query", QUESTION, "--docs", "docs", "--out", "alone"];
    let told = ended(workspace.command(&alone));
    assert_eq!(told.code, 0, "{}", told.stderr);
    println!("{sources} sources in one process: {:.1} s", begun.elapsed().as_secs_f64());

    let passed = many_sources::pass(&servers, program::path(), &docs, &workspace.at("fleet"), PATIENCE).await;
    let passed = passed.unwrap_or_else(|why| panic!("{why}"));
    println!("{sources} sources on a fleet: {passed:?}");

    let [reply, result] = [servers.caller.replies(), servers.caller.results()].map(|mut answers| {
        assert_eq!(answers.len(), 1, "answers to others");
        answers.remove(SESSION).expect("it was served")
    });
    assert_eq!((reply.differing, result.differing), (0, 0), "its result came with two contents");
    assert_eq!(reply.body, result.body, "two results");
    assert!(passed.deliveries > passed.states, "no kill met the worker that held the session: {passed:?}");
    let largest = passed.largest_message_bytes;
    assert!(largest < MAX_PAGED_STATE_BYTES, "a state message of {largest} bytes");
    assert!(passed.peak_kib / 1_024 < MOST_MIB, "a worker had {} MiB", passed.peak_kib / 1_024);

    let verified = workspace.run(&["verify", "fleet/report.json", "--archive", "fleet/archive"]);
    assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
    let (alone, fleet) = (report(&workspace.at("alone")), report(&workspace.at("fleet")));
    assert_eq!(fleet["data"]["sources"].as_array().map(Vec::len), Some(sources));
    assert!(fleet["data"]["citations"].as_array().is_some_and(|citations| !citations.is_empty()));
    assert_eq!(difference(&alone, &fleet), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_that_carries_a_hundred_sessions_of_twenty_sources_stays_small() {
    let Some(servers) = SharedServers::open().await else { return };
    let workspace = CliWorkspace::new();
    let docs = workspace.at("docs");
    many_sources::write_documents(&docs, CROWD_SOURCES, CHARS);
    let crowd = many_sources::crowd(&servers, program::path(), &docs, CROWD, PATIENCE).await;
    let crowd = crowd.unwrap_or_else(|why| panic!("{why}"));
    println!("{CROWD_SOURCES} sources each: {crowd:?}");
    assert!(crowd.peak_kib / 1_024 < MOST_MIB, "the worker had {} MiB", crowd.peak_kib / 1_024);
}

/// What is the same in every report on one request, wherever it was made.
fn report(dir: &Path) -> Value {
    let body = std::fs::read(dir.join("report.json")).expect("a report");
    let mut report = essence(&body).expect("JSON");
    report["data"]["session"]["id"].take();
    // What a run writes beside its report, a fleet archives only where it is set to.
    report["data"]["content_archive_hashes"].take();
    // Where a document lay on the machine of whoever asked is not told to a fleet.
    let sources = report["data"]["sources"].as_array_mut().into_iter().flatten();
    sources.filter_map(Value::as_object_mut).for_each(|source| drop(source.remove("path")));
    report
}
