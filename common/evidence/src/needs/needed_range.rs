//! A range that goes with a block of a text.

use precis_proto::CharRange;
use precis_proto::quote_context::{ContextRange, ContextRole};
use precis_text::CanonicalText;

/// A range that goes with a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NeededRange {
    pub(crate) role: ContextRole,
    pub(crate) range: CharRange,
    /// The character of the text in front of which a statement has it, if that is not the order of the text.
    pub(crate) at: Option<usize>,
}

impl NeededRange {
    pub(crate) fn context(&self, text: &CanonicalText) -> ContextRange {
        ContextRange {
            role: self.role,
            locator: text.locator(self.range),
            text: text.slice(self.range).to_owned(),
            at: None,
        }
    }
}
