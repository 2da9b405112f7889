//! Digests and documents read. Dashboards depend on these names and labels: do not change them.

use precis_proto::DocumentFormat;
use precis_proto::closed_words;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::instruments::{Buckets, Counters, Histograms, SECONDS, histograms, register_seconds};

/// Digest length over text length.
const RATIO: Buckets = Buckets(&[0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0]);
/// Evidence snippets of a digest.
const SNIPPETS: Buckets = Buckets(&[0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0]);

closed_words! {
    /// The result of a source in the digest phase.
    pub enum DigestOutcome {
        /// It has a digest.
        Completed => "completed",
        /// It keeps its text, by policy or because the breaker is open.
        Skipped => "skipped",
        /// It keeps its text, because a digest failed.
        Error => "error",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DigestLabels {
    policy: &'static str,
    cache_hit: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DigestOutcomeLabels {
    outcome: &'static str,
}

/// Digests of this process.
#[derive(Debug)]
pub struct DigestMetrics {
    duration: Histograms<DigestLabels>,
    sources: Counters<DigestOutcomeLabels>,
    ratio: Histogram,
    cache_hits: Counter,
    snippets: Histogram,
}

impl DigestMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            duration: histograms(SECONDS),
            sources: <_>::default(),
            ratio: RATIO.histogram(),
            cache_hits: <_>::default(),
            snippets: SNIPPETS.histogram(),
        };
        register_seconds(
            registry,
            "digest_duration",
            "Time to make a digest, or to find it in the cache",
            metrics.duration.clone(),
        );
        registry.register(
            "digest_sources_processed",
            "Sources of the digest phase, by outcome",
            metrics.sources.clone(),
        );
        registry.register("digest_compression_ratio", "Digest length over text length", metrics.ratio.clone());
        registry.register("digest_cache_hits", "Digests found in the cache", metrics.cache_hits.clone());
        registry.register("digest_evidence_snippets", "Evidence snippets of a digest", metrics.snippets.clone());
        metrics
    }

    /// Records a digest that was made or found in the cache.
    pub fn record_digest(&self, policy: &'static str, cache_hit: bool, seconds: f64, ratio: f64, snippets: usize) {
        self.duration.get_or_create(&DigestLabels { policy, cache_hit }).observe(seconds);
        self.ratio.observe(ratio);
        self.snippets.observe(snippets as f64);
        if cache_hit {
            self.cache_hits.inc();
        }
    }

    /// Counts the outcome of a source.
    pub fn source(&self, outcome: DigestOutcome) {
        self.sources.get_or_create(&DigestOutcomeLabels { outcome: outcome.as_str() }).inc();
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DocumentReadLabels {
    format: &'static str,
    outcome: &'static str,
}

/// Documents read by this process.
#[derive(Debug)]
pub struct ExtractionMetrics {
    documents: Counters<DocumentReadLabels>,
    duration: Histograms<DigestOutcomeLabels>,
    pdf_duration: Histogram,
    pdf_pages: Counter,
    child_deaths: Counter,
    unfiltered: Counter,
}

impl ExtractionMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            documents: <_>::default(),
            duration: histograms(SECONDS),
            pdf_duration: SECONDS.histogram(),
            pdf_pages: <_>::default(),
            child_deaths: <_>::default(),
            unfiltered: <_>::default(),
        };
        registry.register("extraction_documents", "Documents, by format and outcome", metrics.documents.clone());
        register_seconds(registry, "extraction_duration", "Time to read a document", metrics.duration.clone());
        register_seconds(registry, "pdf_extraction_duration", "Time to read a PDF", metrics.pdf_duration.clone());
        registry.register("pdf_extraction_pages", "Pages of PDFs read", metrics.pdf_pages.clone());
        let help = "Parser processes started without a system call filter";
        registry.register("parsers_unfiltered", help, metrics.unfiltered.clone());
        registry.register(
            "parser_deaths",
            "Parser processes that died while reading a document",
            metrics.child_deaths.clone(),
        );
        metrics
    }

    /// Records an attempt to read a document; `None` if its format is unknown.
    pub fn read(&self, format: Option<DocumentFormat>, outcome: &'static str, seconds: f64) {
        let label = format.map_or("unknown", DocumentFormat::label);
        self.documents.get_or_create(&DocumentReadLabels { format: label, outcome }).inc();
        self.duration.get_or_create(&DigestOutcomeLabels { outcome }).observe(seconds);
        if format == Some(DocumentFormat::Pdf) {
            self.pdf_duration.observe(seconds);
        }
    }

    /// Adds pages of a PDF.
    pub fn pages(&self, pages: u64) {
        self.pdf_pages.inc_by(pages);
    }

    /// Counts a parser process that died.
    pub fn child_died(&self) {
        self.child_deaths.inc();
    }

    /// Counts a parser process started without a system call filter.
    pub fn count_unfiltered(&self) {
        self.unfiltered.inc();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Metrics;
    use super::*;

    #[test]
    fn digests_and_documents_are_listed_by_name_with_their_labels() {
        let metrics = Metrics::new();
        metrics.digest.record_digest("auto", true, 0.2, 0.1, 5);
        metrics.digest.record_digest("auto", false, 0.3, 0.2, 4);
        for outcome in [DigestOutcome::Completed, DigestOutcome::Skipped, DigestOutcome::Error] {
            metrics.digest.source(outcome);
        }
        metrics.extraction.read(Some(DocumentFormat::Pdf), "read", 0.4);
        metrics.extraction.read(Some(DocumentFormat::Html), "read", 0.1);
        metrics.extraction.pages(3);
        let text = metrics.text();
        for series in [
            "precis_digest_duration_seconds_count{policy=\"auto\",cache_hit=\"true\"} 1",
            "precis_digest_duration_seconds_count{policy=\"auto\",cache_hit=\"false\"} 1",
            "precis_digest_sources_processed_total{outcome=\"completed\"} 1",
            "precis_digest_sources_processed_total{outcome=\"skipped\"} 1",
            "precis_digest_sources_processed_total{outcome=\"error\"} 1",
            "precis_digest_compression_ratio_count 2",
            "precis_digest_cache_hits_total 1",
            "precis_digest_evidence_snippets_sum 9.0",
            "precis_extraction_documents_total{format=\"html\",outcome=\"read\"} 1",
            "precis_pdf_extraction_duration_seconds_count 1",
            "precis_pdf_extraction_pages_total 3",
        ] {
            assert!(text.lines().any(|line| line == series), "{series} is not in\n{text}");
        }
    }
}
