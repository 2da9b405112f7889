//! Where messages go by exchange and key, and what is said where they cannot.

use precis_runtime::broker::{BrokerError, Outgoing, Route};

use super::BrokerUnderTest;
use super::bench::{Bench, SILENCE, consume, drain, envelope, to_queue};
use crate::conformance::{fresh_name, within};

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
    assert_eq!(drain(&mut consume(&connection, &bench.work, 10).await, 2).await, ["1", "2"]);
    let gone = within("a confirm", connection.publish(to_queue(&fresh_name("missing"), "lost"))).await;
    assert!(matches!(gone, Err(BrokerError::Unroutable { .. })), "{gone:?}");
}

/// Progress is told to whoever listens.
pub async fn a_broadcast_needs_no_listener(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    let message = Outgoing { route: Route::broadcast(&bench.topic, "a.b"), envelope: envelope("1") };
    assert_eq!(within("a confirm", connection.publish(message)).await, Ok(()));
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
