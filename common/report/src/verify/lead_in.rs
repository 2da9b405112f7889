//! The law of items: what is listed under words that deny, exclude, except or set a condition never stands without them.
//!
//! Reads the blocks by rules of its own, which share nothing with the code that chose the context. Only certain violations are reported:
//! items of lists, under the end of the paragraph above the list, under the item that holds the list, or under the heading of it.

use precis_language::limiting::limits;
use precis_proto::response::Citation;
use precis_proto::{Block, BlockKind, CharRange};
use precis_text::locate::place;

/// The characters of `text` that turn the meaning of the item at `block`, outermost last; empty unless that block is an item.
pub(super) fn turning(chars: &[char], blocks: &[Block], block: usize) -> Vec<CharRange> {
    let item = &blocks[block];
    let mut level = item.level.unwrap_or(1);
    let mut found = Vec::new();
    if item.kind != BlockKind::ListItem {
        return found;
    }
    for before in blocks[..block].iter().rev() {
        match before.kind {
            BlockKind::ListItem if before.level.unwrap_or(1) >= level => continue,
            BlockKind::ListItem => level = before.level.unwrap_or(1),
            BlockKind::Paragraph | BlockKind::Heading => {}
            BlockKind::TableRow
            | BlockKind::Code
            | BlockKind::Caption
            | BlockKind::Quotation
            | BlockKind::FormField
            | BlockKind::Field
            | BlockKind::Footnote
            | BlockKind::Furniture
            | BlockKind::Reference => break,
        }
        let last = last_sentence(chars, before);
        let is_open = before.kind == BlockKind::Heading || !ends_sentence(&chars[last.start..last.end]);
        if is_open && limits(&chars[last.start..last.end].iter().collect::<String>()) {
            found.push(last);
        }
        if before.kind != BlockKind::ListItem {
            break;
        }
    }
    found
}

/// The first of `turning` that no range of `citation` covers up to its end.
pub(super) fn missing(citation: &Citation, text: &str, turning: &[CharRange]) -> Option<CharRange> {
    let covered = |range: &precis_proto::quote_context::ContextRange| {
        let found = place(text, &range.locator)?;
        let start = text[..found.quote.start].chars().count();
        Some(CharRange::new(start, start + text[found.quote].chars().count()))
    };
    let covered: Vec<CharRange> = citation.context.iter().filter_map(covered).collect();
    turning.iter().find(|range| !covered.iter().any(|held| held.contains(range))).copied()
}

/// The characters of a block behind the last mark in it that ends a sentence and is followed by white space.
fn last_sentence(chars: &[char], block: &Block) -> CharRange {
    let inside = &chars[block.start.min(chars.len())..block.end.min(chars.len())];
    let ends =
        (1..inside.len().saturating_sub(1)).rev().find(|at| is_stop(inside[*at]) && inside[at + 1].is_whitespace());
    CharRange::new(block.start + ends.map_or(0, |at| at + 2), block.start + inside.len())
}

fn ends_sentence(sentence: &[char]) -> bool {
    sentence.iter().rev().find(|c| !c.is_whitespace()).is_none_or(|c| is_stop(*c))
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '।' | '؟')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_qualified_by_its_open_lead_in_or_heading() {
        let said = ["Fine", "All is well. Not covered:", "fire, if", "at night"];
        let kinds = [BlockKind::Heading, BlockKind::Paragraph, BlockKind::ListItem, BlockKind::ListItem];
        let (mut chars, mut blocks): (Vec<char>, Vec<Block>) = (Vec::new(), Vec::new());
        for (n, (text, kind)) in said.iter().zip(kinds).enumerate() {
            let start = chars.len();
            chars.extend(text.chars());
            let level = (kind == BlockKind::ListItem).then(|| u8::try_from(n).expect("small") - 1);
            blocks.push(Block { level, ..Block::new(kind, CharRange::new(start, chars.len())) });
            chars.push(' ');
        }
        let turns = |at: usize| -> Vec<String> {
            turning(&chars, &blocks, at).iter().map(|range| chars[range.start..range.end].iter().collect()).collect()
        };
        assert_eq!(turns(3), ["fire, if", "Not covered:"]);
        assert_eq!(turns(2), ["Not covered:"]);
        assert_eq!(turns(1), [""; 0]);
    }
}
