//! The results read from a provider's response, and helpers that read its JSON.

use serde_json::Value;

use super::failure::{ProviderFailure, SearchCode};

/// A result as the provider gave it: unchecked, and texts may contain markup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RawHit {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) snippet: String,
    /// As the provider writes it.
    pub(super) published: Option<String>,
    /// A text included in the result, such as an abstract.
    pub(super) text: Option<String>,
}

/// A parsed response.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ResultPage {
    pub(super) hits: Vec<RawHit>,
    /// The price reported by the provider, in US dollars.
    pub(super) usd: Option<f64>,
}

impl ResultPage {
    pub(super) fn from_hits(hits: Vec<RawHit>) -> Self {
        Self { hits, usd: None }
    }
}

/// Returns the failure of a response that is not in the documented format.
pub(super) fn bad(detail: impl Into<String>) -> ProviderFailure {
    ProviderFailure::new(SearchCode::BadAnswer, detail)
}

/// Returns the list of objects at `pointer`.
pub(super) fn list<'a>(body: &'a Value, pointer: &str) -> Result<&'a [Value], ProviderFailure> {
    let name = pointer.trim_start_matches('/').replace('/', ".");
    let list = body.pointer(pointer).and_then(Value::as_array).ok_or_else(|| bad(format!("`{name}` is not a list")))?;
    match list.iter().all(Value::is_object) {
        true => Ok(list),
        false => Err(bad(format!("an entry of `{name}` is not an object"))),
    }
}

/// Returns the string at `key`; empty if it is missing.
///
/// # Errors
/// [`SearchCode::BadAnswer`] if it is neither a string nor null.
pub(super) fn text(entry: &Value, key: &str) -> Result<String, ProviderFailure> {
    match &entry[key] {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        _ => Err(bad(format!("`{key}` of a result is not a string"))),
    }
}

/// Returns the string at `key` if it is not blank.
pub(super) fn some_text(entry: &Value, key: &str) -> Result<Option<String>, ProviderFailure> {
    Ok(Some(text(entry, key)?).filter(|text| !text.trim().is_empty()))
}

/// Reads results from a list of flat entries, given the keys of URL, title, snippet and date.
pub(super) fn hits(
    entries: &[Value],
    [url, title, snippet]: [&str; 3],
    published: &str,
) -> Result<Vec<RawHit>, ProviderFailure> {
    let hit = |entry: &Value| {
        Ok(RawHit {
            url: text(entry, url)?,
            title: text(entry, title)?,
            snippet: text(entry, snippet)?,
            published: some_text(entry, published)?,
            text: None,
        })
    };
    entries.iter().map(hit).collect()
}
