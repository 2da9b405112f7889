//! What only a broker on a network has: nobody there, the wrong password, a silence, one publisher's mistake beside another's work.
//! Run by the test in `rabbit`, which owns the server.

use std::time::{Duration, Instant};

use precis_proto::envelope::{Envelope, Header, MAX_WIRE_BYTES};
use precis_runtime::broker::{Broker, BrokerError, Outgoing, Queue, RabbitConnection, RabbitSettings, Route, Topology};
use precis_runtime::secret_url::SecretUrl;
use precis_tests::servers::rabbit::RabbitServer;

const QUEUE: &str = "faults";
/// Longer than any answer of a broker that is well.
const PATIENCE: Duration = Duration::from_secs(30);

fn settings(address: &str) -> RabbitSettings {
    let address: SecretUrl = serde_json::from_value(address.into()).expect("an address");
    RabbitSettings { heartbeat: Duration::from_secs(4), ..RabbitSettings::new(address) }
}

async fn connect(settings: &RabbitSettings) -> Broker {
    let broker = Broker::Rabbit(RabbitConnection::connect(settings).await.expect("the broker answers"));
    let queue = Queue { name: QUEUE.to_owned(), delivery_limit: Some(5), dead_letter: None, message_ttl_ms: None };
    let topology = Topology { exchanges: Vec::new(), queues: vec![queue], bindings: Vec::new() };
    broker.declare(&topology).await.expect("declared");
    broker
}

fn to(route: Route, body: Vec<u8>) -> Outgoing {
    Outgoing { route, envelope: Envelope { header: Header::default(), body: body.into() } }
}

/// Runs them all, one after the other; the last one stops the broker's process for a while.
pub(crate) async fn hold(server: &RabbitServer) {
    nobody_there_is_told_without_the_password(server).await;
    a_publish_to_a_missing_exchange_is_refused_and_no_other_publisher_suffers(server).await;
    a_message_over_the_size_limit_is_refused_before_it_is_sent(server).await;
    a_refused_question_leaves_the_connection_usable(server).await;
    a_message_with_as_many_headers_as_the_broker_takes_ends_no_consumer(server).await;
    a_broker_that_falls_silent_ends_the_connection_and_no_wait_outlives_it(server).await;
}

async fn nobody_there_is_told_without_the_password(server: &RabbitServer) {
    let nobody = RabbitConnection::connect(&settings("amqp://guest:hunter2@127.0.0.1:1/%2f")).await;
    let stranger = format!("amqp://guest:hunter2@127.0.0.1:{}/%2f", server.port());
    let wrong = RabbitConnection::connect(&settings(&stranger)).await;
    let nowhere = format!("amqp://guest:guest@127.0.0.1:{}/nowhere", server.port());
    let missing = RabbitConnection::connect(&settings(&nowhere)).await;
    assert!(matches!(nobody, Err(BrokerError::Unreachable(_))), "{nobody:?}");
    assert!(matches!(wrong, Err(BrokerError::Refused(_))), "{wrong:?}");
    assert!(matches!(missing, Err(BrokerError::Refused(_))), "{missing:?}");
    assert!(!format!("{nobody:?} {wrong:?}").contains("hunter2"));
}

async fn a_publish_to_a_missing_exchange_is_refused_and_no_other_publisher_suffers(server: &RabbitServer) {
    let broker = connect(&settings(server.address().expose())).await;
    let publishing = (0..40).map(|n| {
        let broker = broker.clone();
        tokio::spawn(async move {
            let route = if n % 10 == 0 { Route::broadcast("no-such-exchange", "") } else { Route::queue(QUEUE) };
            (n, broker.publish(to(route, b"{}".to_vec())).await)
        })
    });
    for published in publishing.collect::<Vec<_>>() {
        let (n, outcome) = published.await.expect("no panic");
        match n % 10 {
            0 => assert!(matches!(outcome, Err(BrokerError::Refused(_))), "{n}: {outcome:?}"),
            _ => assert_eq!(outcome, Ok(()), "{n}"),
        }
    }
    broker.close().await;
}

