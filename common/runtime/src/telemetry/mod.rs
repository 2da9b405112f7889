//! What operators see of a worker: log lines, metrics, spans.
//!
//! Defines the names and labels of all metrics, and the endpoint that serves them. No metric has a label that a caller can choose:
//! labels are closed sets and names from the configuration.

mod endpoint;
mod exposition;
mod log;
mod metrics;
pub mod spans;
mod trace;

pub use endpoint::{EndpointError, Health, MetricsEndpoint, serve};
pub use log::{LogFormat, install};
pub use metrics::{
    Broadcast, BrokerMetrics, ContentMetrics, DigestMetrics, DigestOutcome, ExtractionMetrics, JobMetrics,
    MeaningModel, Metrics, ModelMetrics, ProcessMetrics, SearchMetrics, SessionMetrics, StoreMetrics, metrics,
};
pub use trace::TraceContext;
