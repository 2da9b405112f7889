//! The volume of the content store is unmounted under a running fleet, and mounted again: each report is that of a day without it, archive
//! included.

use std::collections::BTreeMap;
use std::time::Duration;

use precis_tests::fleet::fleet_under_test::{FleetOptions, FleetUnderTest};
use precis_tests::fleet::requests;
use precis_tests::fleet::same_report::{difference, essence};
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::program::{self, ended};
use serde_json::Value;

const SESSIONS: usize = 20;
/// How long the volume is away: long enough that every worker notices, and that jobs and sessions meet it.
const AWAY: Duration = Duration::from_secs(8);
/// Longest wait for all results.
const PATIENCE: Duration = Duration::from_secs(180);

/// What the reports of all sessions amount to, in a fleet whose volume `is_unmounted` for a while.
async fn reports(servers: &SharedServers, is_unmounted: bool) -> BTreeMap<String, Value> {
    servers.caller.begin();
    servers.redis.flush().await;
    let usual = FleetOptions::default();
    let settings = format!("{}content_archive_enabled = true\n", usual.settings);
    let fleet = FleetUnderTest::furnished(servers, program::path(), &FleetOptions { settings, ..usual }).await;
    // A worker's name is its key for the provider: too short a one would be masked wherever its letters stand in a message.
    let mut workers = [fleet.worker("left-hand", &[]), fleet.worker("right-hand", &[])];
    for number in 0..SESSIONS {
        servers.caller.ask(&requests::request(number)).await;
    }
    if is_unmounted {
        assert!(servers.caller.served(1, PATIENCE).await, "{}", fleet.log_lines("", 20).join("\n"));
        fleet.unmount_content();
        tokio::time::sleep(AWAY).await;
        let doctor = ended(fleet.command(&["doctor"]));
        assert!(doctor.code == 4 && doctor.stdout.contains("precis topology apply"), "{doctor:?}");
        assert_eq!(fleet.mount_content(), 0, "something was created where the volume should be");
    }
    assert!(servers.caller.served(SESSIONS, PATIENCE).await, "{}", fleet.log_lines("content", 20).join("\n"));
    for worker in &mut workers {
        assert!(worker.is_alive());
        worker.drain().await.expect("drains");
    }
    servers.caller.replies().into_iter().map(|(name, reply)| (name, essence(&reply.body).expect("JSON"))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unmounted_content_volume_costs_no_session() {
    let Some(servers) = SharedServers::open().await else { return };
    let (calm, troubled) = (reports(&servers, false).await, reports(&servers, true).await);
    assert_eq!(calm.len(), SESSIONS);
    for (session, expected) in calm {
        assert_eq!(expected["success"], true, "{session}: {expected}");
        assert_eq!(difference(&expected, &troubled[&session]), None, "{session}");
    }
}
