//! The result of reading a package: its text, or why it has none.

use precis_proto::DocumentFormat;
use precis_text::Leaf;

use super::super::fields::Properties;
use super::super::runs::LeftOut;
use super::archive::PartError;

/// The text of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackageText {
    /// Its format.
    pub(crate) format: DocumentFormat,
    /// What its program saved about it.
    pub(crate) properties: Properties,
    /// Its text.
    pub(crate) leaves: Vec<Leaf>,
    /// Remarks for the reader.
    pub(crate) remarks: Vec<String>,
    /// What it does not say.
    pub(crate) left_out: LeftOut,
}

/// Why a package has no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PackageError {
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
