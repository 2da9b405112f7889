//! A reader of a new format: Gemtext, the pages of the Gemini protocol, as canonical text with blocks.
//!
//! `cargo run -p precis-tests --example format_reader`. A reader turns the bytes of a document into leaves, one for each heading, item or
//! paragraph, in the order of the document. `CanonicalText` makes of them the text that is quoted, and knows where each block lies. How a
//! reader becomes part of the program: CONTRIBUTING.md, "A document format".

#![allow(clippy::disallowed_macros, reason = "an example prints")]

use std::error::Error;

use precis_proto::{BlockKind, CharRange};
use precis_text::{CanonicalText, Leaf, code_lines, normalize};

/// The leaves of a Gemtext page: one for each line, except that lines between two fences are one block of code.
fn leaves(source: &str) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    // The lines of the fenced text that is open.
    let mut fenced: Option<Vec<&str>> = None;
    for line in source.lines() {
        match (&mut fenced, line.starts_with("```")) {
            (None, true) => fenced = Some(Vec::new()),
            (Some(_), true) => leaves.extend(fenced.take().map(|lines| code(&lines))),
            (Some(lines), false) => lines.push(line),
            (None, false) => leaves.extend(leaf(line)),
        }
    }
    // Nothing disappears: a fence that is never closed ends with the page.
    leaves.extend(fenced.map(|lines| code(&lines)));
    leaves
}

fn code(lines: &[&str]) -> Leaf {
    let typed = lines.join("\n");
    Leaf { lines: code_lines(&typed), ..Leaf::new(BlockKind::Code, normalize(&typed)) }
}

/// The leaf of a line; `None` if it says nothing. Markup is not text: it could be quoted otherwise.
fn leaf(line: &str) -> Option<Leaf> {
    let marks = line.bytes().take_while(|byte| *byte == b'#').count();
    let (kind, level, text) = match line.split_once(' ').unwrap_or((line, "")) {
        ("=>", link) => {
            (BlockKind::Paragraph, None, link.trim().split_once(char::is_whitespace).map_or(link, |(_, name)| name))
        }
        ("*", item) => (BlockKind::ListItem, Some(1), item),
        _ if line.starts_with('>') => (BlockKind::Quotation, None, &line[1..]),
        _ if (1..=3).contains(&marks) => (BlockKind::Heading, u8::try_from(marks).ok(), &line[marks..]),
        _ => (BlockKind::Paragraph, None, line),
    };
    let text = normalize(text);
    (!text.is_empty()).then(|| Leaf { level, ..Leaf::new(kind, text) })
}

const PAGE: &str = "# The tide\n\nLow water is at six.\n* Bring boots.\n> Never alone.\n=> gemini://tide.example/log The log\n```\n06:00  0.4 m\n```\n";

/// Reads a page, prints its blocks, and finds a quote again by its place.
pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let text = CanonicalText::from_leaves(&leaves(PAGE));
    for block in text.blocks() {
        println!("{:?}: {}", block.kind, text.slice(CharRange { start: block.start, end: block.end }));
    }
    let kinds: Vec<BlockKind> = text.blocks().iter().map(|block| block.kind).collect();
    let (heading, paragraph) = (BlockKind::Heading, BlockKind::Paragraph);
    let expected = [heading, paragraph, BlockKind::ListItem, BlockKind::Quotation, paragraph, BlockKind::Code];
    if kinds != expected
        || text.as_str() != "The tide Low water is at six. Bring boots. Never alone. The log 06:00 0.4 m"
    {
        return Err(format!("read as {kinds:?}: {}", text.as_str()).into());
    }
    let block = &text.blocks()[1];
    let place = text.locator(CharRange { start: block.start, end: block.end });
    println!("{place}: {}", text.resolve(&place).map_or("nothing", |found| text.slice(found)));
    Ok(())
}
