//! Passages that cover a text from its beginning to its end: as chunks, or as whole blocks.

use std::collections::BTreeMap;

use precis_proto::finding::{Passage, Unit};
use precis_proto::{Block, BlockKind, CharRange, SourceId};
use precis_text::CanonicalText;
use precis_text::chunk::{chunks, snippet};
use precis_text::heading_paths::HeadingPaths;

use super::context::PassageContext;
use super::units::{MAX_UNIT_CHARS, columns, depth, head_end, units_of};
use crate::needs::Needs;
use crate::ranking::RankedChunk;

/// Characters up to which blocks are added to a passage of [`whole_blocks`]. Chosen: two or three paragraphs, so that one citation names a
/// place that a reader finds.
pub const WHOLE_BLOCKS_CHARS: usize = 1_200;
/// Longest block that is never parted, in characters. Chosen: a page of running text.
pub const LONG_BLOCK_CHARS: usize = 3_000;

/// Covers `text` with passages in order, each about as long as a chunk: no sentence is cut, and only white space between passages is
/// left out. `ranked` are the chunks that match the question; all others score 0.
#[must_use]
pub fn cover(
    source_id: &SourceId,
    text: &CanonicalText,
    evidence_max_chars: usize,
    ranked: &[RankedChunk],
) -> Vec<Passage> {
    let scores: BTreeMap<usize, f64> = ranked.iter().map(|chunk| (chunk.range.start, chunk.score)).collect();
    let score = |chunk| scores.get(&snippet(text, chunk).start).copied().unwrap_or(0.0);
    let parts: Vec<(CharRange, f64)> =
        chunks(text, evidence_max_chars).iter().map(|chunk| (chunk.range, score(chunk))).collect();
    cover_parts(source_id, text, &parts, units_of)
}

/// Covers `text` with passages of whole blocks in order, as a writer reads them: a heading begins one, and blocks are added up to
/// [`WHOLE_BLOCKS_CHARS`]; only a block longer than [`LONG_BLOCK_CHARS`] is parted between sentences. Code may be quoted as a block. A
/// passage has the best score of the chunks `ranked` that it touches; all others score 0.
#[must_use]
pub fn whole_blocks(source_id: &SourceId, text: &CanonicalText, ranked: &[RankedChunk]) -> Vec<Passage> {
    let mut parts: Vec<(CharRange, f64)> = groups(text).into_iter().map(|range| (range, 0.0)).collect();
    for chunk in ranked {
        let first = parts.partition_point(|(range, _)| range.end <= chunk.range.start);
        let touched = parts[first..].iter_mut().take_while(|(range, _)| range.start < chunk.range.end);
        touched.for_each(|(_, score)| *score = score.max(chunk.score));
    }
    cover_parts(source_id, text, &parts, quotable_units)
}

/// The ranges of [`whole_blocks`]; together they are the text, apart from what is between pages.
fn groups(text: &CanonicalText) -> Vec<CharRange> {
    let mut groups: Vec<CharRange> = Vec::new();
    let mut after_heading = false;
    for block in text.leaf_blocks().iter().filter(|block| block.start < block.end) {
        let is_heading = block.kind == BlockKind::Heading;
        let parts = match block.range().len() > LONG_BLOCK_CHARS {
            true => units_of(text, block),
            false => Vec::new(),
        };
        let mut starts: Vec<usize> = parts.iter().map(|unit| unit.start).collect();
        starts.retain(|start| *start > block.start);
        let ends = starts.iter().copied().chain([block.end]);
        let mut from = block.start;
        for end in ends {
            let joins = |last: &&mut CharRange| {
                let begins = is_heading && !after_heading;
                !begins && text.page_of(last.start) == text.page_of(from) && end - last.start <= WHOLE_BLOCKS_CHARS
            };
            match groups.last_mut().filter(joins) {
                Some(last) => last.end = end,
                None => groups.push(CharRange::new(from, end)),
            }
            from = end;
        }
        after_heading = is_heading;
    }
    groups
}

/// The units of `block`, or the whole block if it is code of which no sentence may be quoted.
fn quotable_units(text: &CanonicalText, block: &Block) -> Vec<CharRange> {
    let units = units_of(text, block);
    let is_code = block.kind == BlockKind::Code && !block.goes_on && !block.begun_before;
    match units.is_empty() && is_code && block.range().len() <= MAX_UNIT_CHARS {
        true => vec![block.range()],
        false => units,
    }
}

/// Passages of the ranges `parts` with their scores, each widened to the end of the sentence that it cuts.
fn cover_parts(
    source_id: &SourceId,
    text: &CanonicalText,
    parts: &[(CharRange, f64)],
    units_of: fn(&CanonicalText, &Block) -> Vec<CharRange>,
) -> Vec<Passage> {
    let blocks = text.leaf_blocks();
    let mut units: Vec<(CharRange, usize)> = Vec::new();
    for (n, block) in blocks.iter().enumerate() {
        units.extend(units_of(text, block).into_iter().filter(|unit| !unit.is_empty()).map(|unit| (unit, n)));
    }
    let paths = HeadingPaths::new(&blocks);
    let mut passages = Vec::new();
    let mut needs = Needs::new(text, &blocks);
    let (mut start, mut next_unit) = (0, 0);
    for (part, score) in parts {
        let first = next_unit;
        let mut end = part.end.max(start);
        while let Some((unit, _)) = units.get(next_unit).filter(|(unit, _)| unit.start < end) {
            // A sentence belongs to the part in which it begins.
            end = end.max(unit.end);
            next_unit += 1;
        }
        let range = trim(text, CharRange::new(start.max(part.start), end));
        start = end;
        if range.is_empty() {
            continue;
        }
        let mut context = PassageContext::default();
        let mut of_block = |(unit, block): &(CharRange, usize)| Unit {
            start: unit.start - range.start,
            end: unit.end - range.start,
            block: u32::try_from(*block - units[first].1).unwrap_or(u32::MAX),
            kind: blocks[*block].kind,
            head_end: head_end(&blocks[*block], *unit).map(|end| end - range.start),
            depth: depth(&blocks, &paths, *block),
            place: blocks[*block].unseen_place(),
            recognized: blocks[*block].recognized.clone(),
            ..context.unit(text, *unit, needs.of(*block, *unit))
        };
        let above = blocks.partition_point(|block| block.end <= range.start);
        passages.push(Passage {
            source_id: source_id.clone(),
            range,
            locator: text.locator(range),
            text: text.slice(range).to_owned(),
            score: *score,
            units: units[first..next_unit].iter().map(&mut of_block).collect(),
            headings: paths.names(text, above),
            columns: columns(text, &blocks, above, range),
            context: context.ranges,
        });
    }
    passages
}

/// `range` without the white space at its ends.
fn trim(text: &CanonicalText, range: CharRange) -> CharRange {
    let inside = text.slice(range);
    let before = inside.chars().take_while(|c| c.is_whitespace()).count();
    if before == range.len() {
        return CharRange::new(range.start, range.start);
    }
    let behind = inside.chars().rev().take_while(|c| c.is_whitespace()).count();
    CharRange::new(range.start + before, range.end - behind)
}
