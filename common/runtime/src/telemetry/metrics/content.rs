//! The content store: whether it can be used, its room, its errors.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::instruments::{Counters, register_bytes};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabels {
    kind: &'static str,
}

/// The content store as this process sees it.
#[derive(Debug)]
pub struct ContentMetrics {
    reachable: Gauge,
    full: Gauge,
    free: Gauge,
    errors: Counters<KindLabels>,
}

impl ContentMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics =
            Self { reachable: <_>::default(), full: <_>::default(), free: <_>::default(), errors: <_>::default() };
        let help = "Whether the content store was there when this worker last looked: 1 or 0";
        registry.register("content_reachable", help, metrics.reachable.clone());
        let help = "Whether the content store had too little room when this worker last looked: 1 or 0";
        registry.register("content_full", help, metrics.full.clone());
        let help = "Bytes free in the volume of the content store, if it is a directory; otherwise -1";
        register_bytes(registry, "content_free", help, metrics.free.clone());
        let help = "Operations on the content store that failed, by kind";
        registry.register("content_errors", help, metrics.errors.clone());
        // Every series starts at 0: one that starts with its first event would show no increase. A worker has looked at nothing yet.
        for kind in ["full", "unavailable", "missing", "corrupt", "too_large"] {
            drop(metrics.errors.get_or_create(&KindLabels { kind }));
        }
        metrics.reachable.set(1);
        metrics.free.set(-1);
        metrics
    }

    /// Records what a look at the store found: whether it is there, whether it has too little room, and its free bytes where it tells them.
    pub fn looked_at(&self, is_reachable: bool, is_full: bool, free: Option<u64>) {
        self.reachable.set(i64::from(is_reachable));
        self.full.set(i64::from(is_full));
        self.free.set(free.map_or(-1, |free| i64::try_from(free).unwrap_or(i64::MAX)));
    }

    /// Counts a failed operation of a kind that the error names.
    pub fn count_failure(&self, kind: &'static str) {
        self.errors.get_or_create(&KindLabels { kind }).inc();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_tells_no_room_is_not_one_without_room() {
        let metrics = ContentMetrics::new(&mut Registry::default());
        for (free, told) in [(Some(0), 0), (Some(5), 5), (Some(u64::MAX), i64::MAX), (None, -1)] {
            metrics.looked_at(true, false, free);
            assert_eq!((metrics.reachable.get(), metrics.full.get(), metrics.free.get()), (1, 0, told));
        }
    }
}
