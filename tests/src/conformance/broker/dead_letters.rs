//! What is given up on or delayed: where it goes, why, and when.

use std::time::Duration;

use precis_runtime::broker::{Death, Outgoing, Route, names};

use super::BrokerUnderTest;
use super::bench::{Bench, consume, envelope, is_silent, next, publish, text};
use crate::conformance::{PATIENCE, within};

/// The delay of the shortest retry tier.
const TIER: Duration = Duration::from_secs(2);

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
        let message = Outgoing { route: Route::after_delay(TIER, &bench.work), envelope: envelope(name) };
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
    let message = Outgoing { route: Route::after_delay(TIER, &bench.work), envelope: envelope("1") };
    within("a confirm", connection.publish(message)).await.expect("published");
    let held = next(&mut consume(&connection, &bench.work, 1).await, "the message after its tier").await;
    held.dead_letter().await.expect("dead-lettered");
    let dead = next(&mut consume(&connection, &bench.dead, 1).await, "the dead letter").await;
    assert_eq!(dead.death, Some(Death { reason: "rejected".to_owned(), queue: bench.work.clone() }));
}
