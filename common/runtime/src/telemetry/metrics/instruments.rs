//! Counters and histograms shared by all metrics.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// Builds the histograms of a family.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buckets(pub(super) &'static [f64]);

/// Buckets for seconds of work: from a millisecond to the half hour of a consumer timeout.
pub(super) const SECONDS: Buckets =
    Buckets(&[0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0]);

impl Buckets {
    pub(super) fn histogram(self) -> Histogram {
        Histogram::new(self.0.iter().copied())
    }
}

impl MetricConstructor<Histogram> for Buckets {
    fn new_metric(&self) -> Histogram {
        self.histogram()
    }
}

pub(super) type Counters<L> = Family<L, Counter>;
pub(super) type Histograms<L> = Family<L, Histogram, Buckets>;

pub(super) fn histograms<L: Clone + std::hash::Hash + Eq>(buckets: Buckets) -> Histograms<L> {
    Family::new_with_constructor(buckets)
}

/// Registers a size; its name gets the unit as suffix.
pub(super) fn register_bytes<M: prometheus_client::registry::Metric>(
    registry: &mut Registry,
    name: &str,
    help: &str,
    metric: M,
) {
    registry.register_with_unit(name, help, Unit::Bytes, metric);
}

/// Registers a duration; its name gets the unit as suffix.
pub(super) fn register_seconds<M: prometheus_client::registry::Metric>(
    registry: &mut Registry,
    name: &str,
    help: &str,
    metric: M,
) {
    registry.register_with_unit(name, help, Unit::Seconds, metric);
}
