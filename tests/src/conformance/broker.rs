//! Laws of the broker seam: what a worker may rely on, on RabbitMQ and in memory alike.

use std::time::Duration;

use precis_proto::Timestamp;
use precis_proto::envelope::{Envelope, Header};
use precis_runtime::broker::{
    Binding, Broker, BrokerError, Consumer, DeadLetter, Death, Delivery, Depth, Exchange, ExchangeKind, Outgoing,
    Queue, Route, Topology, names,
};

use super::{PATIENCE, fresh_name, within};

/// How long a law listens before it believes that nothing comes.
const SILENCE: Duration = Duration::from_millis(300);
/// The delay of the shortest retry tier.
const TIER: Duration = Duration::from_secs(2);

/// A broker the laws can be tried on.
pub trait BrokerUnderTest: Sync {
    /// Opens a connection as a new worker would.
    fn connect(&self) -> impl Future<Output = Broker> + Send;
    /// Ends a connection as the death of its process would.
    fn kill(&self, connection: &Broker) -> impl Future<Output = ()> + Send;
    /// Stops the broker and starts it again.
    fn restart(&self) -> impl Future<Output = ()> + Send;
}

/// Calls a macro with the name of every law of this file.
#[macro_export]
macro_rules! broker_laws {
    ($run:ident) => {
        $run! {
            a_message_arrives_as_it_was_sent
            messages_arrive_in_the_order_they_were_published
            what_a_dead_connection_held_comes_back_in_its_old_place_redelivered_and_counted
            a_requeued_message_comes_back_at_once_marked_redelivered
            a_consumer_holds_at_most_its_prefetch
            consumers_of_a_queue_take_turns
            a_dropped_consumer_leaves_what_was_taken_with_its_holder
            consuming_from_a_missing_queue_is_refused
            a_confirmed_message_survives_the_death_of_its_publisher
            an_unconfirmed_window_arrives_in_whole_messages_each_at_most_once
            publishing_on_a_dead_connection_fails
            settling_after_the_connection_ended_is_refused_and_settles_nothing
            a_message_over_the_delivery_limit_is_dead_lettered_with_reason_and_queue
            a_rejected_message_is_dead_lettered_as_rejected
            a_tier_gives_a_message_back_after_its_delay_and_not_before
            the_death_that_is_told_is_the_latest
            an_answer_reaches_its_asker_and_nobody_else
            an_answer_to_a_lost_asker_is_lost_without_an_error
            a_mandatory_message_without_a_queue_is_refused_and_its_neighbours_arrive
            a_broadcast_needs_no_listener
            a_queue_is_not_declared_again_with_other_arguments
            a_topic_subscription_gets_what_its_key_takes
            every_subscription_of_a_fanout_gets_every_message
            a_restart_keeps_queues_and_ends_connections
            depth_tells_waiting_from_held
        }
    };
}

/// The queues of one law: `work` with a delivery limit of 2 and `dead` behind it, three exchanges.
struct Bench {
    work: String,
    dead: String,
    topic: String,
    fanout: String,
    direct: String,
}