async fn a_message_over_the_size_limit_is_refused_before_it_is_sent(server: &RabbitServer) {
    let broker = connect(&settings(server.address().expose())).await;
    let outcome = broker.publish(to(Route::queue(QUEUE), vec![b' '; MAX_WIRE_BYTES + 1])).await;
    assert!(matches!(outcome, Err(BrokerError::Refused(_))), "{outcome:?}");
    assert_eq!(broker.publish(to(Route::queue(QUEUE), vec![b' '; MAX_WIRE_BYTES])).await, Ok(()));
    broker.close().await;
}

async fn a_refused_question_leaves_the_connection_usable(server: &RabbitServer) {
    let broker = connect(&settings(server.address().expose())).await;
    for _ in 0..3 {
        assert!(matches!(broker.depth("no-such-queue").await, Err(BrokerError::Refused(_))));
        assert!(matches!(broker.consume("no-such-queue", 1).await, Err(BrokerError::Refused(_))));
        assert!(matches!(broker.get("no-such-queue").await, Err(BrokerError::Refused(_))));
    }
    assert_eq!(broker.publish(to(Route::queue(QUEUE), b"{}".to_vec())).await, Ok(()));
    broker.close().await;
}

/// Its sender may use frames of 128 KiB, and all headers travel in one.
async fn a_message_with_as_many_headers_as_the_broker_takes_ends_no_consumer(server: &RabbitServer) {
    let address = format!("{}?frame_max=131072", server.address().expose());
    let sender = lapin::Connection::connect(&address, lapin::ConnectionProperties::default()).await.expect("connects");
    let channel = sender.create_channel().await.expect("a channel");
    let broker = connect(&settings(server.address().expose())).await;
    let mut consumer = broker.consume(QUEUE, 100).await.expect("consuming");
    let mut headers = lapin::types::FieldTable::default();
    headers.insert("x-large".into(), lapin::types::AMQPValue::LongString("x".repeat(120_000).into()));
    let properties = lapin::BasicProperties::default().with_headers(headers).with_message_id("large".into());
    let options = lapin::options::BasicPublishOptions::default();
    channel.basic_publish("".into(), QUEUE.into(), options, b"{}", properties).await.expect("published");
    loop {
        let delivery =
            tokio::time::timeout(PATIENCE, consumer.next()).await.expect("in time").expect("the connection lives");
        let is_large = delivery.envelope.header.message_id == "large";
        delivery.ack().await.expect("acked");
        if is_large {
            break;
        }
    }
    broker.close().await;
}

/// The process is stopped: its sockets stay open and nothing comes. A confirm has its own limit, the rest ends with the heartbeat.
async fn a_broker_that_falls_silent_ends_the_connection_and_no_wait_outlives_it(server: &RabbitServer) {
    let mut settings = settings(server.address().expose());
    settings.confirm_timeout = Duration::from_millis(500);
    settings.connect_timeout = Duration::from_secs(1);
    let broker = connect(&settings).await;
    let mut consumer = broker.consume(QUEUE, 1).await.expect("consuming");
    // Of its own: what the others left in the queue is not to be counted on.
    assert_eq!(broker.publish(to(Route::queue(QUEUE), b"{}".to_vec())).await, Ok(()));
    let held = tokio::time::timeout(PATIENCE, consumer.next()).await.expect("in time").expect("a message");
    server.pause();
    let late = broker.publish(to(Route::queue(QUEUE), b"{}".to_vec())).await;
    assert_eq!(late, Err(BrokerError::ConfirmTimeout(500)));
    let unanswered = RabbitConnection::connect(&settings).await;
    assert!(matches!(unanswered, Err(BrokerError::Unreachable(_))), "{unanswered:?}");
    let started = Instant::now();
    let end = tokio::time::timeout(PATIENCE, async { while consumer.next().await.is_some() {} }).await;
    assert!(end.is_ok(), "the heartbeat did not end the consumer");
    assert!(started.elapsed() < settings.heartbeat * 3, "after {:?}", started.elapsed());
    assert_eq!(broker.publish(to(Route::queue(QUEUE), b"{}".to_vec())).await, Err(BrokerError::Closed));
    assert!(held.ack().await.is_err());
    broker.close().await;
    server.resume();
    server.start_again().await;
    connect(&settings).await.close().await;
}
