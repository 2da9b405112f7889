//! A worker that is told to stop while it has lost its connection: what it paid for is kept.

use std::time::Duration;

use precis_tests::fleet::fleet_under_test::{FleetOptions, FleetUnderTest};
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::program;

/// What the model takes: long enough that the worker is cut off and told to stop meanwhile.
const LATENCY: Duration = Duration::from_secs(3);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_stopped_while_disconnected_keeps_the_awaited_answer() {
    let Some(servers) = SharedServers::open().await else { return };
    servers.caller.begin();
    // Nobody judges the report: its writing is the only call.
    let settings = format!("{}judge = \"off\"\n", FleetOptions::default().settings);
    let options = FleetOptions { latency: LATENCY, roles: &["synthesis"], settings, ..FleetOptions::default() };
    let fleet = FleetUnderTest::furnished(&servers, program::path(), &options).await;
    let mut worker = fleet.worker("cut-off", &[]);
    servers.caller.ask(&requests::small(0)).await;
    fleet.provider.arrived(1).await;
    servers.proxy.refuse(true);
    servers.proxy.cut().await;
    // Its connection is gone before it is told to stop.
    tokio::time::sleep(Duration::from_millis(500)).await;
    worker.drain().await.expect("ends with 0");
    servers.proxy.refuse(false);
    let mut next = fleet.worker("next", &[]);
    let served = servers.caller.served(1, Duration::from_secs(60)).await;
    assert!(served, "{}", fleet.log_lines("session-0", 20).join("\n"));
    next.drain().await.expect("ends with 0");
    assert_eq!(fleet.provider.calls(), 1, "the call of the first worker is paid, and found by the next");
}
