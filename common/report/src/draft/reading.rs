//! Splits a finished report into blocks of plain text with their citations, as a reader sees it.

use precis_text::table_fill;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::inline::{Inline, bracketed_numbers, options, push_text};

/// A paragraph, heading, list item's text or table cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadingBlock {
    /// Whether it is a heading.
    pub is_heading: bool,
    /// Whether it is a cell of a table.
    pub is_cell: bool,
    /// Its text without citations.
    pub text: String,
    /// Byte positions of the citations in `text`, with their numbers.
    pub cites: Vec<(usize, u32)>,
}

/// The blocks of `markdown` in order; code blocks are left out.
#[must_use]
pub fn blocks(markdown: &str) -> Vec<ReadingBlock> {
    let bounded = table_fill::limit_tables(markdown);
    let markdown = &*bounded;
    let mut found = Vec::new();
    let mut row = Vec::new();
    let mut code = false;
    for (event, range) in Parser::new_ext(markdown, options()).into_offset_iter() {
        match event {
            Event::Text(text) if !code => push_text(&mut row, markdown, &range, &text),
            Event::Code(text) => row.extend(text.chars().map(Inline::Char)),
            Event::SoftBreak | Event::HardBreak => row.push(Inline::Char(' ')),
            Event::End(TagEnd::Heading(_)) => {
                end(&mut row, &mut found, ReadingBlock { is_heading: true, ..ReadingBlock::default() });
            }
            Event::End(TagEnd::TableCell) => {
                end(&mut row, &mut found, ReadingBlock { is_cell: true, ..ReadingBlock::default() })
            }
            Event::Start(tag) => {
                code |= matches!(tag, Tag::CodeBlock(_));
                if !is_inline(&tag.to_end()) {
                    end(&mut row, &mut found, ReadingBlock::default());
                }
            }
            Event::End(tag) => {
                code &= tag != TagEnd::CodeBlock;
                if !is_inline(&tag) {
                    end(&mut row, &mut found, ReadingBlock::default());
                }
            }
            _ => {}
        }
    }
    end(&mut row, &mut found, ReadingBlock::default());
    found
}

fn is_inline(tag: &TagEnd) -> bool {
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// Ends the text of `block` and adds it, unless it has neither text nor citations.
fn end(row: &mut Vec<Inline>, found: &mut Vec<ReadingBlock>, mut block: ReadingBlock) {
    let row = std::mem::take(row);
    let mut at = 0;
    while at < row.len() {
        let number = bracketed_numbers(&row[at..])
            .filter(|b| b.numbers.len() == 1)
            .and_then(|b| Some((b.numbers[0].parse().ok()?, b.len)));
        if let Some((n, len)) = number {
            block.cites.push((block.text.len(), n));
            at += len;
            continue;
        }
        match &row[at] {
            Inline::Char(c) => block.text.push(*c),
            Inline::Open => block.text.push('['),
            Inline::Close => block.text.push(']'),
            Inline::MarkupStart(_) | Inline::MarkupEnd(_) | Inline::Code(_) | Inline::Break | Inline::Cite(_) => {}
        }
        at += 1;
    }
    if !block.text.trim().is_empty() || !block.cites.is_empty() {
        found.push(block);
    }
}
