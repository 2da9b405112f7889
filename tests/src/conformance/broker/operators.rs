//! What operators ask: declaring, checking, looking, counting.

use precis_runtime::broker::{BrokerError, ExchangeKind};

use super::BrokerUnderTest;
use super::bench::{Bench, SILENCE, consume, drain, next, publish, text};
use crate::conformance::{fresh_name, within};

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

/// What operators see. A broker may tell it with a delay.
pub async fn depth_tells_waiting_from_held(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    publish(&connection, &bench.work, &["1", "2", "3"]).await;
    let mut consumer = consume(&connection, &bench.work, 1).await;
    let _held = next(&mut consumer, "1").await;
    let told = within("a depth of 2 waiting and 1 held", async {
        loop {
            let depth = connection.depth(&bench.work).await.expect("declared");
            if depth.ready == 2 && depth.unacked.is_none_or(|unacked| unacked == 1) {
                return;
            }
            tokio::time::sleep(SILENCE).await;
        }
    });
    told.await;
    let missing = within("an answer", connection.depth(&fresh_name("missing"))).await;
    assert!(matches!(missing, Err(BrokerError::Refused(_))), "{missing:?}");
}

/// What is missing or differs is told before a worker starts, and asking makes nothing.
pub async fn a_check_names_what_is_missing_or_differs(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    assert_eq!(within("an answer", connection.check(&bench.topology())).await, Ok(Vec::new()));
    let mut wanted = bench.topology();
    wanted.queues[0].delivery_limit = Some(3);
    wanted.exchanges[0].kind = ExchangeKind::Fanout;
    wanted.queues[1].name = fresh_name("missing");
    for _ in 0..2 {
        let faults = within("an answer", connection.check(&wanted)).await.expect("answered");
        let named = |name: &str| faults.iter().any(|fault| fault.contains(name));
        assert!(named(&bench.work) && named(&bench.topic) && named(&wanted.queues[1].name), "{faults:?}");
        assert_eq!(faults.len(), 3, "{faults:?}");
    }
}

/// Looking at messages one by one takes them from nobody for good.
pub async fn what_was_got_and_not_settled_comes_back_with_the_connection(broker: &impl BrokerUnderTest) {
    let (bench, connection) = Bench::declare(broker).await;
    publish(&connection, &bench.dead, &["1", "2", "3"]).await;
    let looking = broker.connect().await;
    let mut got = Vec::new();
    while let Some(delivery) = within("a message", looking.get(&bench.dead)).await.expect("the queue exists") {
        got.push(delivery);
    }
    assert_eq!(got.iter().map(text).collect::<Vec<_>>(), ["1", "2", "3"]);
    got.remove(1).ack().await.expect("acked");
    looking.close().await;
    assert_eq!(drain(&mut consume(&connection, &bench.dead, 10).await, 2).await, ["1", "3"]);
    let missing = within("an answer", connection.get(&fresh_name("missing"))).await;
    assert!(matches!(missing, Err(BrokerError::Refused(_))), "{missing:?}");
}
