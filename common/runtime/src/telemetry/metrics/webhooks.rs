//! Webhooks: attempts by their end.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::registry::Registry;

use super::instruments::{Counters, Histograms, SECONDS, histograms, register_seconds};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WebhookOutcomeLabels {
    outcome: &'static str,
}

/// Names of the ends of an attempt.
const OUTCOMES: [&str; 3] = ["delivered", "retried", "failed"];

/// Webhooks of this process.
#[derive(Debug)]
pub(crate) struct WebhookMetrics {
    attempts: Counters<WebhookOutcomeLabels>,
    duration: Histograms<WebhookOutcomeLabels>,
}

impl WebhookMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self { attempts: <_>::default(), duration: histograms(SECONDS) };
        for outcome in OUTCOMES {
            drop(metrics.attempts.get_or_create(&WebhookOutcomeLabels { outcome }));
        }
        let help = "Attempts to deliver a webhook, by outcome: delivered, retried later, or failed for good";
        registry.register("webhook_attempts", help, metrics.attempts.clone());
        let help = "Time from sending a webhook to its answer";
        register_seconds(registry, "webhook_attempt_duration", help, metrics.duration.clone());
        metrics
    }

    /// Records an attempt that took `seconds`: `delivered`, `retried` or `failed`.
    pub(crate) fn record_attempt(&self, outcome: &'static str, seconds: f64) {
        self.attempts.get_or_create(&WebhookOutcomeLabels { outcome }).inc();
        self.duration.get_or_create(&WebhookOutcomeLabels { outcome }).observe(seconds);
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    #[test]
    fn each_outcome_is_counted_from_zero() {
        let mut registry = Registry::default();
        let metrics = WebhookMetrics::new(&mut registry);
        metrics.record_attempt("delivered", 0.2);
        let mut text = String::new();
        encode(&mut text, &registry).expect("into a string");
        for (outcome, count) in [("delivered", 1), ("retried", 0), ("failed", 0)] {
            let series = format!("webhook_attempts_total{{outcome=\"{outcome}\"}} {count}");
            assert!(text.contains(&series), "{series}\n{text}");
        }
    }
}
