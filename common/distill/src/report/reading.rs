//! A finished report as its reader sees it: blocks of plain text with the citations that stand in them.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::glyph::{Glyph, bracketed, options, push_text};

/// A paragraph, heading, list item's text or table cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// Whether it is a heading.
    pub is_heading: bool,
    /// Whether it is a cell of a table.
    pub is_cell: bool,
    /// Its text without citations.
    pub text: String,
    /// Where in `text` (bytes) which citation stands.
    pub cites: Vec<(usize, u32)>,
}

/// The blocks of `markdown` in order; code blocks are left out.
#[must_use]
pub fn blocks(markdown: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut row = Vec::new();
    let mut code = false;
    for (event, range) in Parser::new_ext(markdown, options()).into_offset_iter() {
        match event {
            Event::Text(text) if !code => push_text(&mut row, markdown, &range, &text),
            Event::Code(text) => row.extend(text.chars().map(Glyph::Char)),
            Event::SoftBreak | Event::HardBreak => row.push(Glyph::Char(' ')),
            Event::End(TagEnd::Heading(_)) => {
                end(&mut row, &mut found, Block { is_heading: true, ..Block::default() });
            }
            Event::End(TagEnd::TableCell) => end(&mut row, &mut found, Block { is_cell: true, ..Block::default() }),
            Event::Start(tag) => {
                code |= matches!(tag, Tag::CodeBlock(_));
                if !is_inline(&tag.to_end()) {
                    end(&mut row, &mut found, Block::default());
                }
            }
            Event::End(tag) => {
                code &= tag != TagEnd::CodeBlock;
                if !is_inline(&tag) {
                    end(&mut row, &mut found, Block::default());
                }
            }
            _ => {}
        }
    }
    end(&mut row, &mut found, Block::default());
    found
}

fn is_inline(tag: &TagEnd) -> bool {
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// Ends the text of `block`, which is empty so far.
fn end(row: &mut Vec<Glyph>, found: &mut Vec<Block>, mut block: Block) {
    let row = std::mem::take(row);
    let mut at = 0;
    while at < row.len() {
        let number = bracketed(&row[at..])
            .filter(|b| b.numbers.len() == 1)
            .and_then(|b| Some((b.numbers[0].parse().ok()?, b.len)));
        if let Some((n, len)) = number {
            block.cites.push((block.text.len(), n));
            at += len;
            continue;
        }
        match &row[at] {
            Glyph::Char(c) => block.text.push(*c),
            Glyph::Open => block.text.push('['),
            Glyph::Close => block.text.push(']'),
            Glyph::MarkupStart(_) | Glyph::MarkupEnd(_) | Glyph::Code(_) | Glyph::Break | Glyph::Cite(_) => {}
        }
        at += 1;
    }
    if !block.text.trim().is_empty() || !block.cites.is_empty() {
        found.push(block);
    }
}
