//! What a package gives: its text, or why it has none.

use precis_proto::DocumentFormat;

use super::archive::PartError;
use crate::text::Leaf;

/// A package that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::extract) struct PackageText {
    /// What it is.
    pub(in crate::extract) format: DocumentFormat,
    /// Its own title.
    pub(in crate::extract) title: Option<String>,
    /// Its text.
    pub(in crate::extract) leaves: Vec<Leaf>,
    /// What a reader should know.
    pub(in crate::extract) remarks: Vec<String>,
    /// Characters that the document hides from its readers, white space not counted.
    pub(in crate::extract) hidden: u64,
}

/// Why a package gives no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::extract) enum PackageError {
    /// It is of no format that is read here.
    Unknown,
    /// Needs a password, or a key.
    Encrypted,
    /// Damaged, or unfolds to more than is read.
    Broken(String),
}

impl From<PartError> for PackageError {
    fn from(error: PartError) -> Self {
        match error {
            PartError::Encrypted => Self::Encrypted,
            PartError::Missing => Self::Broken("a part of it is missing".to_owned()),
            PartError::Broken => Self::Broken("a part of it is damaged".to_owned()),
            PartError::TooLarge => Self::Broken("it unfolds to more than is read".to_owned()),
        }
    }
}
