//! The failure points of the memory broker and store: each fault looks to the caller as it would on a network.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use precis_proto::envelope::{Envelope, Header};
use precis_runtime::broker::{Broker, BrokerError, MemoryBroker, Outgoing, Queue, QueueDepth, Route, Topology};
use precis_runtime::failpoints::{Failpoints, Fault};
use precis_runtime::store::{MemoryStore, Store};

const QUEUE: &str = "work";
const TIME: Duration = Duration::from_secs(10);

/// The `nth` visit (from 0) of `point` meets `fault`.
fn at(point: &'static str, nth: u32, fault: Fault) -> Failpoints {
    let visits = AtomicU32::new(0);
    Failpoints::from_plan(move |reached| {
        let met = reached == point && visits.fetch_add(1, Ordering::Relaxed) == nth;
        if met { fault } else { Fault::None }
    })
}

fn message(text: &str) -> Envelope {
    Envelope::encode(Header { message_id: text.to_owned(), ..Header::default() }, &text).expect("a short text")
}

fn window(texts: &[&str]) -> Vec<Outgoing> {
    texts.iter().map(|text| Outgoing { route: Route::queue(QUEUE), envelope: message(text) }).collect()
}

async fn server() -> MemoryBroker {
    let server = MemoryBroker::new();
    let queue = Queue { name: QUEUE.to_owned(), delivery_limit: None, dead_letter: None, message_ttl_ms: None };
    let topology = Topology { exchanges: Vec::new(), queues: vec![queue], bindings: Vec::new() };
    Broker::Memory(server.connect(Failpoints::none())).declare(&topology).await.expect("declared");
    server
}

fn arrived(server: &MemoryBroker) -> Vec<String> {
    server.messages(QUEUE).into_iter().map(|e| e.header.message_id).collect()
}

#[tokio::test(start_paused = true)]
async fn a_lost_publish_looks_like_a_cut_connection() {
    let server = server().await;
    let worker = Broker::Memory(server.connect(at("publish.before", 1, Fault::Drop)));
    assert_eq!(worker.publish_all(window(&["1", "2", "3"])).await, Err(BrokerError::Closed));
    assert_eq!(arrived(&server), ["1"]);
    assert_eq!(worker.publish_all(window(&["4"])).await, Err(BrokerError::Closed), "and it stays cut");
}

#[tokio::test(start_paused = true)]
async fn a_lost_confirm_keeps_the_message_and_leaves_the_publisher_uncertain() {
    let server = server().await;
    let worker = Broker::Memory(server.connect(at("publish.confirm", 0, Fault::Drop)));
    assert_eq!(worker.publish_all(window(&["1", "2"])).await, Err(BrokerError::Closed));
    assert_eq!(arrived(&server), ["1", "2"]);
}

#[tokio::test(start_paused = true)]
async fn a_repeated_publish_arrives_twice() {
    let server = server().await;
    let worker = Broker::Memory(server.connect(at("publish.confirm", 0, Fault::Repeat)));
    assert_eq!(worker.publish_all(window(&["1", "2"])).await, Ok(()));
    assert_eq!(arrived(&server), ["1", "2", "1"]);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_dies_at_a_point_never_goes_on_from_it() {
    for (point, left) in [("publish.before", &["1"][..]), ("publish.confirm", &["1", "2"])] {
        let server = server().await;
        let worker = Broker::Memory(server.connect(at(point, 1, Fault::Crash)));
        let dying = worker.publish_all(window(&["1", "2"]));
        assert!(tokio::time::timeout(TIME, dying).await.is_err(), "{point}");
        assert_eq!(arrived(&server), left, "{point}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_cut_while_a_confirm_is_late_is_not_a_success() {
    let server = server().await;
    let connection = server.connect(at("publish.confirm", 0, Fault::Delay(TIME)));
    let worker = Broker::Memory(connection.clone());
    let publishing = tokio::spawn(async move { worker.publish_all(window(&["1"])).await });
    tokio::time::sleep(TIME / 2).await;
    connection.kill();
    assert_eq!(publishing.await.expect("no panic"), Err(BrokerError::Closed));
    assert_eq!(arrived(&server), ["1"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_be_lost_or_come_twice() {
    for (fault, times) in [(Fault::None, 1), (Fault::Drop, 0), (Fault::Repeat, 2)] {
        let server = server().await;
        let asker = Broker::Memory(server.connect(Failpoints::none()));
        let replies = asker.replies().await.expect("opened");
        let worker = Broker::Memory(server.connect(at("reply.send", 0, fault)));
        worker.reply(replies.address(), message("answer")).await.expect("sent");
        for _ in 0..times {
            let answer = tokio::time::timeout(TIME, replies.next()).await.expect("in time");
            assert_eq!(answer, Some(message("answer")));
        }
        assert!(tokio::time::timeout(TIME, replies.next()).await.is_err(), "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_restart_counts_one_return_however_many_connections_it_cuts() {
    let server = server().await;
    let mut consumers = Vec::new();
    for _ in 0..3 {
        let worker = Broker::Memory(server.connect(Failpoints::none()));
        worker.publish_all(window(&["1", "2"])).await.expect("published");
        consumers.push(worker.consume(QUEUE, 2).await.expect("consuming"));
    }
    server.restart();
    let heir = Broker::Memory(server.connect(Failpoints::none()));
    assert_eq!(heir.depth(QUEUE).await, Ok(QueueDepth { ready: 6, unacked: Some(0), consumers: 0 }));
    let mut consumer = heir.consume(QUEUE, 6).await.expect("consuming");
    for _ in 0..6 {
        let delivery = tokio::time::timeout(TIME, consumer.next()).await.expect("in time").expect("open");
        assert_eq!((delivery.redelivered, delivery.delivery_count), (true, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_store_request_had_no_effect_and_a_lost_reply_had() {
    for (point, done) in [("store.before", false), ("store.after", true)] {
        let shared = MemoryStore::new();
        let worker = Store::Memory(shared.clone().with_failpoints(at(point, 0, Fault::Drop)));
        assert!(worker.values().put_if_absent("answer:1", Bytes::from_static(b"a"), TIME).await.is_err(), "{point}");
        let other = Store::Memory(shared);
        assert_eq!(other.values().get("answer:1").await.expect("reachable").is_some(), done, "{point}");
    }
}
