//! The families of cached values: the first part of their keys.

/// Families of cached values.
pub(crate) const FAMILIES: [&str; 13] = [
    "answer", "call", "search", "digest", "summary", "verdict", "extract", "tokens", "meaning", "cancel", "session",
    "fence", "events",
];

/// Returns the family of a key, as used in metric labels.
pub(crate) fn family(key: &str) -> &'static str {
    let prefix = key.split(':').next().unwrap_or_default();
    FAMILIES.into_iter().find(|family| *family == prefix).unwrap_or("other")
}
