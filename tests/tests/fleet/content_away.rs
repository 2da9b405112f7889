//! The volume of the content store is unmounted under a running fleet, and mounted again: every session ends with its report and its
//! archive, and nothing is written where the volume should be.

use std::time::Duration;

use precis_proto::response::Response;
use precis_proto::warning::WarningCode;
use precis_tests::fleet::fleet_under_test::{FleetOptions, FleetUnderTest};
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::program::{self, ended};

const SESSIONS: usize = 20;
/// How long the volume is away: long enough that every worker notices, and that jobs and sessions meet it.
const AWAY: Duration = Duration::from_secs(8);
/// Longest wait for all results.
const PATIENCE: Duration = Duration::from_secs(180);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unmounted_content_volume_costs_no_session() {
    let Some(servers) = SharedServers::open().await else { return };
    servers.caller.begin();
    let usual = FleetOptions::default();
    let settings = format!("{}content_archive_enabled = true\n", usual.settings);
    let fleet = FleetUnderTest::furnished(&servers, program::path(), &FleetOptions { settings, ..usual }).await;
    let mut workers = [fleet.worker("a", &[]), fleet.worker("b", &[])];
    for number in 0..SESSIONS {
        servers.caller.ask(&requests::request(number)).await;
    }
    assert!(servers.caller.served(1, PATIENCE).await, "{}", fleet.log_lines("", 20).join("\n"));
    fleet.unmount_content();
    tokio::time::sleep(AWAY).await;
    let doctor = ended(fleet.command(&["doctor"]));
    assert!(doctor.code == 4 && doctor.stdout.contains("precis topology apply"), "{doctor:?}");
    assert_eq!(fleet.mount_content(), 0, "something was created where the volume should be");
    assert!(servers.caller.served(SESSIONS, PATIENCE).await, "{}", fleet.log_lines("content", 20).join("\n"));
    for (session, reply) in servers.caller.replies() {
        let response: Response = serde_json::from_slice(&reply.body).expect("JSON");
        assert!(response.success, "{session}: {:?}", response.error);
        let data = response.data.expect("a report");
        let is_lacking = data.warning_details.iter().any(|warning| warning.code == WarningCode::ArchiveWriteFailed);
        assert!(!is_lacking && !data.sources.is_empty(), "{session} has no archive: {:?}", data.warning_details);
    }
    for worker in &mut workers {
        assert!(worker.is_alive());
        worker.drain().await.expect("drains");
    }
}
