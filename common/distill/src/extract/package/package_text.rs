//! The result of reading a package: its text, or why it has none.

use precis_proto::DocumentFormat;

use super::archive::PartError;
use crate::text::Leaf;

/// The text of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::extract) struct PackageText {
    /// Its format.
    pub(in crate::extract) format: DocumentFormat,
    /// Its own title.
    pub(in crate::extract) title: Option<String>,
    /// Its text.
    pub(in crate::extract) leaves: Vec<Leaf>,
    /// Remarks for the reader.
    pub(in crate::extract) remarks: Vec<String>,
    /// Number of characters hidden from readers of the document, without white space.
    pub(in crate::extract) hidden: u64,
}

/// Why a package has no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::extract) enum PackageError {
    /// The format is not supported.
    Unknown,
    /// A password or a key is required.
    Encrypted,
    /// It is damaged, or unpacks to more than the limit.
    Broken(String),
}

impl From<PartError> for PackageError {
    fn from(error: PartError) -> Self {
        match error {
            PartError::Encrypted => Self::Encrypted,
            PartError::Missing => Self::Broken("one of its parts is missing".to_owned()),
            PartError::Broken => Self::Broken("one of its parts is damaged".to_owned()),
            PartError::TooLarge => Self::Broken("it unpacks to more than the limit".to_owned()),
        }
    }
}
