//! Queues that callers bind to the exchanges they may read, each with arguments that could harm a publisher.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use lapin::options::{ExchangeBindOptions, ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, Connection, ConnectionProperties, ExchangeKind};
use precis_proto::response::Response;
use precis_runtime::broker::{Topology, names};
use precis_runtime::runner::RESULTS;
use precis_tests::fleet::caller::Caller;
use precis_tests::fleet::fleet_under_test::{FleetOptions, FleetUnderTest};
use precis_tests::fleet::requests;
use precis_tests::fleet::shared_servers::connect;
use precis_tests::program;
use precis_tests::servers::rabbit::RabbitServer;
use precis_tests::servers::redis::RedisServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const SESSIONS: usize = 6;
/// Longest wait for all results and for the queues to be empty; seconds on a quiet machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Between two looks at the queues.
const LOOK: Duration = Duration::from_millis(200);
/// Exchanges that the shipped permissions let callers read.
const READABLE: [&str; 2] = [names::RESULTS, names::EVENTS];
/// Exchanges that they let callers publish to, and so bind to what callers may read: everything that passes comes back to the workers.
const WRITABLE: [&str; 2] = [names::INGRESS, names::CONTROL];

/// The series of refused requests.
const REFUSED: &str = "precis_requests_refused_total";

/// Arguments of a queue.
type Arguments = &'static [(&'static str, Argument)];

