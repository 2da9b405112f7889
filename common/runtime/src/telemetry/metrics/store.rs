//! The shared store: hits, misses, failures.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use precis_proto::Timestamp;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::instruments::{Counters, register_seconds};
use crate::clock::unix_time;
use crate::key_family::families;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CacheLookupLabels {
    family: &'static str,
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CacheFamilyLabels {
    family: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct NameLabels {
    name: String,
}

/// Store operations of this process.
#[derive(Debug)]
pub struct StoreMetrics {
    lookups: Counters<CacheLookupLabels>,
    errors: Counter,
    refused: Counters<CacheFamilyLabels>,
    breaker: Family<NameLabels, Gauge>,
    clock_difference: Gauge,
    /// End of the open time of each breaker seen open: a worker that makes no further call sees no further state.
    open_until: Mutex<BTreeMap<String, Instant>>,
}

impl StoreMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            lookups: <_>::default(),
            errors: <_>::default(),
            refused: <_>::default(),
            breaker: <_>::default(),
            clock_difference: <_>::default(),
            open_until: <_>::default(),
        };
        let help = "Cache look-ups, by family and result: hit, miss, or error if the store was unavailable";
        registry.register("cache_lookups", help, metrics.lookups.clone());
        registry.register(
            "store_errors",
            "Store operations that failed; each counted as a miss",
            metrics.errors.clone(),
        );
        let help = "Cache records not written by this fleet, by family; each was ignored and replaced";
        registry.register("cache_records_refused", help, metrics.refused.clone());
        // Every series starts at 0: one that starts with its first event would show no increase.
        for family in families().chain(["other"]) {
            drop(metrics.refused.get_or_create(&CacheFamilyLabels { family }));
        }
        let help = "State of a breaker when this worker last saw it: 0 closed, 1 half-open, 2 open";
        registry.register("breaker_state", help, metrics.breaker.clone());
        let help =
            "How far the clock of this machine is ahead of the store's, in whole seconds; negative if it is behind";
        register_seconds(registry, "clock_difference", help, metrics.clock_difference.clone());
        metrics
    }

    /// Counts a cache look-up: `hit`, `miss` or `error`.
    pub fn looked_up(&self, family: &'static str, result: &'static str) {
        self.lookups.get_or_create(&CacheLookupLabels { family, result }).inc();
    }

    /// Counts a failed operation.
    pub fn count_failure(&self) {
        self.errors.inc();
    }

    /// Counts a record of `family` that this fleet did not write.
    pub fn count_refused(&self, family: &'static str) {
        self.refused.get_or_create(&CacheFamilyLabels { family }).inc();
    }

    /// Records that the breaker `name` (from the configuration) was seen in `state`: 0 closed, 1 half-open, 2 open.
    pub fn breaker(&self, name: &str, state: i64) {
        self.open_until().remove(name);
        self.breaker.get_or_create(&NameLabels { name: name.to_owned() }).set(state);
    }

    /// Records that the breaker `name` was seen open, for another `time`; after that it counts as half-open until it is seen again.
    pub fn breaker_open(&self, name: &str, time: Duration) {
        self.breaker(name, OPEN);
        self.open_until().insert(name.to_owned(), Instant::now() + time);
    }

    /// Sets breakers whose open time is over to half-open. Called before the metrics are read.
    pub(super) fn end_open_times(&self) {
        let now = Instant::now();
        let mut open = self.open_until();
        for (name, _) in open.extract_if(.., |_, until| *until <= now) {
            self.breaker.get_or_create(&NameLabels { name }).set(HALF_OPEN);
        }
    }

    /// Records the difference of this machine's clock from the store's, which shows `shared` now.
    pub(crate) fn clock_differs(&self, shared: Timestamp) {
        let own_ms = i64::try_from(unix_time().as_millis()).unwrap_or(i64::MAX);
        self.clock_difference.set(own_ms.saturating_sub(shared.0) / 1_000);
    }

    fn open_until(&self) -> MutexGuard<'_, BTreeMap<String, Instant>> {
        self.open_until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Values of the breaker gauge.
const HALF_OPEN: i64 = 1;
const OPEN: i64 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_ahead_of_the_store_has_a_positive_difference() {
        let metrics = StoreMetrics::new(&mut Registry::default());
        let now = Timestamp(i64::try_from(unix_time().as_millis()).expect("after 1970"));
        for (store_s, difference) in [(0, 0), (-360, 360), (360, -360), (3 * 86_400, -3 * 86_400)] {
            metrics.clock_differs(now.plus_ms(store_s * 1_000));
            assert!((metrics.clock_difference.get() - difference).abs() <= 1, "{store_s}");
        }
    }

    #[test]
    fn an_unused_breaker_does_not_stay_open_for_ever() {
        let metrics = StoreMetrics::new(&mut Registry::default());
        let state = |name: &str| metrics.breaker.get_or_create(&NameLabels { name: name.to_owned() }).get();
        metrics.breaker_open("past", Duration::ZERO);
        metrics.breaker_open("present", Duration::from_secs(3_600));
        metrics.breaker_open("closed since", Duration::ZERO);
        metrics.breaker("closed since", 0);
        assert_eq!(state("past"), OPEN);
        metrics.end_open_times();
        assert_eq!(["past", "present", "closed since"].map(state), [HALF_OPEN, OPEN, 0]);
    }
}
