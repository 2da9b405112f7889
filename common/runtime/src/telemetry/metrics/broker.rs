//! The broker, as seen by this process.

use std::sync::Arc;

use precis_proto::closed_words;
use precis_proto::dead_reason::DeadReason;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::instruments::{Buckets, Counters, register_seconds};

/// Seconds until a confirm: a quorum queue takes one or two milliseconds, a blocked broker minutes.
const CONFIRM: Buckets = Buckets(&[0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0, 30.0, 60.0]);

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueName {
    queue: Arc<str>,
}

closed_words! {
    /// What is published to everyone who listens.
    pub enum Broadcast {
        /// Results of sessions.
        Results => "results",
        /// Progress of sessions.
        Events => "events",
    }
}

impl Broadcast {
    fn label(self) -> BroadcastKind {
        BroadcastKind { kind: self.as_str() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BroadcastKind {
    kind: &'static str,
}

/// Connections, confirms, dead letters, depths.
#[derive(Debug)]
pub struct BrokerMetrics {
    connected: Gauge,
    blocked: Gauge,
    connects: Counter,
    confirm: Histogram,
    dead: Counters<Reason>,
    nacked: Counters<BroadcastKind>,
    duplicates: Counter,
    depth: Family<QueueName, Gauge>,
    consumers: Family<QueueName, Gauge>,
}

impl BrokerMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            connected: <_>::default(),
            blocked: <_>::default(),
            connects: <_>::default(),
            confirm: CONFIRM.histogram(),
            dead: <_>::default(),
            nacked: <_>::default(),
            duplicates: <_>::default(),
            depth: <_>::default(),
            consumers: <_>::default(),
        };
        // Every series starts at 0: one that starts with its first event would show no increase.
        for reason in DeadReason::KNOWN.iter().map(label).chain([Reason { reason: OTHER }]) {
            drop(metrics.dead.get_or_create(&reason));
        }
        for broadcast in Broadcast::ALL {
            drop(metrics.nacked.get_or_create(&broadcast.label()));
        }
        registry.register(
            "broker_connected",
            "Whether this worker is connected to the broker: 1 or 0",
            metrics.connected.clone(),
        );
        registry.register(
            "broker_blocked",
            "Whether the broker accepts no messages because of an alarm: 1 or 0",
            metrics.blocked.clone(),
        );
        registry.register("broker_connects", "Connections opened, including the first", metrics.connects.clone());
        register_seconds(registry, "publish_confirm", "From a publish to its confirm", metrics.confirm.clone());
        registry.register("dead_letters", "Messages moved to the dead letters, by reason", metrics.dead.clone());
        let help = "Publishes to listeners that a listener's queue did not take";
        registry.register("broadcasts_nacked", help, metrics.nacked.clone());
        let help = "Session deliveries with an older revision than the fence; acked without work";
        registry.register("duplicate_deliveries", help, metrics.duplicates.clone());
        let help = "Messages waiting in a queue; every worker reports the same value";
        registry.register("queue_messages_ready", help, metrics.depth.clone());
        let help = "Consumers of a queue; every worker reports the same value";
        registry.register("queue_consumers", help, metrics.consumers.clone());
        metrics
    }

    /// Records that a connection was opened or lost.
    pub fn record_connection(&self, is_connected: bool) {
        self.connected.set(i64::from(is_connected));
        if is_connected {
            self.connects.inc();
        }
    }

    /// Records whether the broker accepts no messages.
    pub fn record_blocked(&self, is_blocked: bool) {
        self.blocked.set(i64::from(is_blocked));
    }

    /// Records the confirm of a window of messages.
    pub fn record_confirm(&self, seconds: f64) {
        self.confirm.observe(seconds);
    }

    /// Counts a message moved to the dead letters.
    pub fn dead_letter(&self, reason: &DeadReason) {
        self.dead.get_or_create(&label(reason)).inc();
    }

    /// Counts a publish that a listener's queue did not take; a batch of events counts once.
    pub fn broadcast_nacked(&self, broadcast: Broadcast) {
        self.nacked.get_or_create(&broadcast.label()).inc();
    }

    /// Counts a delivery with an older revision than the fence.
    pub fn duplicate(&self) {
        self.duplicates.inc();
    }

    /// Sets the number of messages waiting in a queue, and of its consumers.
    pub fn depth(&self, queue: &str, ready: u64, consumers: u64) {
        let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let name = QueueName { queue: queue.into() };
        self.depth.get_or_create(&name).set(number(ready));
        self.consumers.get_or_create(&name).set(number(consumers));
    }
}

/// Returns the label of a reason. Reasons unknown to this version share one label, so that labels do not grow with what brokers and
/// messages contain.
fn label(reason: &DeadReason) -> Reason {
    Reason { reason: reason.known_word().unwrap_or(OTHER) }
}

/// Label of all reasons unknown to this version.
const OTHER: &str = "other";

#[cfg(test)]
mod tests {
    use super::super::Metrics;
    use super::*;

    #[test]
    fn publishes_that_listeners_did_not_take_are_counted_by_kind() {
        let metrics = Metrics::new();
        metrics.broker.broadcast_nacked(Broadcast::Results);
        let text = metrics.text();
        for series in
            ["precis_broadcasts_nacked_total{kind=\"results\"} 1", "precis_broadcasts_nacked_total{kind=\"events\"} 0"]
        {
            assert!(text.lines().any(|line| line == series), "{series} is not in\n{text}");
        }
    }
}
