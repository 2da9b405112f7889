//! What arrives: whole, in order, within the prefetch, and held until it is settled.

use precis_proto::Timestamp;
use precis_proto::envelope::{Envelope, Header};
use precis_runtime::broker::{BrokerError, Outgoing, Route};

use super::BrokerUnderTest;
use super::bench::{Bench, consume, drain, is_silent, next, publish, text};
use crate::conformance::{fresh_name, within};

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
        waits: 5,
        deadline: Some(Timestamp(1_800_000_000_123)),
        subject: "planning".to_owned(),
        dead_reason: Some("why".to_owned()),
        tenant: Some("tenant".to_owned()),
        user: None,
        first_user: Some("somebody".to_owned()),
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
    assert_eq!(drain(&mut consumer, 5).await, ["1", "2", "3", "4", "5"]);
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
    let (mut firsts, mut seconds) = (0_u32, 0_u32);
    for _ in 0..20 {
        let (delivery, taken) = tokio::select! {
            delivery = next(&mut first, "one more message") => (delivery, &mut firsts),
            delivery = next(&mut second, "one more message") => (delivery, &mut seconds),
        };
        *taken += 1;
        delivery.ack().await.expect("acked");
    }
    assert!(firsts.abs_diff(seconds) <= 2, "{firsts} and {seconds}");
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
