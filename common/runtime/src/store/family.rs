//! The families of cached values: the words that keys begin with.

/// Families of cached values.
pub(crate) const FAMILIES: [&str; 9] =
    ["answer", "call", "search", "digest", "summary", "extract", "tokens", "cancel", "session"];

/// The family of a key, as metrics know it.
pub(crate) fn family(key: &str) -> &'static str {
    let prefix = key.split(':').next().unwrap_or_default();
    FAMILIES.into_iter().find(|family| *family == prefix).unwrap_or("other")
}
