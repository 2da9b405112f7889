//! What the end of a connection, or of the broker, does to what was held and published on it.

use precis_runtime::broker::BrokerError;

use super::BrokerUnderTest;
use super::bench::{Bench, consume, drain, next, publish, text, to_queue};
use crate::conformance::within;

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

/// A confirm is a promise of the broker, not of the publisher.
pub async fn a_confirmed_message_survives_the_death_of_its_publisher(broker: &impl BrokerUnderTest) {
    let (bench, publisher) = Bench::declare(broker).await;
    publish(&publisher, &bench.work, &["1", "2"]).await;
    broker.kill(&publisher).await;
    let heir = broker.connect().await;
    assert_eq!(drain(&mut consume(&heir, &bench.work, 10).await, 2).await, ["1", "2"]);
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
    // What comes after it is too late to be counted.
    publish(&heir, &bench.work, &["end"]).await;
    let mut consumer = consume(&heir, &bench.work, 300).await;
    let mut arrived = Vec::new();
    loop {
        match text(&next(&mut consumer, "one more message").await) {
            end if end == "end" => break,
            message => arrived.push(message),
        }
    }
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
    assert_eq!(drain(&mut consume(&heir, &bench.work, 1).await, 0).await, Vec::<String>::new());
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
    let both = [next(&mut consumer, "one message").await, next(&mut consumer, "the other").await];
    // A broker that comes back gives out what waited before it has found out that the holder of the rest is gone.
    let mut seen = both.each_ref().map(|delivery| (text(delivery), delivery.redelivered));
    seen.sort();
    assert_eq!(seen, [("held".to_owned(), true), ("waiting".to_owned(), false)]);
}
