//! Searches: count, duration, who paid.

use std::sync::Arc;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::registry::Registry;

use super::instruments::{Counters, Histograms, SECONDS, histograms, register_seconds};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SearchEndLabels {
    provider: Arc<str>,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SearchServedLabels {
    provider: Arc<str>,
    served: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SearchProviderLabels {
    provider: Arc<str>,
}

/// Searches of this process. `provider` is the name in the configuration.
#[derive(Debug)]
pub struct SearchMetrics {
    calls: Counters<SearchEndLabels>,
    duration: Histograms<SearchProviderLabels>,
    answers: Counters<SearchServedLabels>,
    waited: Histograms<SearchProviderLabels>,
}

impl SearchMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            calls: <_>::default(),
            duration: histograms(SECONDS),
            answers: <_>::default(),
            waited: histograms(SECONDS),
        };
        let help = "Requests sent to search providers, by provider and outcome; answers from the memo are not counted";
        registry.register("search_calls", help, metrics.calls.clone());
        register_seconds(
            registry,
            "search_call_duration",
            "Time from sending a search to its end",
            metrics.duration.clone(),
        );
        let help = "Searches answered, by provider and by who paid: this session, or an earlier one (memo)";
        registry.register("search_answers", help, metrics.answers.clone());
        register_seconds(
            registry,
            "search_limit_wait",
            "Time spent waiting for the rate limit of a search provider",
            metrics.waited.clone(),
        );
        metrics
    }

    /// Records the end of a request: `answered`, or its failure code.
    pub fn record_end(&self, provider: &str, outcome: &'static str, seconds: f64) {
        let provider: Arc<str> = provider.into();
        self.duration.get_or_create(&SearchProviderLabels { provider: Arc::clone(&provider) }).observe(seconds);
        self.calls.get_or_create(&SearchEndLabels { provider, outcome }).inc();
    }

    /// Counts an answered search: `paid` or `memo`.
    pub fn count_served(&self, provider: &str, served: &'static str) {
        self.answers.get_or_create(&SearchServedLabels { provider: provider.into(), served }).inc();
    }

    /// Records how long a search waited for the rate limit.
    pub fn record_wait(&self, provider: &str, seconds: f64) {
        self.waited.get_or_create(&SearchProviderLabels { provider: provider.into() }).observe(seconds);
    }
}
