//! The lead-ins of a block: the sentence that announces its list, of each list that it is in, its table, or the block itself.

use std::collections::HashMap;

use precis_language::limiting::limits;
use precis_proto::quote_context::ContextRole;
use precis_proto::{BlockKind, CharRange};
use precis_text::sentences;

use super::blocks::{Blocks, MOST_CHARS, NeededRange};
use super::enumerator::{self, Enumerator};

/// The lead-ins of each item, by its index. Those of an item are those of the item before it in the same list, so that a list of thousands
/// is read once.
#[derive(Debug, Default)]
pub(super) struct LeadIns {
    known: HashMap<usize, Vec<NeededRange>>,
}

/// Most blocks between an item and the one before it in its list: nested items, code, further paragraphs. Chosen, not measured.
const MOST_BETWEEN: usize = 60;

impl LeadIns {
    /// The lead-ins of the block at `at`, outermost first.
    pub(super) fn of(&mut self, blocks: Blocks<'_>, at: usize) -> Vec<NeededRange> {
        // Not by recursion: a list may be longer than the stack is deep.
        let mut chain = vec![at];
        let mut found = loop {
            let last = chain[chain.len() - 1];
            if let Some(known) = self.known.get(&last) {
                break known.clone();
            }
            match above(blocks, last) {
                Above::Sibling(other) => chain.push(other),
                Above::Parent(parent, lead_in) => {
                    let mut found = self.of(blocks, parent);
                    found.extend(lead_in);
                    break found;
                }
                Above::None => break Vec::new(),
            }
        };
        found.dedup();
        chain.into_iter().for_each(|one| drop(self.known.insert(one, found.clone())));
        found
    }
}

/// What is above a block.
enum Above {
    /// The block before it in the same list or table.
    Sibling(usize),
    /// The block that announces it, with the lead-in.
    Parent(usize, Option<NeededRange>),
    None,
}

fn above(blocks: Blocks<'_>, at: usize) -> Above {
    let own = &blocks.all[at];
    if own.kind == BlockKind::TableRow {
        return above_row(blocks, at);
    }
    match enumerator::of(own, blocks.text_at(at)) {
        Some(Enumerator::Depth(depth)) => above_item(blocks, at, depth),
        Some(mark) => above_marked(blocks, at, mark),
        None => announcement(blocks, at, true),
    }
}

fn above_item(blocks: Blocks<'_>, at: usize, depth: u8) -> Above {
    for other in (at.saturating_sub(MOST_BETWEEN)..at).rev() {
        let block = &blocks.all[other];
        match block.kind {
            BlockKind::ListItem => match block.level.unwrap_or(1) {
                level if level > depth => {}
                level if level < depth => return parent(blocks, other, false),
                _ => return Above::Sibling(other),
            },
            BlockKind::Code | BlockKind::Furniture | BlockKind::Footnote | BlockKind::Caption => {}
            BlockKind::TableRow | BlockKind::Quotation if other + 1 < at => {}
            BlockKind::Heading
            | BlockKind::Paragraph
            | BlockKind::TableRow
            | BlockKind::Quotation
            | BlockKind::FormField
            | BlockKind::Field
            | BlockKind::Reference => return parent(blocks, other, false),
        }
    }
    Above::None
}

fn above_marked(blocks: Blocks<'_>, at: usize, mark: Enumerator) -> Above {
    // What announces a list stands right before its first item: further up, it announced another list, which has ended.
    let mut is_next = true;
    for other in (at.saturating_sub(MOST_BETWEEN)..at).rev() {
        let block = &blocks.all[other];
        let own = enumerator::of(block, blocks.text_at(other));
        match block.kind {
            _ if own == Some(mark) => return Above::Sibling(other),
            BlockKind::Heading => return Above::None,
            BlockKind::Paragraph | BlockKind::ListItem | BlockKind::FormField | BlockKind::Quotation => {
                match parent(blocks, other, true) {
                    Above::Parent(parent, Some(lead_in)) if is_next => return Above::Parent(parent, Some(lead_in)),
                    // A paragraph without a mark ends the list; one with another mark is a list within it.
                    _ if own.is_none() => return Above::None,
                    _ => is_next = false,
                }
            }
            BlockKind::TableRow
            | BlockKind::Code
            | BlockKind::Caption
            | BlockKind::Field
            | BlockKind::Footnote
            | BlockKind::Furniture
            | BlockKind::Reference => {}
        }
    }
    Above::None
}

