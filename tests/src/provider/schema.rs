//! A smallest instance of a JSON Schema, with a sentence where text is wanted.

use serde_json::{Map, Value, json};

/// What the scripted provider says where a schema leaves it the choice.
pub(super) const SENTENCE: &str = "The sources describe the main result and its limits.";

/// An instance of `schema`, from the subset that requests use: objects, arrays, texts, numbers, booleans.
#[must_use]
pub(super) fn instance(schema: &Value) -> Value {
    if let Some(word) = schema["enum"].get(0) {
        return word.clone();
    }
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            Value::Object(properties.map(|(k, v)| (k.clone(), instance(v))).collect::<Map<_, _>>())
        }
        Some("array") => json!([instance(&schema["items"])]),
        Some("integer") => json!(1),
        Some("number") => json!(0.5),
        Some("boolean") => json!(false),
        _ => json!(SENTENCE),
    }
}
