//! What a block of a text needs to keep its meaning: the lead-in of its list, the heading above it.
//!
//! An item says what its lead-in makes of it: `theft of cash` is covered or it is not. Only here all blocks of a text are at hand, so here
//! each block is given the ranges that go with it wherever it is shown.

mod lead_in;
mod needed_range;

use std::collections::BTreeMap;

use precis_proto::Block;
use precis_text::CanonicalText;

pub(crate) use needed_range::NeededRange;

/// The ranges that go with each block of a text, found when they are first asked for.
pub(crate) struct Needs<'t> {
    text: &'t CanonicalText,
    blocks: &'t [Block],
    known: BTreeMap<usize, Vec<NeededRange>>,
}

impl<'t> Needs<'t> {
    pub(crate) fn new(text: &'t CanonicalText, blocks: &'t [Block]) -> Self {
        Self { text, blocks, known: BTreeMap::new() }
    }

    /// What goes with the block at `at`, in the order of the text.
    pub(crate) fn of(&mut self, at: usize) -> &[NeededRange] {
        let (text, blocks) = (self.text, self.blocks);
        self.known.entry(at).or_insert_with(|| lead_in::above(text, blocks, at))
    }
}
