//! The broker as this process sees it.

use std::sync::Arc;

use precis_proto::dead_reason::DeadReason;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::instruments::{Buckets, Counters, register_seconds};

/// Seconds until a confirm: a quorum queue needs one or two milliseconds, a blocked broker minutes.
const CONFIRM: Buckets = Buckets(&[0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0, 30.0, 60.0]);

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueName {
    queue: Arc<str>,
}

/// Connections, confirms, dead letters, depths.
#[derive(Debug)]
pub struct BrokerMetrics {
    connected: Gauge,
    connects: Counter,
    confirm: Histogram,
    dead: Counters<Reason>,
    duplicates: Counter,
    depth: Family<QueueName, Gauge>,
}

impl BrokerMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            connected: <_>::default(),
            connects: <_>::default(),
            confirm: CONFIRM.histogram(),
            dead: <_>::default(),
            duplicates: <_>::default(),
            depth: <_>::default(),
        };
        // A series that begins with its first event shows no increase: each begins at 0.
        for reason in DeadReason::KNOWN.iter().map(label).chain([Reason { reason: OTHER }]) {
            drop(metrics.dead.get_or_create(&reason));
        }
        registry.register("broker_connected", "Whether this worker has a connection", metrics.connected.clone());
        registry.register("broker_connects", "Connections made, the first included", metrics.connects.clone());
        register_seconds(registry, "publish_confirm", "From a publish to its confirm", metrics.confirm.clone());
        registry.register("dead_letters", "Messages given up on, by reason", metrics.dead.clone());
        let help = "Session deliveries older than the fence, acked without work";
        registry.register("duplicate_deliveries", help, metrics.duplicates.clone());
        let help = "Messages that wait in a queue; the same at every worker";
        registry.register("queue_messages_ready", help, metrics.depth.clone());
        metrics
    }

    /// A connection was made, or lost.
    pub fn connected(&self, is_connected: bool) {
        self.connected.set(i64::from(is_connected));
        if is_connected {
            self.connects.inc();
        }
    }

    /// A window of messages was confirmed.
    pub fn confirmed(&self, seconds: f64) {
        self.confirm.observe(seconds);
    }

    /// A message went to the dead letters.
    pub fn dead_letter(&self, reason: &DeadReason) {
        self.dead.get_or_create(&label(reason)).inc();
    }

    /// A delivery was older than the fence.
    pub fn duplicate(&self) {
        self.duplicates.inc();
    }

    /// Messages waiting in a queue.
    pub fn depth(&self, queue: &str, ready: u64) {
        let ready = i64::try_from(ready).unwrap_or(i64::MAX);
        self.depth.get_or_create(&QueueName { queue: queue.into() }).set(ready);
    }
}

/// A label must not grow with what a broker or a message says: what this version does not know is one.
fn label(reason: &DeadReason) -> Reason {
    Reason { reason: reason.known_word().unwrap_or(OTHER) }
}

/// All reasons that this version does not know.
const OTHER: &str = "other";
