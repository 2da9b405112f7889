//! Build information.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Build {
    version: &'static str,
}

/// The running program.
#[derive(Debug)]
pub(super) struct ProcessMetrics {
    build: Family<Build, Gauge>,
}

impl ProcessMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self { build: <_>::default() };
        metrics.build.get_or_create(&Build { version: crate::VERSION }).set(1);
        registry.register("build_info", "The running version; the value is always 1", metrics.build.clone());
        metrics
    }
}