impl Bench {
    async fn declare(broker: &impl BrokerUnderTest) -> (Self, Broker) {
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

    fn topology(&self) -> Topology {
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

fn envelope(text: &str) -> Envelope {
    let header = Header { message_id: text.to_owned(), message_type: "job".to_owned(), ..Header::default() };
    Envelope::encode(header, &text).expect("a short text")
}

fn to_queue(queue: &str, text: &str) -> Outgoing {
    Outgoing { route: Route::queue(queue), envelope: envelope(text) }
}

async fn publish(connection: &Broker, queue: &str, texts: &[&str]) {
    let window = texts.iter().map(|text| to_queue(queue, text)).collect();
    within("a confirm", connection.publish_all(window)).await.expect("published");
}

async fn consume(connection: &Broker, queue: &str, prefetch: u16) -> Consumer {
    within("a consumer", connection.consume(queue, prefetch)).await.expect("consuming")
}

async fn next(consumer: &mut Consumer, what: &str) -> Delivery {
    within(what, consumer.next()).await.unwrap_or_else(|| panic!("the consumer ended before {what}"))
}

async fn is_silent(consumer: &mut Consumer) -> bool {
    tokio::time::timeout(SILENCE, consumer.next()).await.is_err()
}

fn text(delivery: &Delivery) -> String {
    delivery.envelope.decode().expect("a text")
}

/// Takes and acks everything until the queue is silent.
async fn drain(consumer: &mut Consumer) -> Vec<String> {
    let mut texts = Vec::new();
    while let Ok(Some(delivery)) = tokio::time::timeout(SILENCE, consumer.next()).await {
        texts.push(text(&delivery));
        delivery.ack().await.expect("acked");
    }
    texts
}

/// Nothing of a message is lost or changed on the way, and a first delivery says that it is one.
pub async fn a_message_arrives_as_it_was_sent(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    let header = Header {
        message_type: "session.state".to_owned(),
        message_id: "id".to_owned(),
        correlation_id: "correlation".to_owned(),
        reply_to: Some("somewhere".to_owned()),
        content_encoding: None,
        schema_version: 2,
        revision: 1 << 40,
        copy: "copy".to_owned(),
        attempt: 3,
        deadline: Some(Timestamp(1_800_000_000_123)),
        subject: "planning".to_owned(),
        dead_reason: Some("why".to_owned()),
        traceparent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
    };
    let sent = Envelope::encode(header, &"é 漢 \u{0} ".repeat(3_000)).expect("encodes");
    let message = Outgoing { route: Route::queue(&bench.work), envelope: sent.clone() };
    within("a confirm", connection.publish(message)).await.expect("published");
    let delivery = next(&mut consume(&connection, &bench.work, 1).await, "the message").await;
    assert_eq!(delivery.envelope, sent);
    assert_eq!(
        (delivery.queue.as_str(), delivery.redelivered, delivery.delivery_count),
        (bench.work.as_str(), false, 0)
    );
    assert_eq!(delivery.death, None);
}

/// First in, first out, over several windows and consumers' reads.
pub async fn messages_arrive_in_the_order_they_were_published(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    publish(&connection, &bench.work, &["1", "2", "3"]).await;
    let mut consumer = consume(&connection, &bench.work, 2).await;
    publish(&connection, &bench.work, &["4", "5"]).await;
    assert_eq!(drain(&mut consumer).await, ["1", "2", "3", "4", "5"]);
}

/// The lease rule rests on this one.
pub async fn what_a_dead_connection_held_comes_back_in_its_old_place_redelivered_and_counted(
    broker: &impl BrokerUnderTest,
) {
    let (bench, publisher) = Bench::declare(broker).await;
    publish(&publisher, &bench.work, &["1", "2", "3", "4"]).await;
    let worker = broker.connect().await;
    let mut held = consume(&worker, &bench.work, 3).await;
    let (_first, second, _third) = (next(&mut held, "1").await, next(&mut held, "2").await, next(&mut held, "3").await);
    second.ack().await.expect("acked");
    // The ack makes room for one more, which is then held too.
    let _fourth = next(&mut held, "4").await;
    publish(&publisher, &bench.work, &["5"]).await;
    broker.kill(&worker).await;
    let mut heir = consume(&publisher, &bench.work, 10).await;
    for (expected, came_back) in [("1", true), ("3", true), ("4", true), ("5", false)] {
        let delivery = next(&mut heir, expected).await;
        assert_eq!(text(&delivery), expected);
        let seen = (delivery.redelivered, delivery.delivery_count);
        assert_eq!(seen, (came_back, u32::from(came_back)), "{expected}");
        delivery.ack().await.expect("acked");
    }
}

/// Whether the broker counts an explicit requeue differs between its versions; that it comes back does not.
pub async fn a_requeued_message_comes_back_at_once_marked_redelivered(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    publish(&connection, &bench.work, &["1", "2"]).await;
    let mut consumer = consume(&connection, &bench.work, 1).await;
    next(&mut consumer, "1").await.requeue().await.expect("requeued");
    let again = next(&mut consumer, "1 again").await;
    assert_eq!((text(&again).as_str(), again.redelivered), ("1", true));
    assert!(again.delivery_count <= 1);
}

/// Prefetch bounds what a worker holds; an ack makes room for one.
pub async fn a_consumer_holds_at_most_its_prefetch(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    publish(&connection, &bench.work, &["1", "2", "3", "4"]).await;
    let mut consumer = consume(&connection, &bench.work, 2).await;
    let first = next(&mut consumer, "1").await;
    let _second = next(&mut consumer, "2").await;
    assert!(is_silent(&mut consumer).await);
    first.ack().await.expect("acked");
    assert_eq!(text(&next(&mut consumer, "3").await), "3");
    assert!(is_silent(&mut consumer).await);
}

/// No consumer starves while another has room.
pub async fn consumers_of_a_queue_take_turns(broker: &impl BrokerUnderTest) {
    let (bench, one) = Bench::declare(broker).await;
    let two = broker.connect().await;
    let (mut first, mut second) = (consume(&one, &bench.work, 20).await, consume(&two, &bench.work, 20).await);
    let texts: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    publish(&one, &bench.work, &texts.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let (firsts, seconds) = (drain(&mut first).await, drain(&mut second).await);
    assert_eq!(firsts.len() + seconds.len(), 20);
    assert!(firsts.len().abs_diff(seconds.len()) <= 2, "{} and {}", firsts.len(), seconds.len());
}

/// A worker that drains stops consuming first and settles what it holds afterwards.
pub async fn a_dropped_consumer_leaves_what_was_taken_with_its_holder(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    publish(&connection, &bench.work, &["1", "2", "3"]).await;
    let mut consumer = consume(&connection, &bench.work, 1).await;
    let held = next(&mut consumer, "1").await;
    drop(consumer);
    let mut other = consume(&connection, &bench.work, 10).await;
    assert_eq!(text(&next(&mut other, "2").await), "2");
    assert_eq!(text(&next(&mut other, "3").await), "3");
    held.ack().await.expect("still its holder's");
    assert!(is_silent(&mut other).await);
}

/// A worker started before its queues exist must hear about it.
pub async fn consuming_from_a_missing_queue_is_refused(broker: &impl BrokerUnderTest) {
    let connection = broker.connect().await;
    let missing = within("an answer", connection.consume(&fresh_name("missing"), 1)).await;
    assert!(matches!(missing, Err(BrokerError::Refused(_))), "{missing:?}");
}

/// A confirm is a promise of the broker, not of the publisher.
pub async fn a_confirmed_message_survives_the_death_of_its_publisher(broker: &impl BrokerUnderTest) {
    let (bench, publisher) = Bench::declare(broker).await;
    publish(&publisher, &bench.work, &["1", "2"]).await;
    broker.kill(&publisher).await;
    let heir = broker.connect().await;
    assert_eq!(drain(&mut consume(&heir, &bench.work, 10).await).await, ["1", "2"]);
}

/// A publisher that died before the confirm knows nothing; what arrived is whole, in order, and not doubled.
pub async fn an_unconfirmed_window_arrives_in_whole_messages_each_at_most_once(broker: &impl BrokerUnderTest) {
    let (bench, publisher) = Bench::declare(broker).await;
    let body = |n: usize| format!("{n:03} {}", "x".repeat(2_000));
    let window = (0..200).map(|n| to_queue(&bench.work, &body(n))).collect();
    let publishing = tokio::spawn({
        let publisher = publisher.clone();
        async move { publisher.publish_all(window).await }
    });
    tokio::task::yield_now().await;
    broker.kill(&publisher).await;
    let outcome = within("the publish to end", publishing).await.expect("no panic");
    let heir = broker.connect().await;
    let arrived = drain(&mut consume(&heir, &bench.work, 300).await).await;
    let expected: Vec<String> = (0..arrived.len()).map(body).collect();
    assert_eq!(arrived, expected, "a prefix of the window");
    assert!(outcome.is_err() || arrived.len() == 200, "confirmed, but only {} arrived", arrived.len());
}

/// The caller must learn that its connection is gone.
pub async fn publishing_on_a_dead_connection_fails(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    connection.close().await;
    connection.close().await;
    let outcome = within("an answer", connection.publish(to_queue(&bench.work, "1"))).await;
    assert_eq!(outcome, Err(BrokerError::Closed));
    let heir = broker.connect().await;
    assert_eq!(drain(&mut consume(&heir, &bench.work, 1).await).await, Vec::<String>::new());
}

/// A worker that was cut off must not settle what by then is another's.
pub async fn settling_after_the_connection_ended_is_refused_and_settles_nothing(broker: &impl BrokerUnderTest) {
    let (bench, worker) = Bench::declare(broker).await;
    publish(&worker, &bench.work, &["1"]).await;
    let held = next(&mut consume(&worker, &bench.work, 1).await, "1").await;
    broker.kill(&worker).await;
    let heir = broker.connect().await;
    let theirs = next(&mut consume(&heir, &bench.work, 1).await, "1 again").await;
    assert!(within("an answer", held.ack()).await.is_err());
    theirs.ack().await.expect("the heir's own");
}

/// Limit N allows N + 1 deliveries; then the message starts anew where dead letters go, with the reason.
pub async fn a_message_over_the_delivery_limit_is_dead_lettered_with_reason_and_queue(broker: &impl BrokerUnderTest) {
    let (bench, publisher) = Bench::declare(broker).await;
    publish(&publisher, &bench.work, &["poison"]).await;
    for delivery_count in 0..=2 {
        let worker = broker.connect().await;
        let held = next(&mut consume(&worker, &bench.work, 1).await, "poison").await;
        assert_eq!(held.delivery_count, delivery_count);
        broker.kill(&worker).await;
    }
    let dead = next(&mut consume(&publisher, &bench.dead, 1).await, "the dead letter").await;
    assert_eq!(text(&dead), "poison");
    assert_eq!(dead.death, Some(Death { reason: "delivery_limit".to_owned(), queue: bench.work.clone() }));
    assert_eq!((dead.redelivered, dead.delivery_count), (false, 0), "the count is lost on dead-lettering");
    assert!(is_silent(&mut consume(&publisher, &bench.work, 1).await).await);
}

/// A worker's own verdict takes the same way with another reason.
pub async fn a_rejected_message_is_dead_lettered_as_rejected(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    publish(&connection, &bench.work, &["bad"]).await;
    let held = next(&mut consume(&connection, &bench.work, 1).await, "bad").await;
    held.dead_letter().await.expect("dead-lettered");
    let dead = next(&mut consume(&connection, &bench.dead, 1).await, "the dead letter").await;
    assert_eq!(dead.death, Some(Death { reason: "rejected".to_owned(), queue: bench.work.clone() }));
}

/// A retry waits its whole delay and then is in its queue again, behind what came in the meantime.
pub async fn a_tier_gives_a_message_back_after_its_delay_and_not_before(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    let mut consumer = consume(&connection, &bench.work, 10).await;
    let started = tokio::time::Instant::now();
    for (pause, name) in [(0, "first"), (500, "second")] {
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let message = Outgoing { route: Route::after(TIER, &bench.work), envelope: envelope(name) };
        within("a confirm", connection.publish(message)).await.expect("published");
    }
    for (name, after_ms) in [("first", 2_000), ("second", 2_500)] {
        let delivery = next(&mut consumer, name).await;
        assert_eq!(text(&delivery), name);
        // The publisher's clock started before the broker's; one millisecond is the broker's rounding.
        let waited = started.elapsed() + Duration::from_millis(1);
        assert!(waited >= Duration::from_millis(after_ms), "{name} after {waited:?}");
        assert!(waited < Duration::from_millis(after_ms) + PATIENCE / 10, "{name} after {waited:?}");
        assert_eq!(delivery.death, Some(Death { reason: "expired".to_owned(), queue: names::tier(TIER) }));
        assert_eq!((delivery.redelivered, delivery.delivery_count), (false, 0));
        delivery.ack().await.expect("acked");
    }
}

/// A message that waited on a tier and then was given up on says the latter.
pub async fn the_death_that_is_told_is_the_latest(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    let message = Outgoing { route: Route::after(TIER, &bench.work), envelope: envelope("1") };
    within("a confirm", connection.publish(message)).await.expect("published");
    let held = next(&mut consume(&connection, &bench.work, 1).await, "the message after its tier").await;
    held.dead_letter().await.expect("dead-lettered");
    let dead = next(&mut consume(&connection, &bench.dead, 1).await, "the dead letter").await;
    assert_eq!(dead.death, Some(Death { reason: "rejected".to_owned(), queue: bench.work.clone() }));
}

/// Two askers on one queue: each gets its own answer over the address in the job.
pub async fn an_answer_reaches_its_asker_and_nobody_else(broker: &impl BrokerUnderTest) {
    let (bench, worker) = Bench::declare(broker).await;
    let (one, two) = (broker.connect().await, broker.connect().await);
    let mut askers = Vec::new();
    for (connection, name) in [(&one, "one"), (&one, "another of one"), (&two, "two")] {
        let replies = within("a reply channel", connection.replies()).await.expect("opened");
        let mut job = to_queue(&bench.work, name);
        job.envelope.header.reply_to = Some(replies.address().to_owned());
        within("a confirm", replies.publish_all(vec![job])).await.expect("published");
        askers.push((replies, name));
    }
    let mut jobs = consume(&worker, &bench.work, 10).await;
    for _ in 0..askers.len() {
        let job = next(&mut jobs, "a job").await;
        let reply_to = job.envelope.header.reply_to.clone().expect("carries the address");
        let answer = envelope(&format!("to {}", text(&job)));
        within("a reply", worker.reply(&reply_to, answer)).await.expect("sent");
        job.ack().await.expect("acked");
    }
    for (replies, name) in &askers {
        let answer = within("an answer", replies.next()).await.expect("the channel is open");
        assert_eq!(answer.decode::<String>().expect("a text"), format!("to {name}"));
        assert!(tokio::time::timeout(SILENCE, replies.next()).await.is_err(), "only one answer for {name}");
    }
}

/// Whoever asked may be gone; its worker must not suffer.
pub async fn an_answer_to_a_lost_asker_is_lost_without_an_error(broker: &impl BrokerUnderTest) {
    let (bench, worker) = Bench::declare(broker).await;
    let asker = broker.connect().await;
    let replies = within("a reply channel", asker.replies()).await.expect("opened");
    let mut job = to_queue(&bench.work, "1");
    job.envelope.header.reply_to = Some(replies.address().to_owned());
    within("a confirm", replies.publish_all(vec![job])).await.expect("published");
    broker.kill(&asker).await;
    assert_eq!(within("the end", replies.next()).await, None);
    let held = next(&mut consume(&worker, &bench.work, 1).await, "the job").await;
    let reply_to = held.envelope.header.reply_to.clone().expect("carries the address");
    within("a reply", worker.reply(&reply_to, envelope("late"))).await.expect("silently lost");
    held.ack().await.expect("the connection still works");
}

/// The broker confirms what it cannot route: the seam must not.
pub async fn a_mandatory_message_without_a_queue_is_refused_and_its_neighbours_arrive(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    let nowhere = Route { exchange: bench.direct.clone(), routing_key: "nobody".to_owned(), mandatory: true };
    let window = vec![
        to_queue(&bench.work, "1"),
        Outgoing { route: nowhere, envelope: envelope("lost") },
        Outgoing {
            route: Route { exchange: bench.direct.clone(), routing_key: "work".to_owned(), mandatory: true },
            envelope: envelope("2"),
        },
    ];
    let outcome = within("a confirm", connection.publish_all(window)).await;
    let (exchange, routing_key) = (bench.direct.clone(), "nobody".to_owned());
    assert_eq!(outcome, Err(BrokerError::Unroutable { exchange, routing_key }));
    assert_eq!(drain(&mut consume(&connection, &bench.work, 10).await).await, ["1", "2"]);
    let gone = within("a confirm", connection.publish(to_queue(&fresh_name("missing"), "lost"))).await;
    assert!(matches!(gone, Err(BrokerError::Unroutable { .. })), "{gone:?}");
}

/// Progress is told to whoever listens.
pub async fn a_broadcast_needs_no_listener(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    let message = Outgoing { route: Route::broadcast(&bench.topic, "a.b"), envelope: envelope("1") };
    assert_eq!(within("a confirm", connection.publish(message)).await, Ok(()));
}

/// Declaring is idempotent; a fleet of two builds with different arguments must not split silently.
pub async fn a_queue_is_not_declared_again_with_other_arguments(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    assert_eq!(within("a declaration", connection.declare(&bench.topology())).await, Ok(()));
    let mut other = bench.topology();
    other.queues[0].delivery_limit = Some(3);
    let refused = within("a declaration", connection.declare(&other)).await;
    assert!(matches!(refused, Err(BrokerError::Refused(_))), "{refused:?}");
    let mut other = bench.topology();
    other.exchanges[0].kind = ExchangeKind::Fanout;
    let refused = within("a declaration", broker.connect().await.declare(&other)).await;
    assert!(matches!(refused, Err(BrokerError::Refused(_))), "{refused:?}");
}

/// Keys of events select by kind or by session.
pub async fn a_topic_subscription_gets_what_its_key_takes(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    let mut subscriptions = Vec::new();
    for (key, takes) in [("progress.*", vec!["progress.s1", "progress.s2"]), ("*.s1", vec!["progress.s1", "done.s1"])] {
        let subscription = within("a subscription", connection.subscribe(&bench.topic, key)).await.expect("bound");
        subscriptions.push((subscription, takes));
    }
    for key in ["progress.s1", "done.s1", "progress.s2", "done.s2"] {
        let message = Outgoing { route: Route::broadcast(&bench.topic, key), envelope: envelope(key) };
        within("a confirm", connection.publish(message)).await.expect("published");
    }
    for (subscription, takes) in &mut subscriptions {
        for expected in takes {
            let got = within(expected, subscription.next()).await.expect("open");
            assert_eq!(got.decode::<String>().expect("a text"), *expected);
        }
        assert!(tokio::time::timeout(SILENCE, subscription.next()).await.is_err());
    }
    let refused = within("an answer", connection.subscribe(&fresh_name("missing"), "#")).await;
    assert!(matches!(refused, Err(BrokerError::Refused(_))), "{refused:?}");
}

/// A cancellation reaches every worker.
pub async fn every_subscription_of_a_fanout_gets_every_message(broker: &impl BrokerUnderTest) {
    let (bench, one) = Bench::declare(broker).await;
    let two = broker.connect().await;
    let mut first = within("a subscription", one.subscribe(&bench.fanout, "")).await.expect("bound");
    let mut second = within("a subscription", two.subscribe(&bench.fanout, "")).await.expect("bound");
    let message = Outgoing { route: Route::broadcast(&bench.fanout, "any"), envelope: envelope("stop") };
    within("a confirm", one.publish(message.clone())).await.expect("published");
    for subscription in [&mut first, &mut second] {
        assert_eq!(within("the message", subscription.next()).await, Some(message.envelope.clone()));
    }
    broker.kill(&two).await;
    assert_eq!(within("the end", second.next()).await, None);
    within("a confirm", one.publish(message.clone())).await.expect("published");
    assert_eq!(within("the message", first.next()).await, Some(message.envelope));
}

/// Durable is what the promise never to lose a session needs; all else may go.
pub async fn a_restart_keeps_queues_and_ends_connections(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    publish(&connection, &bench.work, &["held", "waiting"]).await;
    let mut consumer = consume(&connection, &bench.work, 1).await;
    let held = next(&mut consumer, "held").await;
    let replies = within("a reply channel", connection.replies()).await.expect("opened");
    let mut subscription = within("a subscription", connection.subscribe(&bench.topic, "#")).await.expect("bound");
    broker.restart().await;
    assert!(within("the end of the consumer", consumer.next()).await.is_none());
    assert_eq!(within("the end of the replies", replies.next()).await, None);
    assert_eq!(within("the end of the subscription", subscription.next()).await, None);
    assert!(within("an answer", held.ack()).await.is_err());
    let refused = within("an answer", connection.publish(to_queue(&bench.work, "late"))).await;
    assert_eq!(refused, Err(BrokerError::Closed));
    let heir = broker.connect().await;
    assert_eq!(within("a declaration", heir.declare(&bench.topology())).await, Ok(()), "still the same queues");
    let mut consumer = consume(&heir, &bench.work, 10).await;
    let (first, second) = (next(&mut consumer, "held").await, next(&mut consumer, "waiting").await);
    assert_eq!((text(&first).as_str(), first.redelivered), ("held", true));
    assert_eq!((text(&second).as_str(), second.redelivered), ("waiting", false));
}

/// What operators see. A broker may tell it with a delay.
pub async fn depth_tells_waiting_from_held(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    publish(&connection, &bench.work, &["1", "2", "3"]).await;
    let mut consumer = consume(&connection, &bench.work, 1).await;
    let _held = next(&mut consumer, "1").await;
    let told = within("a depth of 2 waiting and 1 held", async {
        while connection.depth(&bench.work).await != Ok(Depth { ready: 2, unacked: 1 }) {
            tokio::time::sleep(SILENCE).await;
        }
    });
    told.await;
    let missing = within("an answer", connection.depth(&fresh_name("missing"))).await;
    assert!(matches!(missing, Err(BrokerError::Refused(_))), "{missing:?}");
}
