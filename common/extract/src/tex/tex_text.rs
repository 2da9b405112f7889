//! [`TexText`]: a source as text.

use precis_text::Leaf;

use super::super::runs::LeftOut;

/// A TeX source as text.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct TexText {
    /// The title that it gives itself, otherwise its first heading.
    pub(in super::super) title: Option<String>,
    pub(in super::super) leaves: Vec<Leaf>,
    /// What it does not say.
    pub(in super::super) left_out: LeftOut,
    pub(in super::super) remarks: Vec<String>,
    /// Number of texts that it includes from other files.
    pub(in super::super) elsewhere: u64,
}
