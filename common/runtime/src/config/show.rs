//! The settings in force, for people and programs: key, value, origin. Secrets stay hidden because their types serialise masked.

use serde::Serialize;
use serde_json::Value;

use super::config_value::dotted_key;
use super::{LoadedSettings, Provenance};

/// One setting in force.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EffectiveSetting {
    /// The dotted key.
    pub key: String,
    /// Its value as JSON; `null` if it has none.
    pub value: Value,
    /// The layer that set it.
    #[serde(flatten)]
    pub from: Provenance,
}

/// Returns all settings in force, in the order of the structs; for a table with named entries, each field of each entry.
#[must_use]
pub fn show(loaded: &LoadedSettings) -> Vec<EffectiveSetting> {
    let values = serde_json::to_value(&loaded.settings).unwrap_or_default();
    let mut shown = Vec::new();
    for (key, value) in values.as_object().into_iter().flatten() {
        flatten(&mut vec![key.clone()], value, loaded, &mut shown);
    }
    shown
}

fn flatten(path: &mut Vec<String>, value: &Value, loaded: &LoadedSettings, shown: &mut Vec<EffectiveSetting>) {
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            for (name, value) in entries {
                path.push(name.clone());
                flatten(path, value, loaded, shown);
                path.pop();
            }
        }
        _ => {
            let key = dotted_key(path);
            shown.push(EffectiveSetting { from: loaded.origin(&key), value: value.clone(), key });
        }
    }
}
