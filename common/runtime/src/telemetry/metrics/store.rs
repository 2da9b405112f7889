//! The shared store: what was found, what was not, what failed.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::Counters;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Looked {
    family: &'static str,
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Named {
    name: String,
}

/// Store operations of this process.
#[derive(Debug)]
pub struct StoreMetrics {
    lookups: Counters<Looked>,
    errors: Counter,
    breaker: Family<Named, Gauge>,
}

impl StoreMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self { lookups: <_>::default(), errors: <_>::default(), breaker: <_>::default() };
        let help = "Cache look-ups, by family and result: hit, miss, or error where the store was away";
        registry.register("cache_lookups", help, metrics.lookups.clone());
        registry.register(
            "store_errors",
            "Store operations that failed; each counted as a miss",
            metrics.errors.clone(),
        );
        let help = "State of a breaker as this worker last saw it: 0 closed, 1 half-open, 2 open";
        registry.register("breaker_state", help, metrics.breaker.clone());
        metrics
    }

    /// A cache family was asked: `hit`, `miss` or `error`.
    pub fn looked_up(&self, family: &'static str, result: &'static str) {
        self.lookups.get_or_create(&Looked { family, result }).inc();
    }

    /// An operation failed.
    pub fn failed(&self) {
        self.errors.inc();
    }

    /// The breaker `name`, which the configuration names, was seen in `state`: 0 closed, 1 half-open, 2 open.
    pub fn breaker(&self, name: &str, state: i64) {
        self.breaker.get_or_create(&Named { name: name.to_owned() }).set(state);
    }
}
