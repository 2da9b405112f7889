//! A text with its blocks, and the ranges that go with a unit of it.

use precis_proto::quote_context::{ContextRange, ContextRole};
use precis_proto::{Block, BlockKind, CharRange};
use precis_text::CanonicalText;

/// Most characters of a range that goes with a unit, apart from items. Longer than nearly every sentence. Chosen, not measured.
pub(super) const MOST_CHARS: usize = 600;

/// A range that goes with a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NeededRange {
    pub(crate) role: ContextRole,
    pub(crate) range: CharRange,
    /// Of the head of a column: the character of the text, from 0, in front of which a statement has it.
    pub(crate) at: Option<usize>,
}

impl NeededRange {
    pub(super) fn new(role: ContextRole, range: CharRange) -> Self {
        Self { role, range, at: None }
    }

    pub(crate) fn context(&self, text: &CanonicalText) -> ContextRange {
        let (locator, said) = (text.locator(self.range), text.slice(self.range).to_owned());
        ContextRange { role: self.role, locator, text: said, at: None }
    }
}

/// What a unit needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UnitNeeds {
    /// In the order of the text.
    pub(crate) ranges: Vec<NeededRange>,
    /// The other items of its list, if that is short.
    pub(crate) list: Vec<NeededRange>,
    /// Items that the text lists after those in `ranges`.
    pub(crate) more_items: u32,
}

/// A text with its blocks.
#[derive(Clone, Copy)]
pub(super) struct Blocks<'t> {
    pub(super) text: &'t CanonicalText,
    pub(super) all: &'t [Block],
}

impl<'t> Blocks<'t> {
    pub(super) fn text_at(&self, at: usize) -> &'t str {
        self.text.slice(self.all[at].range())
    }

    /// The index of the block before `at` that a reader sees before it.
    pub(super) fn before(&self, at: usize) -> Option<usize> {
        (0..at).rev().find(|other| is_read(self.all[*other].kind))
    }

    /// The index of the block that a reader sees after `at`.
    pub(super) fn after(&self, at: usize) -> Option<usize> {
        (at + 1..self.all.len()).find(|other| is_read(self.all[*other].kind))
    }
}

/// Whether a block is part of the running text, so that what is before it and what is behind it belong together without it.
pub(super) fn is_read(kind: BlockKind) -> bool {
    match kind {
        BlockKind::Furniture | BlockKind::Footnote => false,
        BlockKind::Heading
        | BlockKind::Paragraph
        | BlockKind::ListItem
        | BlockKind::TableRow
        | BlockKind::Code
        | BlockKind::Caption
        | BlockKind::Quotation
        | BlockKind::FormField
        | BlockKind::Field
        | BlockKind::Reference => true,
    }
}
