//! What every law needs: queues of its own, and the small steps that have a limit.

use std::time::Duration;

use precis_proto::envelope::{Envelope, Header};
use precis_runtime::broker::{
    Binding, Broker, Consumer, DeadLetter, Delivery, Exchange, ExchangeKind, Outgoing, Queue, Route, Topology,
};

use super::BrokerUnderTest;
use crate::conformance::{fresh_name, within};

/// How long a law listens before it believes that nothing comes.
pub(super) const SILENCE: Duration = Duration::from_millis(300);

/// The queues of one law: `work` with a delivery limit of 2 and `dead` behind it, three exchanges.
pub(super) struct Bench {
    pub(super) work: String,
    pub(super) dead: String,
    pub(super) topic: String,
    pub(super) fanout: String,
    pub(super) direct: String,
}

impl Bench {
    pub(super) async fn declare(broker: &impl BrokerUnderTest) -> (Self, Broker) {
        let stem = fresh_name("broker");
        let name = |part: &str| format!("{stem}.{part}");
        let bench = Self {
            work: name("work"),
            dead: name("dead"),
            topic: name("topic"),
            fanout: name("fanout"),
            direct: name("direct"),
        };
        let connection = broker.connect().await;
        within("a declaration", connection.declare(&Topology::standard())).await.expect("the standard topology");
        within("a declaration", connection.declare(&bench.topology())).await.expect("fresh names");
        (bench, connection)
    }

    pub(super) fn topology(&self) -> Topology {
        let dead_letter = DeadLetter { exchange: String::new(), routing_key: Some(self.dead.clone()) };
        let exchange = |name: &String, kind| Exchange { name: name.clone(), kind };
        Topology {
            exchanges: vec![
                exchange(&self.topic, ExchangeKind::Topic),
                exchange(&self.fanout, ExchangeKind::Fanout),
                exchange(&self.direct, ExchangeKind::Direct),
            ],
            queues: vec![
                Queue {
                    name: self.work.clone(),
                    delivery_limit: Some(2),
                    dead_letter: Some(dead_letter),
                    message_ttl_ms: None,
                },
                Queue { name: self.dead.clone(), delivery_limit: None, dead_letter: None, message_ttl_ms: None },
            ],
            bindings: vec![Binding { exchange: self.direct.clone(), queue: self.work.clone(), key: "work".to_owned() }],
        }
    }
}

pub(super) fn envelope(text: &str) -> Envelope {
    let header = Header { message_id: text.to_owned(), message_type: "job".to_owned(), ..Header::default() };
    Envelope::encode(header, &text).expect("a short text")
}

pub(super) fn to_queue(queue: &str, text: &str) -> Outgoing {
    Outgoing { route: Route::queue(queue), envelope: envelope(text) }
}

pub(super) async fn publish(connection: &Broker, queue: &str, texts: &[&str]) {
    let window = texts.iter().map(|text| to_queue(queue, text)).collect();
    within("a confirm", connection.publish_all(window)).await.expect("published");
}

pub(super) async fn consume(connection: &Broker, queue: &str, prefetch: u16) -> Consumer {
    within("a consumer", connection.consume(queue, prefetch)).await.expect("consuming")
}

pub(super) async fn next(consumer: &mut Consumer, what: &str) -> Delivery {
    within(what, consumer.next()).await.unwrap_or_else(|| panic!("the consumer ended before {what}"))
}

pub(super) async fn is_silent(consumer: &mut Consumer) -> bool {
    tokio::time::timeout(SILENCE, consumer.next()).await.is_err()
}

pub(super) fn text(delivery: &Delivery) -> String {
    delivery.envelope.decode().expect("a text")
}

/// Takes and acks `count` messages, and finds that there are no more.
pub(super) async fn drain(consumer: &mut Consumer, count: usize) -> Vec<String> {
    let mut texts = Vec::new();
    for _ in 0..count {
        let delivery = next(consumer, "one more message").await;
        texts.push(text(&delivery));
        delivery.ack().await.expect("acked");
    }
    assert!(is_silent(consumer).await, "more than {count} messages");
    texts
}
