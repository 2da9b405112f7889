//! How long leaves are as the one text they become.

use crate::text::Leaf;

/// Characters of normalised leaves as one text.
pub(super) fn chars(leaves: &[Leaf]) -> usize {
    let cells = |leaf: &Leaf| leaf.cells.iter().filter(|cell| cell.is_empty()).count();
    // Between cells and leaves stands one character; an empty cell adds none.
    let all: usize = leaves.iter().map(|leaf| leaf.text.chars().count() - cells(leaf) + 1).sum();
    all.saturating_sub(1)
}
