//! The metrics of a process: one registry, one file per subject.
//!
//! Process-wide like the log, so that measured code need not carry a handle. The names of counters end in `_total` in the output.

mod broker;
mod content;
mod digest;
mod instruments;
mod jobs;
mod models;
mod process;
mod reports;
mod searches;
mod sessions;
mod spans;
mod store;
mod webhooks;

use std::sync::LazyLock;

use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

pub use broker::{Broadcast, BrokerMetrics};
pub use content::ContentMetrics;
pub use digest::{DigestMetrics, DigestOutcome, ExtractionMetrics};
pub use jobs::JobMetrics;
pub use models::ModelMetrics;
pub use process::{MeaningModel, ProcessMetrics};
use reports::ReportMetrics;
pub use searches::SearchMetrics;
pub use sessions::SessionMetrics;
pub(crate) use spans::SpanMetrics;
pub use store::StoreMetrics;
pub(crate) use webhooks::WebhookMetrics;

/// Prefix of every metric name.
const PREFIX: &str = "precis";

/// All metrics of a process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// What this process is.
    pub process: ProcessMetrics,
    /// Sessions and their phases.
    pub sessions: SessionMetrics,
    /// How good the reports of ended sessions are.
    pub(crate) reports: ReportMetrics,
    /// Jobs.
    pub jobs: JobMetrics,
    /// Model calls.
    pub models: ModelMetrics,
    /// Searches.
    pub searches: SearchMetrics,
    /// The shared store.
    pub store: StoreMetrics,
    /// The content store.
    pub content: ContentMetrics,
    /// Broker connections, publishes, dead letters.
    pub broker: BrokerMetrics,
    /// Digests.
    pub digest: DigestMetrics,
    /// Documents read.
    pub extraction: ExtractionMetrics,
    /// Spans that are exported.
    pub(crate) spans: SpanMetrics,
    /// Webhooks.
    pub(crate) webhooks: WebhookMetrics,
}

impl Metrics {
    fn new() -> Self {
        let mut registry = Registry::with_prefix(PREFIX);
        let r = &mut registry;
        let (sessions, jobs, models) = (SessionMetrics::new(r), JobMetrics::new(r), ModelMetrics::new(r));
        let (reports, searches) = (ReportMetrics::new(r), SearchMetrics::new(r));
        let (store, broker) = (StoreMetrics::new(r), BrokerMetrics::new(r));
        let process = ProcessMetrics::new(r);
        let (digest, extraction) = (DigestMetrics::new(r), ExtractionMetrics::new(r));
        let (content, webhooks, spans) = (ContentMetrics::new(r), WebhookMetrics::new(r), SpanMetrics::new(r));
        Self {
            registry,
            process,
            sessions,
            reports,
            jobs,
            models,
            searches,
            store,
            content,
            broker,
            digest,
            extraction,
            spans,
            webhooks,
        }
    }

    /// All values in the OpenMetrics text format.
    #[must_use]
    pub fn text(&self) -> String {
        self.store.end_open_times();
        let mut text = String::new();
        // Writing into a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// The metrics of this process.
#[must_use]
pub fn metrics() -> &'static Metrics {
    static METRICS: LazyLock<Metrics> = LazyLock::new(Metrics::new);
    &METRICS
}

#[cfg(test)]
mod tests {
    use precis_proto::dead_reason::DeadReason;

    use super::*;

    #[test]
    fn counters_start_from_zero_and_the_version_is_reported() {
        let text = Metrics::new().text();
        for series in [
            "precis_sessions_total{outcome=\"failed\"} 0",
            "precis_dead_letters_total{reason=\"delivery_limit\"} 0",
            "precis_dead_letters_total{reason=\"state_page_missing\"} 0",
            "precis_requests_refused_total{code=\"malformed_request\"} 0",
            "precis_session_deliveries_total{phase=\"digest\",settlement=\"bury\"} 0",
        ] {
            assert!(text.contains(series), "{series}\n{text}");
        }
        assert!(text.contains(&format!("precis_build_info{{version=\"{}\"}} 1", crate::VERSION)), "{text}");
    }

    #[test]
    fn every_name_has_the_prefix_and_every_counter_its_suffix() {
        let metrics = Metrics::new();
        metrics.sessions.record_end("completed", 1.0);
        metrics.jobs.record_end("digest", "done", 0.2);
        metrics.broker.dead_letter(&DeadReason::Undecodable);
        metrics.broker.dead_letter(&DeadReason::Other("a word of the broker".to_owned()));
        let text = metrics.text();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.starts_with("precis_"), "{line}");
        }
        assert!(text.contains("precis_sessions_total{outcome=\"completed\"} 1"), "{text}");
        assert!(text.contains("precis_job_duration_seconds_bucket"), "{text}");
        assert!(text.contains("precis_dead_letters_total{reason=\"undecodable\"} 1"), "{text}");
        assert!(text.contains("precis_dead_letters_total{reason=\"other\"} 1"), "{text}");
        assert!(text.ends_with("# EOF\n"));
    }
}
