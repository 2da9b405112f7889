//! Spans: what became of those that were recorded.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::registry::Registry;

use super::instruments::Counters;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SpanOutcomeLabels {
    outcome: &'static str,
}

/// What becomes of a span.
const OUTCOMES: [&str; 3] = ["exported", "dropped", "failed"];

/// Spans of this process.
#[derive(Debug)]
pub(crate) struct SpanMetrics {
    ended: Counters<SpanOutcomeLabels>,
}

impl SpanMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self { ended: <_>::default() };
        for outcome in OUTCOMES {
            drop(metrics.ended.get_or_create(&SpanOutcomeLabels { outcome }));
        }
        let help = "Spans, by outcome: taken by the collector, dropped because too many waited, or lost with a request that failed";
        registry.register("spans", help, metrics.ended.clone());
        metrics
    }

    /// Counts spans: `exported`, `dropped` or `failed`.
    pub(crate) fn count_ended(&self, outcome: &'static str, count: u64) {
        self.ended.get_or_create(&SpanOutcomeLabels { outcome }).inc_by(count);
    }
}
