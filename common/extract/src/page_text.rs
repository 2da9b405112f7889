//! [`PageText`]: what the readers of marked-up text give.

use precis_text::Leaf;

use super::runs::LeftOut;

/// A page of marked-up text, read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageText {
    /// What its head says, otherwise its first heading.
    pub(super) title: Option<String>,
    pub(super) leaves: Vec<Leaf>,
    /// What it does not say.
    pub(super) left_out: LeftOut,
    /// Number of texts that the rendered page includes from elsewhere, such as files. None of them is read.
    pub(super) elsewhere: u64,
}
