//! Which model, if any, finds what is said in other words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names no model.
const NO_MODEL: &str = "off";

/// Finding by meaning.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MeaningSettings {
    /// The keys below `meaning`.
    pub meaning: MeaningKeys,
}

/// The keys below `meaning`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MeaningKeys {
    /// The model that finds what is said in other words: its name or its SHA-256 as `precis model list` shows them, or `off`. It has to
    /// be added with `precis model add` on every machine that digests, or be part of the program; a worker without it ranks by words and
    /// says so.
    pub model: String,
    /// Most passages of a session that get a vector, the best by words first; the rest is ranked by words alone, and a warning says so.
    /// Passages whose vectors come with the index of a folder do not count. A passage takes about 0.1 seconds of one processor, once.
    #[schemars(range(min = 1, max = 100_000))]
    pub passages: u64,
}

impl Default for MeaningKeys {
    fn default() -> Self {
        Self { model: NO_MODEL.to_owned(), passages: 100 }
    }
}

impl MeaningKeys {
    /// The name or hash of the model; `None` if there is none.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        Some(self.model.trim()).filter(|name| !name.is_empty() && *name != NO_MODEL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_model_unless_one_is_named() {
        let of = |model: &str| MeaningKeys { model: model.to_owned(), ..MeaningKeys::default() };
        assert_eq!(MeaningKeys::default().model(), None);
        assert_eq!([of("off").model(), of(" ").model(), of("e5-small").model()], [None, None, Some("e5-small")]);
    }

    #[test]
    fn the_table_is_read_from_a_file() {
        let read: MeaningSettings = toml::from_str("[meaning]\nmodel = 'e5-small'").expect("settings");
        assert_eq!((read.meaning.model(), read.meaning.passages), (Some("e5-small"), 100));
    }
}
