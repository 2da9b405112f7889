//! What this process is: its version, and whether it has the model of meaning that it was told to use.

use precis_proto::closed_words;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Build {
    version: &'static str,
}

closed_words! {
    /// Whether a process finds what is said in other words.
    pub enum MeaningModel {
        /// No model is configured.
        Off => "off",
        /// The configured model is in memory.
        Loaded => "loaded",
        /// A model is configured and is not there, or not as it was added: words decide.
        Missing => "missing",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MeaningLabels {
    state: &'static str,
}

/// The running program.
#[derive(Debug)]
pub struct ProcessMetrics {
    build: Family<Build, Gauge>,
    meaning: Family<MeaningLabels, Gauge>,
}

impl ProcessMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let metrics = Self { build: <_>::default(), meaning: <_>::default() };
        metrics.build.get_or_create(&Build { version: crate::VERSION }).set(1);
        registry.register("build_info", "The running version; the value is always 1", metrics.build.clone());
        metrics.meaning_model(MeaningModel::Off);
        let help = "The model of meaning: 1 for the state that holds, 0 for the others";
        registry.register("meaning_model", help, metrics.meaning.clone());
        metrics
    }

    /// Records the state of the model of meaning.
    pub fn meaning_model(&self, state: MeaningModel) {
        for one in MeaningModel::ALL {
            self.meaning.get_or_create(&MeaningLabels { state: one.as_str() }).set(i64::from(one == state));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_state_of_the_model_of_meaning_holds_at_a_time() {
        let mut registry = Registry::default();
        let metrics = ProcessMetrics::new(&mut registry);
        for state in [MeaningModel::Missing, MeaningModel::Loaded, MeaningModel::Off] {
            metrics.meaning_model(state);
            let mut text = String::new();
            prometheus_client::encoding::text::encode(&mut text, &registry).expect("a string");
            for one in MeaningModel::ALL {
                let line = format!("meaning_model{{state=\"{}\"}} {}", one.as_str(), u8::from(one == state));
                assert!(text.contains(&line), "{line}\n{text}");
            }
        }
    }
}
