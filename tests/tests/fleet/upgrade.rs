//! Workers of two versions run together, and a state from the future waits for a newer worker.

use std::time::Duration;

use precis_proto::envelope::Envelope;
use precis_proto::response::Response;
use precis_proto::state::STATE_SCHEMA_VERSION;
use precis_runtime::broker::{Outgoing, Route, names};
use precis_tests::fleet::alike::difference;
use precis_tests::fleet::ground::Ground;
use precis_tests::fleet::plan::Weather;
use precis_tests::fleet::requests;
use precis_tests::fleet::site::Site;
use precis_tests::fleet::trial::Trial;
use precis_tests::program;
use serde_json::Value;

const SESSIONS: usize = 100;
/// Longest wait for one thing to happen.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_that_write_the_previous_version_and_this_one_finish_the_same_sessions() {
    let Some(ground) = Ground::open().await else { return };
    let (calm, expected) = Trial::calm(SESSIONS, 2).run(&ground, program::path(), None).await;
    println!("{calm}");
    let version = |version: &str| vec![("PRECIS_EMIT_VERSION", version.to_owned())];
    let mixed = Trial { workers: vec![version("2"), version("3")], ..Trial::calm(SESSIONS, 2) };
    let (ledger, found) = Trial { weather: Weather::RedisKept, ..mixed }.run(&ground, program::path(), None).await;
    println!("{ledger}");
    assert!(ledger.wrongs().is_empty() && ledger.reports == SESSIONS, "{:?}", ledger.wrongs());
    for (session, expected) in &expected {
        assert_eq!(difference(expected, &found[session]), None, "{session}");
    }
}

/// The newer worker is played by the test: it takes the parked state, which must be what was sent to the last byte, and does what
/// a newer worker does first, which is to write the state in the version that all of its fleet can read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_state_from_the_future_is_parked_unchanged_and_finished_by_a_newer_worker() {
    let Some(ground) = Ground::open().await else { return };
    ground.caller.begin();
    let site = Site::new(&ground, program::path(), true).await;
    let state = super::waiting_state(&ground, &site, 0).await;
    let mut body: Value = state.decode().expect("a state");
    body["schema_version"] = Value::from(STATE_SCHEMA_VERSION + 1);
    body["from_the_future"] = Value::from("kept");
    let future = Envelope::from_json(state.header.clone(), body.to_string().into_bytes()).expect("small");
    let queue = names::session_queue(precis_proto::Phase::Digest);
    ground.caller.publish(Outgoing { route: Route::queue(queue.clone()), envelope: future.clone() }).await;
    let mut worker = site.worker("current", &[]);
    let tier = names::tier(Duration::from_secs(60));
    let parked = super::taken_from(&ground, &tier, PATIENCE).await;
    assert_eq!((parked.body, parked.header.revision), (future.body, future.header.revision));
    assert!(ground.caller.replies().is_empty(), "it was answered");

    body["schema_version"] = Value::from(3);
    let readable = Envelope::from_json(state.header, body.to_string().into_bytes()).expect("small");
    ground.caller.publish(Outgoing { route: Route::queue(queue), envelope: readable }).await;
    assert!(ground.caller.served(1, PATIENCE).await, "no result\n{}", site.log_lines("session-0", 20).join("\n"));
    let result: Response = serde_json::from_slice(&ground.caller.replies()[&requests::name(0)].body).expect("JSON");
    assert!(result.success, "{:?}", result.error);
    worker.drain().await.expect("drains");
    assert_eq!(ground.depths().await, []);
}
