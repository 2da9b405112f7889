//! [`Leaf`]: a block as found by a parser; and the layout of leaves as canonical text with blocks.
//!
//! The text equals the normalized leaves joined by white space, so the structure changes no byte of it.

use std::ops::Range;

use precis_proto::block::{BlockLink, MAX_BLOCKS, MAX_LINKS};
use precis_proto::{Block, BlockKind, CharRange, CodeLine, FieldPlace, Recognition};

use super::{code_lines, normalize};

/// A leaf block before its text is normalized.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leaf {
    /// Its kind.
    pub kind: BlockKind,
    /// Its text, with any white space. A leaf without words gives no block.
    pub text: String,
    /// Level of a heading, depth of a list item; from 1.
    pub level: Option<u8>,
    /// Number or bullet of a list item, as shown in the document.
    pub marker: Option<String>,
    /// The table of a row: adjacent rows with the same number form one table.
    pub table: Option<u32>,
    /// Whether the row is a header row.
    pub is_header: bool,
    /// Cells of a row: byte ranges of `text`, in order, separated by white space only.
    pub cells: Vec<Range<usize>>,
    /// Whether its first sentence began in an earlier leaf.
    pub begun_before: bool,
    /// Whether its last sentence continues in a later leaf.
    pub goes_on: bool,
    /// Where the document has a header field.
    pub place: Option<FieldPlace>,
    /// Whether words of it are struck out, and so not in its text.
    pub is_struck: bool,
    /// Whether a control of the document opens it, and it is closed at first.
    pub is_collapsed: bool,
    /// Marks of the notes to which it leads, in order; they are not in its text.
    pub notes: Vec<String>,
    /// Its links to other documents, in order.
    pub links: Vec<BlockLink>,
    /// The lines of code ([`code_lines`](super::code_lines())), placed in its normalized text.
    pub lines: Vec<CodeLine>,
    /// What recognized it in a picture of its page.
    pub recognized: Option<Box<Recognition>>,
}

impl Leaf {
    /// Creates a leaf without attributes.
    #[must_use]
    pub fn new(kind: BlockKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), ..Self::default() }
    }

    /// Creates a table row; its text is the cells, one per line.
    #[must_use]
    pub fn row(table: u32, is_header: bool, texts: &[impl AsRef<str>]) -> Self {
        let mut row = Self { kind: BlockKind::TableRow, table: Some(table), is_header, ..Self::default() };
        for text in texts {
            if !row.text.is_empty() {
                row.text.push('\n');
            }
            let start = row.text.len();
            row.text.push_str(text.as_ref());
            row.cells.push(start..row.text.len());
        }
        row
    }
}

/// Writes runs of leaves one after the other and records the range of each leaf.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub(super) text: String,
    /// Characters of `text`.
    pub(super) chars: usize,
    pub(super) blocks: Vec<Block>,
    /// Number of blocks and cells so far.
    entries: usize,
    /// Number of links so far.
    links: usize,
}

impl Layout {
    /// Appends text that belongs to no block.
    pub(super) fn separator(&mut self, separator: &str) {
        self.push(separator);
    }

    /// Appends the normalized leaves, separated by single spaces; returns the characters of the run.
    pub(super) fn run(&mut self, leaves: &[Leaf]) -> CharRange {
        let start = self.chars;
        for leaf in leaves {
            self.leaf(leaf, start);
        }
        CharRange::new(start, self.chars)
    }

    fn leaf(&mut self, leaf: &Leaf, run_start: usize) {
        let pieces: Vec<String> = match leaf.cells.as_slice() {
            [] => vec![normalize(&leaf.text)],
            cells => cells.iter().map(|cell| normalize(leaf.text.get(cell.clone()).unwrap_or_default())).collect(),
        };
        if pieces.iter().all(String::is_empty) {
            return;
        }
        let places: Vec<CharRange> = pieces.iter().map(|piece| self.piece(piece, run_start)).collect();
        let written = |places: &[CharRange]| places.iter().find(|place| !place.is_empty()).map(|place| place.start);
        let range = CharRange::new(written(&places).unwrap_or(self.chars), self.chars);
        let cells = if leaf.cells.is_empty() { Vec::new() } else { clamp_cells(places, range) };
        let lines = leaf.lines.iter().map(|line| CodeLine { start: range.start + line.start, ..*line }).collect();
        let lines: Vec<CodeLine> = if code_lines::are_sound(&leaf.lines, 0, range.len()) { lines } else { Vec::new() };
        let links: Vec<BlockLink> = leaf.links.iter().take(MAX_LINKS - self.links).cloned().collect();
        self.links += links.len();
        self.block(
            Block {
                kind: leaf.kind,
                start: range.start,
                end: range.end,
                level: leaf.level,
                marker: leaf.marker.clone(),
                table: leaf.table,
                is_header: leaf.is_header,
                cells,
                begun_before: leaf.begun_before,
                goes_on: leaf.goes_on,
                place: leaf.place,
                is_struck: leaf.is_struck,
                is_collapsed: leaf.is_collapsed,
                notes: leaf.notes.clone(),
                links,
                lines,
                recognized: leaf.recognized.clone(),
            },
            run_start,
        );
    }

