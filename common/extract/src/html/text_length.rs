//! The length of leaves once they are joined to one text.

use precis_text::Leaf;

/// Number of characters of normalized leaves joined to one text.
pub(super) fn chars(leaves: &[Leaf]) -> usize {
    let cells = |leaf: &Leaf| leaf.cells.iter().filter(|cell| cell.is_empty()).count();
    // Cells and leaves are joined by one character; an empty cell adds none.
    let all: usize = leaves.iter().map(|leaf| (leaf.text.chars().count() + 1).saturating_sub(cells(leaf))).sum();
    all.saturating_sub(1)
}
