//! Model calls: count, duration, tokens, money.

use std::sync::Arc;

use precis_proto::call::LayerUsage;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::registry::Registry;

use super::instruments::{Counters, Histograms, SECONDS, histograms, register_seconds};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallEndLabels {
    role: &'static str,
    provider: Arc<str>,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallTokenLabels {
    role: &'static str,
    provider: Arc<str>,
    direction: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LayerTokenLabels {
    role: &'static str,
    layer: &'static str,
    fate: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    role: &'static str,
    provider: Arc<str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ModelProviderLabels {
    provider: Arc<str>,
}

/// Model calls of this process. `provider` is `NAME:MODEL` from the configuration.
#[derive(Debug)]
pub struct ModelMetrics {
    calls: Counters<CallEndLabels>,
    duration: Histograms<ModelProviderLabels>,
    tokens: Counters<CallTokenLabels>,
    layers: Counters<LayerTokenLabels>,
    waited: Histograms<ModelProviderLabels>,
    unreadable: Counters<CallLabels>,
}

impl ModelMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self {
            calls: <_>::default(),
            duration: histograms(SECONDS),
            tokens: <_>::default(),
            layers: <_>::default(),
            waited: histograms(SECONDS),
            unreadable: <_>::default(),
        };
        let help = "Requests sent to models, by role, provider and outcome; answers from the memo are not counted";
        registry.register("model_calls", help, metrics.calls.clone());
        register_seconds(
            registry,
            "model_call_duration",
            "Time from sending a request to its end",
            metrics.duration.clone(),
        );
        registry.register("model_tokens", "Tokens of answered requests, by direction", metrics.tokens.clone());
        let help = "Tokens of payloads by prompt layer (L1 rules to L5 question): estimated (offered), budget (allowed), kept (sent), \
                    dropped (left out to fit)";
        registry.register("model_layer_tokens", help, metrics.layers.clone());
        register_seconds(registry, "model_limit_wait", "Time spent waiting for a rate limit", metrics.waited.clone());
        let help = "Model answers that could not be parsed: not the expected JSON or tool call";
        registry.register("model_unreadable_answers", help, metrics.unreadable.clone());
        metrics
    }

    /// Counts an answer of `provider` that could not be parsed.
    pub fn unreadable(&self, role: &'static str, provider: &str) {
        self.unreadable.get_or_create(&CallLabels { role, provider: provider.into() }).inc();
    }

    /// Records the end of a request: `answered`, or its failure code.
    pub fn record_end(&self, role: &'static str, provider: &str, outcome: &'static str, seconds: f64) {
        let provider: Arc<str> = provider.into();
        self.duration.get_or_create(&ModelProviderLabels { provider: Arc::clone(&provider) }).observe(seconds);
        self.calls.get_or_create(&CallEndLabels { role, provider, outcome }).inc();
    }

    /// Adds the tokens a provider charged for.
    pub fn tokens(&self, role: &'static str, provider: &str, input: u64, output: u64) {
        for (direction, tokens) in [("input", input), ("output", output)] {
            self.tokens.get_or_create(&CallTokenLabels { role, provider: provider.into(), direction }).inc_by(tokens);
        }
    }

    /// Adds the tokens of one layer of a payload, whether a provider or the memo answered it: `estimated` is what was offered and
    /// `budget` what was allowed; what was offered is `kept` or `dropped`.
    pub fn layer(&self, role: &'static str, usage: &LayerUsage) {
        let layer = ["L1", "L2", "L3", "L4", "L5"].into_iter().find(|known| *known == usage.layer).unwrap_or("other");
        let LayerUsage { estimated, budget, kept, dropped, .. } = *usage;
        for (fate, tokens) in [("estimated", estimated), ("budget", budget), ("kept", kept), ("dropped", dropped)] {
            self.layers.get_or_create(&LayerTokenLabels { role, layer, fate }).inc_by(tokens);
        }
    }

    /// Records how long a call waited for a rate limit before it was sent.
    pub fn record_wait(&self, provider: &str, seconds: f64) {
        self.waited.get_or_create(&ModelProviderLabels { provider: provider.into() }).observe(seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Metrics;
    use super::*;

    #[test]
    fn a_layer_tells_what_was_offered_allowed_kept_and_dropped() {
        let metrics = Metrics::new();
        let usage = |layer: &str| LayerUsage {
            layer: layer.to_owned(),
            estimated: 900,
            budget: 600,
            kept: 500,
            dropped: 400,
            ..LayerUsage::default()
        };
        metrics.models.layer("compression", &usage("L3"));
        metrics.models.layer("compression", &usage("L3"));
        metrics.models.layer("compression", &usage("said by a stranger"));
        let text = metrics.text();
        for (layer, fate, tokens) in [
            ("L3", "estimated", 1_800),
            ("L3", "budget", 1_200),
            ("L3", "kept", 1_000),
            ("L3", "dropped", 800),
            ("other", "kept", 500),
        ] {
            let labels = format!("role=\"compression\",layer=\"{layer}\",fate=\"{fate}\"");
            let series = format!("precis_model_layer_tokens_total{{{labels}}} {tokens}");
            assert!(text.lines().any(|line| line == series), "{series} is not in\n{text}");
        }
    }
}