fn above_row(blocks: Blocks<'_>, at: usize) -> Above {
    match blocks.before(at) {
        Some(other) if blocks.all[other].table == blocks.all[at].table => Above::Sibling(other),
        Some(other) if blocks.all[other].kind == BlockKind::Caption => {
            let limit = Some(blocks.all[other].range()).filter(|_| limits(blocks.text_at(other)));
            match announcement(blocks, other, false) {
                Above::Parent(parent, lead_in) => Above::Parent(parent, lead_in),
                _ => Above::Parent(other, limit.map(|range| NeededRange::new(ContextRole::LeadIn, range))),
            }
        }
        Some(_) => announcement(blocks, at, false),
        None => Above::None,
    }
}

/// What announces a block that is no item: the block right before it, if that ends with a colon.
fn announcement(blocks: Blocks<'_>, at: usize, with_colon: bool) -> Above {
    match blocks.before(at) {
        Some(other) if blocks.all[other].kind != BlockKind::Heading => match parent(blocks, other, with_colon) {
            Above::Parent(_, None) => Above::None,
            other => other,
        },
        _ => Above::None,
    }
}

/// The block at `at` as what announces another one. Its own lead-ins belong to it only if it announces something.
fn parent(blocks: Blocks<'_>, at: usize, with_colon: bool) -> Above {
    let block = &blocks.all[at];
    match block.kind {
        BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Quotation | BlockKind::FormField => {}
        BlockKind::Heading
        | BlockKind::TableRow
        | BlockKind::Code
        | BlockKind::Caption
        | BlockKind::Field
        | BlockKind::Footnote
        | BlockKind::Furniture
        | BlockKind::Reference => return Above::None,
    }
    let Some(range) = last_sentence(blocks, at) else { return Above::None };
    let said = blocks.text.slice(range);
    let is_item = block.kind == BlockKind::ListItem && !with_colon;
    let announces = if with_colon { ends_in_colon(said) } else { is_item || announces(said) };
    if !announces {
        return Above::None;
    }
    let start = limit_before(blocks, at, range).map_or(range.start, |before| before.start);
    Above::Parent(at, Some(NeededRange::new(ContextRole::LeadIn, CharRange::new(start, range.end))))
}

/// The sentence before `lead_in` in its block if it limits what is said, and both together are short enough: "You must not use it outside.
/// This includes:".
pub(super) fn limit_before(blocks: Blocks<'_>, at: usize, lead_in: CharRange) -> Option<CharRange> {
    let start = blocks.all[at].start;
    let before = sentences::of_block(blocks.text_at(at)).into_iter().rfind(|one| start + one.end <= lead_in.start)?;
    let range = CharRange::new(start + before.start, start + before.end);
    let is_short = lead_in.end - range.start <= MOST_CHARS;
    (is_short && limits(blocks.text.slice(range))).then_some(range)
}

/// Whether a sentence in front of a list leads into it: it does not end as a sentence does, or limits what follows.
fn announces(sentence: &str) -> bool {
    !ends_sentence(sentence) || limits(sentence)
}

fn ends_sentence(sentence: &str) -> bool {
    sentence.trim_end().ends_with(['.', '。', '!', '！', '?', '？', '।', '؟'])
}

/// Whether a text ends with a colon, so that what it says is in the next block.
pub(super) fn ends_in_colon(text: &str) -> bool {
    text.trim_end().trim_end_matches(['*', '_']).ends_with([':', '：', '﹕'])
}

/// The last sentence of a block, whole if it is short enough.
pub(super) fn last_sentence(blocks: Blocks<'_>, at: usize) -> Option<CharRange> {
    let start = blocks.all[at].start;
    let last = sentences::of_block(blocks.text_at(at)).pop()?;
    let range = CharRange::new(start + last.start, start + last.end);
    (range.len() <= MOST_CHARS).then_some(range)
}
