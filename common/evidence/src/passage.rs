//! Passages: chunks widened to whole sentences, with the units that may be quoted.
//!
//! A chunk may be cut anywhere, a quote may not. So a passage begins and ends with a sentence of its block and carries its units: whole
//! sentences, rows and headings, each within one block. Choosing the chunks is done elsewhere.

mod context;
mod cover;
mod units;

use std::collections::BTreeMap;

use precis_proto::finding::{Passage, Unit};
use precis_proto::{Block, CharRange, SourceId};
use precis_text::CanonicalText;
use precis_text::heading_paths::HeadingPaths;

use crate::needs::Needs;
use crate::ranking::RankedChunk;

pub use context::{context_of, needed_context};
pub use cover::{LONG_BLOCK_CHARS, WHOLE_BLOCKS_CHARS, cover, whole_blocks};

use context::PassageContext;
use units::{columns, depth, head_end, units_of};

/// Longest paragraph that is shown as a whole around a sentence of it, in characters; about eight lines. Chosen, not measured.
pub const PARAGRAPH_CHARS: usize = 450;

/// The passages of `chunks`, in order. A chunk without a whole sentence stays as it is and has no units to quote.
#[must_use]
pub fn passages(source_id: &SourceId, text: &CanonicalText, chunks: &[RankedChunk]) -> Vec<Passage> {
    let blocks = text.leaf_blocks();
    // One block may be the whole text: its sentences are found once, not once per chunk.
    let mut known: BTreeMap<usize, Vec<CharRange>> = BTreeMap::new();
    let paths = HeadingPaths::new(&blocks);
    let mut needs = Needs::new(text, &blocks);
    chunks.iter().map(|chunk| passage(source_id, text, (&blocks, &paths), (&mut known, &mut needs), chunk)).collect()
}

fn passage(
    source_id: &SourceId,
    text: &CanonicalText,
    (blocks, paths): (&[Block], &HeadingPaths<'_>),
    (known, needs): (&mut BTreeMap<usize, Vec<CharRange>>, &mut Needs<'_>),
    chunk: &RankedChunk,
) -> Passage {
    let first = blocks.partition_point(|block| block.end <= chunk.range.start);
    let touched = blocks[first..].iter().take_while(|block| block.start < chunk.range.end);
    let mut units: Vec<(CharRange, u32, usize)> = Vec::new();
    for ((n, place), block) in (0_u32..).zip(first..).zip(touched) {
        let all = known.entry(place).or_insert_with(|| units_of(text, block));
        let from = all.partition_point(|unit| unit.end <= chunk.range.start);
        let near = all[from..].iter().take_while(|unit| unit.start < chunk.range.end);
        units.extend(near.filter(|unit| belongs(**unit, chunk.range)).map(|unit| (*unit, n, place)));
    }
    extend(text, blocks, first, known, &mut units);
    // A heading that the chunk cuts is above the first unit, but not before the chunk.
    let beginning = units.first().map_or(first, |(.., place)| *place);
    let starts = units.iter().map(|(unit, ..)| unit.start).chain(units.is_empty().then_some(chunk.range.start));
    let ends = units.iter().map(|(unit, ..)| unit.end).chain(units.is_empty().then_some(chunk.range.end));
    let range = CharRange::new(starts.min().unwrap_or_default(), ends.max().unwrap_or_default());
    let mut context = PassageContext::default();
    let mut relative = |(unit, n, place): (CharRange, u32, usize)| Unit {
        start: unit.start - range.start,
        end: unit.end - range.start,
        block: n,
        kind: blocks[place].kind,
        head_end: head_end(&blocks[place], unit).map(|end| end - range.start),
        depth: depth(blocks, paths, place),
        place: blocks[place].unseen_place(),
        recognized: blocks[place].recognized.clone(),
        ..context.unit(text, unit, needs.of(place, unit))
    };
    Passage {
        source_id: source_id.clone(),
        range,
        locator: text.locator(range),
        text: text.slice(range).to_owned(),
        score: chunk.score,
        units: units.into_iter().map(&mut relative).collect(),
        headings: paths.names(text, beginning),
        columns: columns(text, blocks, first, chunk.range),
        context: context.ranges,
    }
}

/// Adds the other sentences of the paragraphs at both ends, as far as a paragraph stays short enough to be read as a whole.
fn extend(
    text: &CanonicalText,
    blocks: &[Block],
    first: usize,
    known: &BTreeMap<usize, Vec<CharRange>>,
    units: &mut Vec<(CharRange, u32, usize)>,
) {
    let (Some(head), Some(tail)) = (units.first().copied(), units.last().copied()) else { return };
    let whole = |place: usize| {
        let block = &blocks[place];
        (block.range().len() <= PARAGRAPH_CHARS)
            .then(|| known.get(&place))
            .flatten()
            .filter(|_| !text.slice(block.range()).is_empty())
    };
    let number = |place: usize| u32::try_from(place - first).unwrap_or(u32::MAX);
    let before = whole(head.2).into_iter().flatten().filter(|unit| unit.end <= head.0.start);
    let before: Vec<_> = before.map(|unit| (*unit, number(head.2), head.2)).collect();
    let behind = whole(tail.2).into_iter().flatten().filter(|unit| tail.0.end <= unit.start);
    let behind: Vec<_> = behind.map(|unit| (*unit, number(tail.2), tail.2)).collect();
    units.splice(0..0, before);
    units.extend(behind);
}

/// Whether `unit` belongs to `chunk`: it begins in the chunk, or at least half of it lies there.
fn belongs(unit: CharRange, chunk: CharRange) -> bool {
    let shared = unit.end.min(chunk.end).saturating_sub(unit.start.max(chunk.start));
    let begins = chunk.start <= unit.start && unit.start < chunk.end;
    begins || (shared > 0 && shared * 2 >= unit.len())
}

#[cfg(test)]
mod tests;
