//! The fleet under faults, with real processes: `precis worker` on a private RabbitMQ and Redis. Each test prints a ledger.

mod aborts;
mod canary;
mod canary_door;
mod content_away;
mod cut_off;
mod hostile;
mod kill;
mod many_sources;
mod poison;
mod redrive;
mod researched;
mod two_fleets;
mod upgrade;

use std::time::{Duration, Instant};

use precis_proto::Phase;
use precis_proto::envelope::Envelope;
use precis_runtime::broker::names;
use precis_tests::fleet::fleet_under_test::FleetUnderTest;
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::SharedServers;

/// Longest wait for a state.
const WAITING: Duration = Duration::from_secs(60);

/// A real state of session `number`: read by a worker that serves extraction and nothing after it, taken out of the next queue.
async fn waiting_state(servers: &SharedServers, fleet: &FleetUnderTest, number: usize) -> Envelope {
    let mut reader = fleet.worker("reader", &[("PRECIS_WORKER_QUEUES", "requests,session.extraction,jobs.extraction")]);
    servers.caller.ask(&requests::request(number)).await;
    let state = taken_from(servers, &names::session_queue(Phase::Digest), WAITING).await;
    reader.drain().await.expect("drains");
    state
}

/// The next message of `queue`, taken out of it.
async fn taken_from(servers: &SharedServers, queue: &str, limit: Duration) -> Envelope {
    let broker = servers.connect().await;
    let until = Instant::now() + limit;
    loop {
        if let Some(delivery) = broker.get(queue).await.expect("declared") {
            let envelope = delivery.envelope.clone();
            delivery.ack().await.expect("held");
            broker.close().await;
            return envelope;
        }
        assert!(Instant::now() < until, "nothing came to {queue} within {limit:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
