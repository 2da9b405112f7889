//! Schemas in the subset that strict modes accept, and what one costs in a request.

use serde_json::{Value, json};

use crate::prompt::Count;

/// A schema with the name it goes by in a request.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputSchema {
    /// Lower-case word.
    pub name: &'static str,
    /// JSON Schema.
    pub schema: Value,
}

impl OutputSchema {
    /// The schema as a chat request carries it: name, strictness, schema.
    #[must_use]
    pub fn wrapped(&self) -> Value {
        json!({"name": self.name, "strict": true, "schema": self.schema})
    }

    /// Tokens of [`OutputSchema::wrapped`], the dearer of its compact and its spaced spelling: providers count what they make
    /// of the request, which may be either.
    #[must_use]
    pub fn count(&self, count: Count<'_>) -> u64 {
        let wrapped = self.wrapped();
        count(&wrapped.to_string()).max(count(&spaced(&wrapped)))
    }
}

pub(super) fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

pub(super) fn object(properties: Value) -> Value {
    let required: Vec<Value> =
        properties.as_object().into_iter().flat_map(|p| p.keys().cloned().map(Value::from)).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// JSON with a blank after each comma and colon, as some servers write it out before counting.
pub(super) fn spaced(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let rows: Vec<String> =
                map.iter().map(|(k, v)| format!("{}: {}", Value::from(k.as_str()), spaced(v))).collect();
            format!("{{{}}}", rows.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}