    /// Appends a piece of a leaf, behind a space unless it begins the run; returns its place, which is empty for an empty piece.
    fn piece(&mut self, piece: &str, run_start: usize) -> CharRange {
        if !piece.is_empty() && self.chars > run_start {
            self.push(" ");
        }
        let start = self.chars;
        self.push(piece);
        CharRange::new(start, self.chars)
    }

    /// Records a block of the text so far.
    fn block(&mut self, block: Block, run_start: usize) {
        self.entries += 1 + block.cells.len() + block.lines.len();
        // Beyond the limit further leaves extend the last block of the run, so the text stays complete and memory bounded.
        match self.blocks.last_mut().filter(|_| self.entries > MAX_BLOCKS) {
            Some(last) if last.start >= run_start => {
                (last.kind, last.end) = (BlockKind::Paragraph, block.end);
                last.lines = Vec::new();
            }
            _ => self.blocks.push(block),
        }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.chars += text.chars().count();
    }
}

/// Puts empty cells where the next cell begins, or at the end of the row, so that all cells lie within the row and in order.
fn clamp_cells(mut places: Vec<CharRange>, row: CharRange) -> Vec<CharRange> {
    let mut next = row.end;
    for place in places.iter_mut().rev() {
        match place.is_empty() {
            true => *place = CharRange::new(next, next),
            false => next = place.start,
        }
    }
    places
}

/// Whether `blocks` are in order, do not overlap and lie within `chars` characters, and the same holds for the cells of each.
pub(super) fn are_sound(blocks: &[Block], chars: usize) -> bool {
    is_run(blocks.iter().map(Block::range), CharRange::new(0, chars))
        && blocks.iter().all(|block| !block.range().is_empty() && is_run(block.cells.iter().copied(), block.range()))
        && blocks.iter().all(|block| code_lines::are_sound(&block.lines, block.start, block.end))
}

fn is_run(mut ranges: impl Iterator<Item = CharRange>, within: CharRange) -> bool {
    let mut at = within.start;
    ranges.all(|range| {
        let follows = at <= range.start && range.start <= range.end && range.end <= within.end;
        at = range.end;
        follows
    })
}

#[cfg(test)]
mod tests {
    use super::super::CanonicalText;
    use super::*;

    #[test]
    fn leaves_stand_where_their_words_stand() {
        let leaves = [
            Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, "  On\nthings ") },
            Leaf::new(BlockKind::Paragraph, " \n "),
            Leaf::row(1, true, &["Item", "", "Pri\u{301}ce "]),
            Leaf::new(BlockKind::Paragraph, "Last."),
        ];
        let text = CanonicalText::from_leaves(&leaves);
        assert_eq!(text.as_str(), "On things Item Pr\u{ed}ce Last.");
        let found: Vec<_> = text.blocks().iter().map(|b| (b.kind, text.slice(b.range()))).collect();
        assert_eq!(
            found,
            [
                (BlockKind::Heading, "On things"),
                (BlockKind::TableRow, "Item Pr\u{ed}ce"),
                (BlockKind::Paragraph, "Last.")
            ]
        );
        let cells: Vec<_> = text.blocks()[1].cells.iter().map(|c| text.slice(*c)).collect();
        assert_eq!(cells, ["Item", "", "Pr\u{ed}ce"]);
    }

    #[test]
    fn blocks_of_pages_count_from_the_start_of_the_text() {
        let page = |text: &str| vec![Leaf::new(BlockKind::Paragraph, text), Leaf::new(BlockKind::Footnote, "b")];
        let text = CanonicalText::from_leaf_pages(&[page("a"), Vec::new(), page("é")]);
        assert_eq!(text.pages().len(), 3);
        let found: Vec<_> = text.blocks().iter().map(|b| text.slice(b.range())).collect();
        assert_eq!(found, ["a", "b", "é", "b"]);
    }

    #[test]
    fn blocks_beyond_the_limit_are_part_of_the_last() {
        for (leaves, blocks) in
            [(MAX_BLOCKS - 1, MAX_BLOCKS - 1), (MAX_BLOCKS, MAX_BLOCKS), (MAX_BLOCKS + 1, MAX_BLOCKS)]
        {
            let text = CanonicalText::from_leaves(&vec![Leaf::new(BlockKind::ListItem, "x"); leaves]);
            assert_eq!(text.blocks().len(), blocks, "{leaves}");
            assert_eq!(text.blocks().last().expect("some").end, text.chars());
        }
    }
}
