//! The families of cached values: the first part of their keys.

/// Families whose names are hashes of texts, or of questions about them: whoever may read names could tell whether a text is known, so a
/// fleet salts them.
pub(crate) const DERIVED_FROM_TEXTS: [&str; 8] =
    ["call", "search", "digest", "summary", "verdict", "extract", "tokens", "meaning"];

/// Families whose names are those of jobs and sessions.
pub(crate) const NAMED_BY_SESSIONS: [&str; 5] = ["answer", "cancel", "session", "fence", "events"];

/// All families.
pub(crate) fn families() -> impl Iterator<Item = &'static str> {
    NAMED_BY_SESSIONS.into_iter().chain(DERIVED_FROM_TEXTS)
}

/// Returns the family of a key, as used in metric labels.
pub(crate) fn family(key: &str) -> &'static str {
    let prefix = key.split(':').next().unwrap_or_default();
    families().find(|family| *family == prefix).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::CacheFamily;

    #[test]
    fn what_handlers_cache_has_a_family_whose_names_are_salted() {
        for family in CacheFamily::ALL {
            assert!(DERIVED_FROM_TEXTS.contains(&family.prefix()), "{family:?}");
        }
    }
}
