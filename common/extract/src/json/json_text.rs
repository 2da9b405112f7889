//! [`JsonText`]: what a document in JSON says.

use precis_text::Leaf;

use super::super::runs::LeftOut;

/// A JSON document as text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JsonText {
    pub(crate) title: Option<String>,
    /// Its text, each leaf normalized.
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) remarks: Vec<String>,
    /// What it does not say.
    pub(crate) left_out: LeftOut,
}
