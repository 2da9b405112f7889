//! The documents to search.

use std::collections::BTreeSet;

/// The documents to search, by path. The rarity of words is always counted over all documents.
#[derive(Debug, Clone, Copy, Default)]
pub enum Documents<'q> {
    /// All documents.
    #[default]
    All,
    /// Only these documents.
    Only(&'q BTreeSet<String>),
    /// All documents except these.
    Except(&'q BTreeSet<String>),
}

impl Documents<'_> {
    pub(crate) fn hold(&self, path: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(paths) => paths.contains(path),
            Self::Except(paths) => !paths.contains(path),
        }
    }
}
