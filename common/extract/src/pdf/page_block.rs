//! Intermediate forms of a page, from rows to leaves.

use super::line::Line;
use super::paragraphs::Paragraph;
use super::rows::SegmentRow;
use super::table::TableRow;

/// The rows of a page: those in the main writing direction, and those in other directions in drawing order.
#[derive(Debug, Default)]
pub(super) struct PageRows {
    pub(super) main: Vec<SegmentRow>,
    pub(super) turned: Vec<Vec<SegmentRow>>,
}

/// A piece of a page that becomes one leaf, before its kind is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PageBlock {
    Paragraph(Paragraph),
    /// A row, with the number of its table on the page.
    Row(TableRow, usize),
    Furniture(Line),
}
