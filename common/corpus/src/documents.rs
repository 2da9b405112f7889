//! Which documents a search is about.

use std::collections::BTreeSet;

/// Which documents are searched, by path. How rare a word is counts over all of them in any case.
#[derive(Debug, Clone, Copy, Default)]
pub enum Documents<'q> {
    /// Every one.
    #[default]
    All,
    /// These.
    Only(&'q BTreeSet<String>),
    /// All but these.
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
