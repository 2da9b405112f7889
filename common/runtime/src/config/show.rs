//! The settings in force, for people and programs: key, value, origin. Secrets stay hidden, because they serialise hidden.

use serde::Serialize;
use serde_json::Value;

use super::given::dotted;
use super::{Loaded, Provenance};

/// One setting in force.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// The dotted key.
    pub key: String,
    /// Its value as JSON; `null` where there is none.
    pub value: Value,
    /// Where it comes from.
    #[serde(flatten)]
    pub from: Provenance,
}

/// All settings in force, in the order of the structs; of a table of many, each field of each entry.
#[must_use]
pub fn show(loaded: &Loaded) -> Vec<Shown> {
    let values = serde_json::to_value(&loaded.settings).unwrap_or_default();
    let mut shown = Vec::new();
    for (key, value) in values.as_object().into_iter().flatten() {
        flatten(&mut vec![key.clone()], value, loaded, &mut shown);
    }
    shown
}

fn flatten(path: &mut Vec<String>, value: &Value, loaded: &Loaded, shown: &mut Vec<Shown>) {
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            for (name, value) in entries {
                path.push(name.clone());
                flatten(path, value, loaded, shown);
                path.pop();
            }
        }
        _ => {
            let key = dotted(path);
            shown.push(Shown { from: loaded.origin(&key), value: value.clone(), key });
        }
    }
}
