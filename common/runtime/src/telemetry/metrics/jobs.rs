//! Jobs.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::instruments::{Counters, Histograms, SECONDS, histograms, register_seconds};
use super::sessions::HeldSessionGuard;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobKindLabels {
    kind: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobEndLabels {
    kind: &'static str,
    outcome: &'static str,
}

/// Jobs of this process.
#[derive(Debug)]
pub struct JobMetrics {
    ended: Counters<JobEndLabels>,
    duration: Histograms<JobKindLabels>,
    held: Gauge,
}

impl JobMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self { ended: <_>::default(), duration: histograms(SECONDS), held: <_>::default() };
        registry.register("jobs", "Job deliveries ended, by kind and outcome", metrics.ended.clone());
        register_seconds(
            registry,
            "job_duration",
            "Time from the delivery of a job to its answer",
            metrics.duration.clone(),
        );
        registry.register("jobs_held", "Jobs this worker holds", metrics.held.clone());
        metrics
    }

    /// Records the end of a job delivery: `answered`, `cached`, `expired`, `superseded` or `interrupted`.
    pub fn record_end(&self, kind: &'static str, outcome: &'static str, seconds: f64) {
        self.ended.get_or_create(&JobEndLabels { kind, outcome }).inc();
        self.duration.get_or_create(&JobKindLabels { kind }).observe(seconds);
    }

    /// How many jobs this process holds.
    #[must_use]
    pub fn held_count(&self) -> u64 {
        u64::try_from(self.held.get()).unwrap_or(0)
    }

    /// Counts a job as held until the guard is dropped.
    #[must_use]
    pub fn hold(&self) -> HeldSessionGuard {
        self.held.inc();
        HeldSessionGuard(self.held.clone())
    }
}
