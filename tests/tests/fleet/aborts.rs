//! A document that ends whatever worker reads it takes nobody with it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use precis_proto::SessionId;
use precis_proto::request::ResearchRequest;
use precis_proto::response::Response;
use precis_runtime::broker::names;
use precis_tests::fleet::fleet_under_test::{FleetUnderTest, WorkerProcess};
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::program;
use serde_json::json;

/// Sessions, and the numbers of those with a document that kills.
const SESSIONS: usize = 30;
const GUILTY: [usize; 3] = [3, 11, 19];
const WORKERS: usize = 2;
/// Longest wait for every caller to be served: a copy that was held by a worker that died may come back by the slowest tier, more than
/// once.
const PATIENCE: Duration = Duration::from_secs(220);

/// All three at once, each with servers of its own: nearly all of the time is spent waiting for retry tiers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lethal_document_takes_no_other_session_at_any_prefetch() {
    join_all([1, 16, 64].map(|prefetch| async move {
        let Some(servers) = SharedServers::open().await else { return };
        let begun = Instant::now();
        let deaths = run(&servers, prefetch).await;
        println!(
            "prefetch {prefetch}: {SESSIONS} sessions served, {} marked documents, {deaths} workers died, {} s",
            GUILTY.len(),
            begun.elapsed().as_secs()
        );
    }))
    .await;
}

/// Returns how many workers died.
async fn run(servers: &SharedServers, prefetch: u16) -> usize {
    servers.redis.flush().await;
    servers.caller.begin();
    let fleet = FleetUnderTest::new(servers, &toy_worker(), true).await;
    let settings = json!({
        "amqp_url": servers.address_for_workers(), "redis_url": servers.redis.address(), "content_url": fleet.content_url(),
        "worker_concurrency": prefetch, "worker_sessions": prefetch,
    });
    let settings = settings.to_string();
    let mut started = 0;
    let mut start = || {
        started += 1;
        fleet.worker(&format!("toy.{started}"), &[("SETTINGS", &settings)])
    };
    let mut workers: Vec<WorkerProcess> = (0..WORKERS).map(|_| start()).collect();
    for number in 0..SESSIONS {
        servers.caller.ask(&request(number)).await;
    }
    let until = Instant::now() + PATIENCE;
    // Whoever waits is told before a message is laid with the dead, so letters may come after the last answer.
    let mut letters: Vec<Letter> = Vec::new();
    loop {
        let is_served = servers.caller.served(SESSIONS, Duration::from_millis(100)).await;
        letters.extend(taken(servers).await);
        if is_served && GUILTY.iter().all(|number| letters.iter().any(|letter| letter.0 == requests::name(*number))) {
            break;
        }
        let served = servers.caller.replies().len();
        assert!(
            Instant::now() < until,
            "prefetch {prefetch}: {served} of {SESSIONS} served, {started} workers started, dead letters {letters:?}"
        );
        for worker in &mut workers {
            if !worker.is_alive() {
                *worker = start();
            }
        }
    }
    check(servers, prefetch, letters);
    for worker in &mut workers {
        worker.drain().await.expect("drains");
    }
    started - WORKERS
}

/// A dead letter: session, queue and reason.
type Letter = (String, String, String);

/// The dead letters that lie there now, taken out.
async fn taken(servers: &SharedServers) -> Vec<Letter> {
    let broker = servers.connect().await;
    let mut letters = Vec::new();
    while let Some(letter) = broker.get(names::DEAD).await.expect("declared") {
        let header = letter.envelope.header.clone();
        letters.push((header.correlation_id, header.subject, header.dead_reason.unwrap_or_default()));
        letter.ack().await.expect("held");
    }
    broker.close().await;
    letters
}

/// Every session has its report, the guilty ones without the marked document; only these are among the dead.
fn check(servers: &SharedServers, prefetch: u16, mut letters: Vec<Letter>) {
    let replies = servers.caller.replies();
    for number in 0..SESSIONS {
        let served: Response = serde_json::from_slice(&replies[&requests::name(number)].body).expect("a response");
        let report = served.data.unwrap_or_else(|| panic!("prefetch {prefetch}, {number}: {:?}", served.error)).report;
        let expected = if GUILTY.contains(&number) { requests::DOCUMENTS - 1 } else { requests::DOCUMENTS };
        assert!(report.ends_with(&format!("nested {expected}")), "prefetch {prefetch}, {number}: {report}");
    }
    let expected: Vec<_> = GUILTY
        .iter()
        .map(|n| (requests::name(*n), names::job_queue("extraction"), "delivery_limit".to_owned()))
        .collect();
    letters.sort_by_key(|(session, ..)| session.trim_start_matches("session-").parse::<usize>().ok());
    // A session whose worker died may have scattered its jobs again while the first copy was still out: one letter each.
    letters.dedup();
    assert_eq!(letters, expected, "prefetch {prefetch}");
}

fn request(number: usize) -> ResearchRequest {
    let mut request = requests::request(number);
    request.session_id = SessionId::new(requests::name(number)).expect("an id");
    if GUILTY.contains(&number) {
        request.sources[2].content = Some(format!("KILLS {number}"));
    }
    request
}

fn toy_worker() -> PathBuf {
    program::path().with_file_name(format!("toy-worker{}", std::env::consts::EXE_SUFFIX))
}
