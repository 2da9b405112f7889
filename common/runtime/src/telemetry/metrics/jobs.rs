//! Jobs.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::sessions::Held;
use super::{Counters, Histograms, SECONDS, histograms, register_seconds};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Kind {
    kind: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    kind: &'static str,
    outcome: &'static str,
}

/// Jobs of this process.
#[derive(Debug)]
pub struct JobMetrics {
    ended: Counters<Ended>,
    duration: Histograms<Kind>,
    held: Gauge,
}

impl JobMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self { ended: <_>::default(), duration: histograms(SECONDS), held: <_>::default() };
        registry.register("jobs", "Job deliveries ended, by kind and outcome", metrics.ended.clone());
        register_seconds(registry, "job_duration", "From taking a job up to its answer", metrics.duration.clone());
        registry.register("jobs_held", "Jobs this worker holds", metrics.held.clone());
        metrics
    }

    /// A job delivery came to its end: `answered`, `cached`, `expired` or `interrupted`.
    pub fn ended(&self, kind: &'static str, outcome: &'static str, seconds: f64) {
        self.ended.get_or_create(&Ended { kind, outcome }).inc();
        self.duration.get_or_create(&Kind { kind }).observe(seconds);
    }

    /// Counts a job as held until the guard is dropped.
    #[must_use]
    pub fn hold(&self) -> Held {
        self.held.inc();
        Held(self.held.clone())
    }
}
