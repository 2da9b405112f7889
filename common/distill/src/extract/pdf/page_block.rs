//! A page on its way from rows to leaves.

use super::line::Line;
use super::paragraphs::Paragraph;
use super::rows::SegmentRow;
use super::table::TableRow;

/// The rows of a page: the direction most of the text is written in, and the others in the order they were first drawn.
#[derive(Debug, Default)]
pub(super) struct PageRows {
    pub(super) main: Vec<SegmentRow>,
    pub(super) turned: Vec<Vec<SegmentRow>>,
}

/// A piece of a page that is one leaf of its text, before it is known what kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PageBlock {
    Paragraph(Paragraph),
    /// A row of the page's table of this number.
    Row(TableRow, usize),
    Furniture(Line),
}
