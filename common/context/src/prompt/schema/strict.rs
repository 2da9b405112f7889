//! Schemas in the subset that strict modes accept, and their tokens in a request.

use serde_json::{Value, json};

use crate::truncate::Count;

/// A schema with its name in a request.
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
    pub fn wire_schema(&self) -> Value {
        json!({"name": self.name, "strict": true, "schema": self.schema})
    }

    /// Tokens of [`OutputSchema::wire_schema`], the larger of its compact and its spaced JSON, since providers may count either.
    #[must_use]
    pub fn count(&self, count: Count<'_>) -> u64 {
        let wrapped = self.wire_schema();
        count(&wrapped.to_string()).max(count(&spaced_json(&wrapped)))
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

/// JSON with a space after each comma and colon, as some servers serialize it before counting.
pub(super) fn spaced_json(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let rows: Vec<String> =
                map.iter().map(|(k, v)| format!("{}: {}", Value::from(k.as_str()), spaced_json(v))).collect();
            format!("{{{}}}", rows.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(spaced_json).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}
