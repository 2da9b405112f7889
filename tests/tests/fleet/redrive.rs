//! A session that was given up on is finished once its cause is mended and somebody redrives it.

use std::time::Duration;

use precis_proto::Phase;
use precis_proto::response::Response;
use precis_proto::state::SessionState;
use precis_runtime::broker::{Outgoing, Route, names};
use precis_tests::fleet::fleet_under_test::FleetUnderTest;
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::program::{self, ended};

/// Longest wait for a result.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is broken and mended is the content store: a text is missing while the session's last attempt runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_given_up_on_completes_when_it_is_mended_and_redriven() {
    let Some(servers) = SharedServers::open().await else { return };
    servers.caller.begin();
    let fleet = FleetUnderTest::new(&servers, program::path(), true).await;
    let mut state = super::waiting_state(&servers, &fleet, 0).await;
    let read: SessionState = state.decode().expect("a state");
    let text = read.sources[0].text.as_ref().expect("read").content.clone();
    let hidden = fleet.hide_content(&text);
    // Its last attempt; the four before would take the retry tiers six minutes.
    state.header.attempt = 5;
    let queue = names::session_queue(Phase::Digest);
    servers.caller.publish(Outgoing { route: Route::queue(queue), envelope: state }).await;
    let mut worker = fleet.worker("w", &[]);
    assert!(servers.caller.served(1, PATIENCE).await, "{}", fleet.log_lines("session-0", 20).join("\n"));
    let given_up: Response = serde_json::from_slice(&servers.caller.replies()[&requests::name(0)].body).expect("JSON");
    assert_eq!(given_up.error.expect("a failure").code, "attempts_exhausted");

    fleet.show_content(hidden);
    let dead = ended(fleet.command(&["dead", "ls", "--json", "--session", &requests::name(0)]));
    assert!(dead.code == 0 && dead.stdout.contains("attempts_exhausted"), "{dead:?}");
    let redriven = ended(fleet.command(&["dead", "redrive", "--session", &requests::name(0)]));
    assert!(redriven.code == 0 && redriven.stdout.contains("redriven as session-0.2"), "{redriven:?}");
    assert!(servers.caller.served(2, PATIENCE).await, "{}", fleet.log_lines("session-0", 20).join("\n"));
    let result: Response = serde_json::from_slice(&servers.caller.replies()["session-0.2"].body).expect("JSON");
    assert!(result.success, "{:?}", result.error);
    worker.drain().await.expect("drains");
    assert_eq!(servers.depths().await, []);
}
