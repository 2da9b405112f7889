//! JSON of a folder.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::FolderError;

/// A file of a folder as `T`.
pub(super) fn read<T: DeserializeOwned>(file: &'static str, bytes: &[u8]) -> Result<T, FolderError> {
    serde_json::from_slice(bytes).map_err(|error| FolderError::invalid(file, error.to_string()))
}

/// The kind of a step, as such files have it; empty if there is none.
pub(super) fn kind(step: &Value) -> &str {
    step.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// Whether a key is true; a key that is missing is not.
pub(super) fn is_true(step: &Value, key: &str) -> bool {
    step.get(key).and_then(Value::as_bool).unwrap_or_default()
}
