//! Workers of two versions run together, and a state from the future waits for a newer worker.

use std::time::Duration;

use precis_proto::envelope::Envelope;
use precis_proto::response::Response;
use precis_proto::state::STATE_SCHEMA_VERSION;
use precis_runtime::broker::{Outgoing, Route, names};
use precis_tests::fleet::fleet_under_test::FleetUnderTest;
use precis_tests::fleet::plan::Weather;
use precis_tests::fleet::requests;
use precis_tests::fleet::same_report::difference;
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::fleet::trial::Trial;
use precis_tests::fleet::work::{Work, Workplace};
use precis_tests::program;
use serde_json::Value;

const SESSIONS: usize = 100;
/// Longest wait for one thing to happen.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_of_two_versions_finish_the_same_sessions() {
    let Some(servers) = SharedServers::open().await else { return };
    let place = Workplace::open(Work::Documents).await;
    let (calm, expected) = Trial::calm(SESSIONS, 2).run(&servers, &place, program::path(), None).await;
    println!("{calm}");
    let version = |version: u32| vec![("PRECIS_EMIT_VERSION", version.to_string())];
    let workers = vec![version(2), version(STATE_SCHEMA_VERSION - 1), version(STATE_SCHEMA_VERSION)];
    let mixed = Trial { workers, ..Trial::calm(SESSIONS, 2) };
    let (ledger, found) =
        Trial { weather: Weather::RedisKept, ..mixed }.run(&servers, &place, program::path(), None).await;
    println!("{ledger}");
    assert!(ledger.wrongs().is_empty() && ledger.reports == SESSIONS, "{:?}", ledger.wrongs());
    for (session, expected) in &expected {
        assert_eq!(difference(expected, &found[session]), None, "{session}");
    }
}

/// The newer worker is played by the test: it takes the parked state, which must be what was sent to the last byte, and does what
/// a newer worker does first, which is to write the state in the version that all of its fleet can read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_future_state_is_parked_unchanged_until_a_newer_worker() {
    let Some(servers) = SharedServers::open().await else { return };
    servers.caller.begin();
    let fleet = FleetUnderTest::new(&servers, program::path(), true).await;
    let state = super::waiting_state(&servers, &fleet, 0).await;
    let mut body: Value = state.decode().expect("a state");
    body["schema_version"] = Value::from(STATE_SCHEMA_VERSION + 1);
    body["from_the_future"] = Value::from("kept");
    let future = Envelope::from_json(state.header.clone(), body.to_string().into_bytes()).expect("small");
    let queue = names::session_queue(precis_proto::Phase::Digest);
    servers.caller.publish(Outgoing { route: Route::queue(queue.clone()), envelope: future.clone() }).await;
    let mut worker = fleet.worker("current", &[]);
    let tier = names::tier(Duration::from_secs(60));
    let parked = super::taken_from(&servers, &tier, PATIENCE).await;
    assert_eq!((parked.body, parked.header.revision), (future.body, future.header.revision));
    assert!(servers.caller.replies().is_empty(), "it was answered");

    body["schema_version"] = Value::from(3);
    let readable = Envelope::from_json(state.header, body.to_string().into_bytes()).expect("small");
    servers.caller.publish(Outgoing { route: Route::queue(queue), envelope: readable }).await;
    assert!(servers.caller.served(1, PATIENCE).await, "no result\n{}", fleet.log_lines("session-0", 20).join("\n"));
    let result: Response = serde_json::from_slice(&servers.caller.replies()[&requests::name(0)].body).expect("JSON");
    assert!(result.success, "{:?}", result.error);
    worker.drain().await.expect("drains");
    assert_eq!(servers.depths().await, []);
}