#[derive(Clone, Copy)]
enum Argument {
    Number(i64),
    Text(&'static str),
}

use Argument::{Number, Text};

/// Every kind of queue that takes nothing, little, or not for long.
const HOSTILE: [(&str, Arguments); 11] = [
    ("reject", &[("x-max-length", Number(0)), ("x-overflow", Text("reject-publish"))]),
    (
        "reject-dlx",
        &[
            ("x-max-length", Number(0)),
            ("x-overflow", Text("reject-publish-dlx")),
            ("x-dead-letter-exchange", Text(names::INGRESS)),
            ("x-dead-letter-routing-key", Text(names::REQUEST_KEY)),
        ],
    ),
    ("drop", &[("x-max-length", Number(0)), ("x-overflow", Text("drop-head"))]),
    ("no-bytes", &[("x-max-length-bytes", Number(0)), ("x-overflow", Text("reject-publish"))]),
    ("no-bytes-drop", &[("x-max-length-bytes", Number(0))]),
    ("no-time", &[("x-message-ttl", Number(0))]),
    ("expires", &[("x-expires", Number(500))]),
    (
        "quorum",
        &[("x-queue-type", Text("quorum")), ("x-max-length", Number(0)), ("x-overflow", Text("reject-publish"))],
    ),
    ("one", &[("x-max-length", Number(1)), ("x-overflow", Text("reject-publish"))]),
    (
        "back",
        &[
            ("x-message-ttl", Number(0)),
            ("x-dead-letter-exchange", Text(names::INGRESS)),
            ("x-dead-letter-routing-key", Text(names::REQUEST_KEY)),
        ],
    ),
    ("to-control", &[("x-message-ttl", Number(0)), ("x-dead-letter-exchange", Text(names::CONTROL))]),
];

fn table(arguments: Arguments) -> FieldTable {
    let mut table = FieldTable::default();
    for (name, argument) in arguments {
        let value = match *argument {
            Number(number) => AMQPValue::LongLongInt(number),
            Text(text) => AMQPValue::LongString(text.into()),
        };
        table.insert((*name).into(), value);
    }
    table
}

/// Declares a queue for everything that passes `exchange`.
async fn listen(channel: &Channel, exchange: &str, queue: &str, arguments: FieldTable, exclusive: bool) {
    let is_durable = !exclusive;
    let options = QueueDeclareOptions { durable: is_durable, exclusive, ..QueueDeclareOptions::default() };
    channel.queue_declare(queue.into(), options, arguments).await.expect("declared");
    let bound = channel.queue_bind(
        queue.into(),
        exchange.into(),
        "#".into(),
        QueueBindOptions::default(),
        FieldTable::default(),
    );
    bound.await.expect("bound");
}

/// Binds every kind of queue to every exchange that callers may read, one of them behind an exchange of the caller's own.
async fn bind_all(address: &str) -> Connection {
    let connecting = async || {
        let connection = Connection::connect(address, ConnectionProperties::default()).await.expect("connects");
        let channel = connection.create_channel().await.expect("a channel");
        (connection, channel)
    };
    let (connection, channel) = connecting().await;
    for exchange in READABLE {
        for (kind, arguments) in HOSTILE {
            listen(&channel, exchange, &format!("reply.{kind}.{exchange}"), table(arguments), false).await;
        }
        let own = format!("reply.behind.{exchange}");
        let options = ExchangeDeclareOptions::default();
        channel
            .exchange_declare(own.as_str().into(), ExchangeKind::Fanout, options, FieldTable::default())
            .await
            .expect("declared");
        let (to, from) = (own.as_str().into(), exchange.into());
        channel
            .exchange_bind(to, from, "#".into(), ExchangeBindOptions::default(), FieldTable::default())
            .await
            .expect("bound");
        listen(&channel, &own, &format!("reply.far.{exchange}"), table(HOSTILE[0].1), false).await;
        for fed in WRITABLE {
            let (to, from) = (fed.into(), exchange.into());
            let options = ExchangeBindOptions::default();
            channel.exchange_bind(to, from, "#".into(), options, FieldTable::default()).await.expect("bound");
        }
        let (gone, channel) = connecting().await;
        listen(&channel, exchange, &format!("reply.exclusive.{exchange}"), FieldTable::default(), true).await;
        gone.close(200, "gone".into()).await.expect("closes");
    }
    connection
}

/// The sum of the series of `name` on the worker at `port`.
async fn counted(port: u16, name: &str) -> f64 {
    let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.expect("the endpoint");
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.expect("asked");
    let mut text = String::new();
    stream.read_to_string(&mut text).await.expect("answered");
    let series = text.lines().filter(|line| line.starts_with(name));
    series.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address").port()
}

/// Messages in queues of the fleet, waiting or held, by name; waits until there are none, at most [`PATIENCE`].
async fn left(rabbit: &RabbitServer) -> BTreeMap<String, u64> {
    let ours: Vec<String> = Topology::standard().queues.into_iter().map(|queue| queue.name).collect();
    let until = Instant::now() + PATIENCE;
    loop {
        let told = rabbit.control(&["--silent", "list_queues", "name", "messages"]).await;
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        let rows = text.lines().filter_map(|row| row.split_once('\t'));
        let rows = rows.filter_map(|(name, count)| Some((name.to_owned(), count.trim().parse().ok()?)));
        let left: BTreeMap<String, u64> = rows.filter(|(name, count)| *count > 0 && ours.contains(name)).collect();
        if left.is_empty() || Instant::now() > until {
            return left;
        }
        tokio::time::sleep(LOOK).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_queue_that_a_caller_binds_keeps_a_session_from_settling() {
    let (Some(rabbit), Some(redis)) = (RabbitServer::start().await, RedisServer::start().await) else { return };
    let address = rabbit.address();
    let broker = connect(&address).await;
    broker.declare(&Topology::standard()).await.expect("an empty broker");
    broker.close().await;
    let caller = Caller::new(address.clone(), "honest").await;
    let _hostile = bind_all(address.expose()).await;
    let options = FleetOptions { roles: &[], ..FleetOptions::default() };
    let fleet =
        FleetUnderTest::for_addresses(program::path(), address.expose(), Some(&redis.address()), &options).await;
    let port = free_port();
    let _worker = fleet.worker("only", &[("PRECIS_METRICS_ADDRESS", &format!("127.0.0.1:{port}"))]);
    for number in 0..SESSIONS {
        caller.ask(&requests::small(number)).await;
    }
    assert!(caller.served(SESSIONS, PATIENCE).await, "{:?}", fleet.log_lines("", 20));

    assert_eq!(left(&rabbit).await, BTreeMap::new(), "{:?}", fleet.log_lines("WARN", 20));
    for answers in [caller.replies(), caller.results()] {
        let repeats: usize = answers.values().map(|served| served.repeats).sum();
        assert_eq!((answers.len(), repeats), (SESSIONS, 0));
    }
    for number in 0..SESSIONS {
        let kept = fleet.content().get_named(RESULTS, &requests::name(number)).await.expect("readable");
        let kept: Response = serde_json::from_slice(&kept.expect("the result is kept")).expect("a response");
        assert!(kept.success, "{kept:?}");
    }
    assert_eq!(counted(port, "precis_sessions_total").await, SESSIONS as f64);
    // What came back was refused once each, and nothing of that came back again.
    let refused = counted(port, REFUSED).await;
    assert!(refused >= SESSIONS as f64, "{refused}");
    tokio::time::sleep(LOOK * 5).await;
    assert_eq!(counted(port, REFUSED).await, refused);
    assert!(counted(port, "precis_broadcasts_nacked_total{kind=\"results\"}").await >= SESSIONS as f64);
    assert!(counted(port, "precis_broadcasts_nacked_total{kind=\"events\"}").await >= 1.0);
}
