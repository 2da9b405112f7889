//! The units of a block that may be quoted, and what the tables and headings around them are.

use precis_proto::{Block, BlockKind, CharRange};
use precis_text::heading_paths::HeadingPaths;
use precis_text::{CanonicalText, sentences};

/// Longest unit, in characters; a longer sentence is shown to models but never quoted. Chosen, not measured.
pub(super) const MAX_UNIT_CHARS: usize = 1_500;
/// Longest table row that is one unit, in characters; a longer one is split into sentences.
const MAX_ROW_CHARS: usize = 400;

/// The number of headings above a heading; `None` for any other block.
pub(super) fn depth(blocks: &[Block], paths: &HeadingPaths<'_>, at: usize) -> Option<u8> {
    let is_heading = blocks[at].kind == BlockKind::Heading;
    is_heading.then(|| u8::try_from(paths.depth(at)).unwrap_or(u8::MAX))
}

/// The end of the first cell of a row that is one unit.
pub(super) fn head_end(block: &Block, unit: CharRange) -> Option<usize> {
    block.cells.first().filter(|cell| unit == block.range() && cell.end <= unit.end).map(|cell| cell.end)
}

/// The units of `block`: its sentences, or the whole block if it is a row, a heading or a field.
pub(super) fn units_of(text: &CanonicalText, block: &Block) -> Vec<CharRange> {
    let is_one = match block.kind {
        BlockKind::TableRow | BlockKind::FormField | BlockKind::Field => block.range().len() <= MAX_ROW_CHARS,
        BlockKind::Heading => true,
        BlockKind::Furniture => return Vec::new(),
        BlockKind::Paragraph
        | BlockKind::ListItem
        | BlockKind::Code
        | BlockKind::Caption
        | BlockKind::Quotation
        | BlockKind::Footnote
        | BlockKind::Reference => false,
    };
    if is_one {
        return vec![block.range()];
    }
    let mut sentences = sentences::of_block(text.slice(block.range()));
    // A sentence without its beginning or end could say the opposite of the whole sentence.
    if block.goes_on {
        sentences.pop();
    }
    if block.begun_before && !sentences.is_empty() {
        sentences.remove(0);
    }
    sentences
        .into_iter()
        .map(|range| CharRange::new(block.start + range.start, block.start + range.end))
        .filter(|range| range.len() <= MAX_UNIT_CHARS)
        .collect()
}

/// The header rows of the tables that have rows up to the end of `within`, joined to one text.
pub(super) fn columns(text: &CanonicalText, blocks: &[Block], first: usize, within: CharRange) -> String {
    let touched = blocks[first..].iter().take_while(|block| block.start < within.end);
    let mut tables: Vec<u32> = touched.clone().filter_map(|block| block.table).collect();
    tables.dedup();
    let header = |table: &u32| {
        let is_of = |block: &&Block| block.table == Some(*table);
        let above = blocks[..first].iter().rev().take_while(is_of);
        touched.clone().filter(is_of).chain(above).find(|block| block.is_header)
    };
    let short = tables.iter().filter_map(header).filter(|header| header.range().len() <= MAX_ROW_CHARS);
    short.map(|header| text.slice(header.range())).collect::<Vec<_>>().join(" ")
}
