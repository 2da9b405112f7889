//! An answer of a provider as it was read, and the reading of its JSON.

use serde_json::Value;

use super::failure::{ProviderFailure, SearchCode};

/// A result as the provider gave it: nothing is checked yet, and texts may hold markup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RawHit {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) snippet: String,
    /// As the provider writes it.
    pub(super) published: Option<String>,
    /// A text that comes with the result, such as an abstract.
    pub(super) text: Option<String>,
}

/// An answer as read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ResultPage {
    pub(super) hits: Vec<RawHit>,
    /// What the provider says that it charges.
    pub(super) usd: Option<f64>,
}

impl ResultPage {
    pub(super) fn from_hits(hits: Vec<RawHit>) -> Self {
        Self { hits, usd: None }
    }
}

/// An answer that is not the documented shape.
pub(super) fn bad(detail: impl Into<String>) -> ProviderFailure {
    ProviderFailure::new(SearchCode::BadAnswer, detail)
}

/// The list at `pointer`, each entry an object.
pub(super) fn list<'a>(body: &'a Value, pointer: &str) -> Result<&'a [Value], ProviderFailure> {
    let name = pointer.trim_start_matches('/').replace('/', ".");
    let list = body.pointer(pointer).and_then(Value::as_array).ok_or_else(|| bad(format!("no list `{name}`")))?;
    match list.iter().all(Value::is_object) {
        true => Ok(list),
        false => Err(bad(format!("an entry of `{name}` is no object"))),
    }
}

/// The text of `key`; empty where there is none.
///
/// # Errors
/// [`SearchCode::BadAnswer`] where it is something else than a text or null.
pub(super) fn text(entry: &Value, key: &str) -> Result<String, ProviderFailure> {
    match &entry[key] {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        _ => Err(bad(format!("`{key}` of a result is no text"))),
    }
}

/// The text of `key`, where there is one that is not empty.
pub(super) fn some_text(entry: &Value, key: &str) -> Result<Option<String>, ProviderFailure> {
    Ok(Some(text(entry, key)?).filter(|text| !text.trim().is_empty()))
}

/// Results out of a list of plain entries, by the keys of their title, snippet and date.
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
