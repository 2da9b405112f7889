//! A caller who means harm, beside honest ones: all honest sessions end, no worker dies, connections are lost a stated number of
//! times, memory stays bounded, and nothing is left in an inner queue.
//!
//! `PRECIS_HOSTILE_REQUESTS` says how many requests (500 unless set), `PRECIS_HOSTILE_SEED` which.

use std::time::{Duration, Instant};

use precis_proto::response::Response;
use precis_runtime::broker::{Queue, Topology, names};
use precis_tests::fleet::fleet_under_test::{FleetOptions, FleetUnderTest};
use precis_tests::fleet::hostile::Hostile;
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::SharedServers;
use precis_tests::program;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Honest sessions, spread over the hostile requests.
const HONEST: usize = 20;
/// Connections of a worker, the first included: as many as `hostile-caller` would see of one that lost none, and few more.
const MOST_CONNECTIONS: u64 = 6;
/// Most memory of a worker.
const MOST_MIB: u64 = 300;
/// Longest wait for what is under way.
const PATIENCE: Duration = Duration::from_secs(600);
/// Where refusals go. Nobody reads them.
const REPLIES: &str = "reply.hostile";

fn number_of(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn honest_sessions_end_despite_a_hostile_caller() {
    let Some(servers) = SharedServers::open().await else { return };
    let (count, seed) = (number_of("PRECIS_HOSTILE_REQUESTS", 500), number_of("PRECIS_HOSTILE_SEED", 1));
    servers.caller.begin();
    let replies =
        Queue { name: REPLIES.to_owned(), delivery_limit: None, dead_letter: None, message_ttl_ms: Some(1_000) };
    let topology = Topology { exchanges: Vec::new(), queues: vec![replies], bindings: Vec::new() };
    servers.connect().await.declare(&topology).await.expect("a name of its own");
    let furnishing = FleetOptions { roles: &[], ..FleetOptions::default() };
    let fleet = FleetUnderTest::furnished(&servers, program::path(), &furnishing).await;
    let ports = [free_port().await, free_port().await];
    let addresses = ports.map(|port| format!("127.0.0.1:{port}"));
    let worker = |at: usize| fleet.worker(["a", "b"][at], &[("PRECIS_METRICS_ADDRESS", addresses[at].as_str())]);
    let mut workers = [worker(0), worker(1)];

    let hostile = Hostile::new();
    let begun = Instant::now();
    let mut asked = 0;
    for number in 0..count {
        while asked * count <= number * HONEST && asked < HONEST {
            servers.caller.ask(&requests::request(asked)).await;
            asked += 1;
        }
        let victim = requests::name(number % asked.max(1));
        servers.caller.publish(hostile.message(seed as u64, number, REPLIES, &victim)).await;
    }
    let published = begun.elapsed();

    let until = Instant::now() + PATIENCE;
    loop {
        let told = servers.caller.replies();
        if (0..HONEST).all(|number| told.contains_key(&requests::name(number))) {
            break;
        }
        assert!(Instant::now() < until, "honest sessions without an answer: {:?}", told.keys().collect::<Vec<_>>());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for number in 0..HONEST {
        let name = requests::name(number);
        for (way, answers) in [("reply", servers.caller.replies()), ("result", servers.caller.results())] {
            let Some(answer) = answers.get(&name) else { continue };
            let response: Response = serde_json::from_slice(&answer.body).expect("a response");
            assert!(response.success, "{name}: a refusal came as its {way}: {:?}", response.error);
            assert_eq!(answer.differing, 0, "{name}: its {way} came with two contents");
        }
    }
    let left = emptied(&servers, until).await;
    assert_eq!(left, [], "left in inner queues");
    for (worker, port) in workers.iter_mut().zip(ports) {
        assert!(worker.is_alive(), "worker {} died:\n{:#?}", worker.name(), fleet.log_lines("panic", 5));
        let (connections, peak) = (connections(port).await, worker.peak_kib() / 1_024);
        println!("{}: {connections} connections, {peak} MiB at most", worker.name());
        assert!(connections <= MOST_CONNECTIONS, "worker {} made {connections} connections", worker.name());
        assert!(peak < MOST_MIB, "worker {} had {peak} MiB", worker.name());
        worker.drain().await.expect("drains");
    }
    println!("{count} hostile requests (seed {seed}) published in {published:?}, all done after {:?}", begun.elapsed());
}

/// What is still in inner queues when nothing moves any more; dead letters are where they belong.
async fn emptied(servers: &SharedServers, until: Instant) -> Vec<(String, u64)> {
    loop {
        let mut left = servers.messages().await;
        left.retain(|(queue, _)| !queue.starts_with(names::DEAD));
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("bound").port()
}

/// Connections that the worker at `port` has made, by its metrics.
async fn connections(port: u16) -> u64 {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("it serves metrics");
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.expect("asked");
    let mut text = String::new();
    stream.read_to_string(&mut text).await.expect("answered");
    let value = text.lines().find_map(|line| line.strip_prefix("precis_broker_connects_total "));
    value.and_then(|value| value.trim().parse().ok()).expect("a counter of connections")
}
