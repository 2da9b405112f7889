//! What follows a unit that announces it: the items of its list, the rows of its table, or the next block.

use precis_proto::quote_context::ContextRole;
use precis_proto::{BlockKind, CharRange};

use super::blocks::{Blocks, NeededRange, is_read};
use super::enumerator::{self, Enumerator};
use super::lead_in::{ends_in_colon, last_sentence};

/// Most items that go with a lead-in, and most characters of them together. Chosen: a list that is read at a glance.
pub(crate) const MOST_ITEMS: usize = 12;
pub(crate) const ITEMS_CHARS: usize = 900;
/// The same for numbered steps, which are of no use in part.
pub(crate) const MOST_STEPS: usize = 25;
pub(crate) const STEPS_CHARS: usize = 2_400;

/// What a unit announces.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Items {
    pub(super) ranges: Vec<NeededRange>,
    /// Items behind these.
    pub(super) more: u32,
}

/// What `unit`, a unit of the block at `at`, announces; empty unless it is the end of its block and ends with a colon or leads into a list.
pub(super) fn of(blocks: Blocks<'_>, at: usize, unit: CharRange) -> Items {
    let block = &blocks.all[at];
    let is_end = blocks.text.slice(CharRange::new(unit.end, block.end.max(unit.end))).trim().is_empty();
    let has_colon = ends_in_colon(blocks.text.slice(unit));
    let is_lead_in =
        matches!(block.kind, BlockKind::Paragraph | BlockKind::ListItem | BlockKind::FormField | BlockKind::Quotation);
    let Some(first) = blocks.after(at).filter(|_| is_end && is_lead_in) else { return Items::default() };
    let own = enumerator::of(block, blocks.text_at(at));
    let kind = enumerator::of(&blocks.all[first], blocks.text_at(first));
    let opens_list = match (own, kind) {
        (Some(Enumerator::Depth(own)), Some(Enumerator::Depth(first))) => first > own,
        (_, Some(Enumerator::Depth(_))) => {
            has_colon || last_sentence(blocks, at).is_some_and(|last| leads(blocks, last))
        }
        (own, Some(mark)) => has_colon && own != Some(mark),
        (_, None) => false,
    };
    match kind {
        Some(kind) if opens_list => list_items(blocks, first, kind),
        _ if has_colon => next(blocks, first),
        _ => Items::default(),
    }
}

/// Whether a sentence in front of a list leads into it: it does not end.
fn leads(blocks: Blocks<'_>, sentence: CharRange) -> bool {
    !blocks.text.slice(sentence).trim_end().ends_with(['.', '。', '!', '！', '?', '？', '।', '؟'])
}

/// The items of the list that begins at `first`, with the items inside them.
fn list_items(blocks: Blocks<'_>, first: usize, kind: Enumerator) -> Items {
    let is_in = |at: &usize| {
        let block = &blocks.all[*at];
        match (enumerator::of(block, blocks.text_at(*at)), kind) {
            (Some(Enumerator::Depth(own)), Enumerator::Depth(first)) => own >= first,
            (Some(own), _) => own == kind,
            (None, _) => false,
        }
    };
    let is_skipped = |at: &usize| !is_read(blocks.all[*at].kind);
    let all: Vec<usize> =
        (first..blocks.all.len()).take_while(|at| is_in(at) || is_skipped(at)).filter(is_in).collect();
    let is_number = |mark: &str| mark.starts_with(|c: char| c.is_ascii_digit());
    let are_steps = kind == Enumerator::Number || blocks.all[first].marker.as_deref().is_some_and(is_number);
    let (most, chars) = if are_steps { (MOST_STEPS, STEPS_CHARS) } else { (MOST_ITEMS, ITEMS_CHARS) };
    let mut left = chars;
    let fits = |at: &&usize| {
        let own = blocks.all[**at].range().len();
        let fits = own <= left;
        left = left.saturating_sub(own);
        fits
    };
    let kept: Vec<usize> = all.iter().take(most).take_while(fits).copied().collect();
    let range = |at: &usize| NeededRange::new(ContextRole::Item, blocks.all[*at].range());
    Items { ranges: kept.iter().map(range).collect(), more: u32::try_from(all.len() - kept.len()).unwrap_or(u32::MAX) }
}

/// The other items of the list of the item at `at`; empty if it is no item, or one of a long list.
pub(super) fn siblings(blocks: Blocks<'_>, at: usize) -> Vec<NeededRange> {
    let Some(kind) = enumerator::of(&blocks.all[at], blocks.text_at(at)) else { return Vec::new() };
    let mark = |at: usize| enumerator::of(&blocks.all[at], blocks.text_at(at));
    let is_in = |at: usize| match (mark(at), kind) {
        (Some(Enumerator::Depth(own)), Enumerator::Depth(first)) => own >= first,
        (own, _) => own == Some(kind),
    };
    let mut first = at;
    while let Some(before) = first.checked_sub(1).filter(|before| is_in(*before)) {
        if at - before > MOST_STEPS {
            return Vec::new();
        }
        first = before;
    }
    let listed = list_items(blocks, first, kind);
    let is_short = listed.more == 0 && listed.ranges.len() > 1;
    let own = blocks.all[at].range();
    if is_short { listed.ranges.into_iter().filter(|one| one.range != own).collect() } else { Vec::new() }
}

/// The block behind a colon that is no list, whole, or its beginning if it is long; of a table its rows.
fn next(blocks: Blocks<'_>, first: usize) -> Items {
    let block = &blocks.all[first];
    match block.kind {
        BlockKind::TableRow => {
            let is_row = |at: &usize| blocks.all[*at].table == block.table;
            let rows: Vec<usize> = (first..blocks.all.len()).take_while(is_row).collect();
            let mut left = ITEMS_CHARS;
            let fits = |at: &&usize| {
                let own = blocks.all[**at].range().len();
                let fits = own <= left;
                left = left.saturating_sub(own);
                fits
            };
            let kept: Vec<usize> = rows.iter().take(MOST_ITEMS).take_while(fits).copied().collect();
            let range = |at: &usize| NeededRange::new(ContextRole::Item, blocks.all[*at].range());
            let more = u32::try_from(rows.len() - kept.len()).unwrap_or(u32::MAX);
            Items { ranges: kept.iter().map(range).collect(), more }
        }
        BlockKind::Heading | BlockKind::Furniture | BlockKind::Footnote | BlockKind::Field | BlockKind::Reference => {
            Items::default()
        }
        BlockKind::Paragraph
        | BlockKind::ListItem
        | BlockKind::Code
        | BlockKind::Caption
        | BlockKind::Quotation
        | BlockKind::FormField => {
            let sentences = precis_text::sentences::of_block(blocks.text_at(first));
            let end = match block.range().len() <= ITEMS_CHARS {
                true => block.end,
                false => {
                    block.start
                        + sentences.iter().map(|one| one.end).take_while(|end| *end <= ITEMS_CHARS).last().unwrap_or(0)
                }
            };
            let range = CharRange::new(block.start, end);
            let ranges = if range.is_empty() { Vec::new() } else { vec![NeededRange::new(ContextRole::Item, range)] };
            Items { ranges, more: 0 }
        }
    }
}
