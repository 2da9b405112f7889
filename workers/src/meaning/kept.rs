//! Which model: what lists show, and by what one is named.

use precis_meaning::container::Description;

/// A model that this program can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptModel {
    /// SHA-256 of its file, in hexadecimal.
    pub hash: String,
    /// What it says of itself.
    pub description: Description,
    /// Size of its file.
    pub bytes: u64,
    /// Where it is.
    pub place: ModelPlace,
}

/// Where a model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelPlace {
    /// A file that was added.
    Folder,
    /// Part of this program.
    Program,
}
