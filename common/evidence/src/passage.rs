//! Passages: chunks widened to whole sentences, with the units that may be quoted.
//!
//! A chunk may be cut anywhere, a quote may not. So a passage begins and ends with a sentence of its block and carries its units: whole
//! sentences, rows and headings, each within one block. Choosing the chunks is done elsewhere.

use std::collections::{BTreeMap, HashMap};

use precis_proto::finding::{Needed, Passage, Unit};
use precis_proto::quote_context::{ContextRange, ContextRole};
use precis_proto::{Block, BlockKind, CharRange, SourceId};
use precis_text::chunk::{chunks, snippet};
use precis_text::heading_paths::HeadingPaths;
use precis_text::{CanonicalText, sentences};

use crate::needs::{NeededRange, Needs, UnitNeeds};
use crate::ranking::RankedChunk;

/// Longest unit, in characters; a longer sentence is shown to models but never quoted. Chosen, not measured.
const MAX_UNIT_CHARS: usize = 1_500;
/// Longest table row that is one unit, in characters; a longer one is split into sentences.
const MAX_ROW_CHARS: usize = 400;

/// Characters up to which blocks are added to a passage of [`whole_blocks`]. Chosen: two or three paragraphs, so that one citation names a
/// place that a reader finds.
pub const WHOLE_BLOCKS_CHARS: usize = 1_200;
/// Longest block that is never parted, in characters. Chosen: a page of running text.
pub const LONG_BLOCK_CHARS: usize = 3_000;

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
    covered(source_id, text, &parts, units_of)
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
    covered(source_id, text, &parts, quotable_units)
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
fn covered(
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
        let range = trimmed(text, CharRange::new(start.max(part.start), end));
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
fn trimmed(text: &CanonicalText, range: CharRange) -> CharRange {
    let inside = text.slice(range);
    let before = inside.chars().take_while(|c| c.is_whitespace()).count();
    if before == range.len() {
        return CharRange::new(range.start, range.start);
    }
    let behind = inside.chars().rev().take_while(|c| c.is_whitespace()).count();
    CharRange::new(range.start + before, range.end - behind)
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

/// What a quote of the characters `range` of `text` needs beside itself, in the order of the text.
#[must_use]
pub fn context_of(text: &CanonicalText, range: CharRange) -> Vec<ContextRange> {
    let blocks = text.leaf_blocks();
    let mut needs = Needs::new(text, &blocks);
    let first = blocks.partition_point(|block| block.end <= range.start);
    let mut found: Vec<ContextRange> = Vec::new();
    for at in (first..blocks.len()).take_while(|at| blocks[*at].start < range.end) {
        let units =
            units_of(text, &blocks[at]).into_iter().filter(|unit| unit.start < range.end && range.start < unit.end);
        for needed in units.flat_map(|unit| needs.of(at, unit).ranges).collect::<Vec<_>>() {
            let at = needed.at.map(|at| at.saturating_sub(range.start));
            let context = ContextRange { at, ..needed.context(text) };
            let is_inside = range.contains(&needed.range) && needed.at.is_none();
            if !is_inside && !found.contains(&context) {
                found.push(context);
            }
        }
    }
    found
}

/// What the units in `span` of a passage need of its `context` beside themselves, in the order of the text.
#[must_use]
pub fn needed(passage: &str, context: &[ContextRange], units: &[Unit], span: CharRange) -> Vec<ContextRange> {
    let inside: String = passage.chars().skip(span.start).take(span.len()).collect();
    let mut found: Vec<ContextRange> = Vec::new();
    for unit in units.iter().filter(|unit| unit.start < span.end && span.start < unit.end) {
        for need in &unit.needs {
            let Some(range) = usize::try_from(need.of).ok().and_then(|of| context.get(of)) else { continue };
            let at = need.at.map(|at| (unit.start + at).saturating_sub(span.start));
            // A question within the quote is part of it.
            let is_inside = at.is_none() && !range.text.is_empty() && inside.contains(&range.text);
            if !is_inside && !found.iter().any(|known| known.locator == range.locator && known.at == at) {
                found.push(ContextRange { at, ..range.clone() });
            }
        }
    }
    found.sort_by_key(|range| (range.locator, range.at));
    found
}

/// The ranges that the units of a passage need, each once.
#[derive(Default)]
struct PassageContext {
    ranges: Vec<ContextRange>,
    known: HashMap<(ContextRole, CharRange), u32>,
}

impl PassageContext {
    /// A unit with what it needs, its place still open.
    fn unit(&mut self, text: &CanonicalText, unit: CharRange, needs: UnitNeeds) -> Unit {
        let ranges = needs.ranges.iter();
        let within = |at: usize| at.saturating_sub(unit.start);
        let needed = ranges.map(|one| Needed { of: self.index(text, one), at: one.at.map(within) }).collect();
        let list = needs.list.iter().map(|one| self.index(text, one)).collect();
        let open = Unit::new(unit, 0, BlockKind::Paragraph);
        Unit { needs: needed, list, more_items: needs.more_items, ..open }
    }

    fn index(&mut self, text: &CanonicalText, needed: &NeededRange) -> u32 {
        let next = u32::try_from(self.ranges.len()).unwrap_or(u32::MAX);
        let of = *self.known.entry((needed.role, needed.range)).or_insert(next);
        if of == next {
            self.ranges.push(needed.context(text));
        }
        of
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

/// The number of headings above a heading; `None` for any other block.
fn depth(blocks: &[Block], paths: &HeadingPaths<'_>, at: usize) -> Option<u8> {
    let is_heading = blocks[at].kind == BlockKind::Heading;
    is_heading.then(|| u8::try_from(paths.depth(at)).unwrap_or(u8::MAX))
}

/// The end of the first cell of a row that is one unit.
fn head_end(block: &Block, unit: CharRange) -> Option<usize> {
    block.cells.first().filter(|cell| unit == block.range() && cell.end <= unit.end).map(|cell| cell.end)
}

/// The units of `block`: its sentences, or the whole block if it is a row, a heading or a field.
fn units_of(text: &CanonicalText, block: &Block) -> Vec<CharRange> {
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
fn columns(text: &CanonicalText, blocks: &[Block], first: usize, within: CharRange) -> String {
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

#[cfg(test)]
mod tests {
    use precis_text::Leaf;

    use super::*;

    fn all(text: &CanonicalText) -> Vec<Passage> {
        let ranked: Vec<RankedChunk> = chunks(text, 400)
            .iter()
            .map(|chunk| {
                let range = precis_text::chunk::snippet(text, chunk);
                RankedChunk { range, locator: text.locator(range), text: text.slice(range).to_owned(), score: 0.5 }
            })
            .collect();
        passages(&SourceId::new("s").expect("an id"), text, &ranked)
    }

    fn quotes(passage: &Passage) -> Vec<String> {
        let slice = |unit: &Unit| passage.text.chars().skip(unit.start).take(unit.end - unit.start).collect();
        passage.units.iter().map(slice).collect()
    }

    #[test]
    fn a_sentence_that_a_chunk_cuts_is_whole_in_its_passage() {
        let long = format!("No member {} may leave. ", "of the old and large federation of states ".repeat(8));
        let text = CanonicalText::from_leaves(&[Leaf::new(BlockKind::Paragraph, long.repeat(4))]);
        let found = all(&text);
        assert!(found.len() > 2);
        for passage in &found {
            assert_eq!(text.slice(passage.range), passage.text);
            assert_eq!(text.resolve(&passage.locator), Some(passage.range));
            for quote in quotes(passage) {
                assert!(quote.starts_with("No member") && quote.ends_with("may leave."), "{quote}");
            }
        }
        assert!(found.iter().all(|passage| !passage.units.is_empty()));
    }

    #[test]
    fn a_cover_holds_every_character_once_and_cuts_no_sentence() {
        let pages =
            ["One. ".repeat(300), format!("A long one {}. Short. ", "goes on and on ".repeat(150)), "End".to_owned()];
        let leaves = [
            Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, "Doses") },
            Leaf::new(BlockKind::Paragraph, "The dose is nine grams a day for all who weigh enough. ".repeat(40)),
            Leaf::new(BlockKind::Furniture, "Page 3."),
            Leaf::new(BlockKind::Paragraph, "Never more. "),
        ];
        for text in [CanonicalText::from_pages(&pages), CanonicalText::from_leaves(&leaves)] {
            let ranked = crate::ranking::rank_widely(&text, "dose", crate::ranking::Ranker::Overlap, 400, usize::MAX);
            let found = cover(&SourceId::new("s").expect("an id"), &text, 400, &ranked);
            let mut at = 0;
            for passage in &found {
                let between = text.slice(CharRange::new(at, passage.range.start));
                assert!(between.chars().all(char::is_whitespace) || between.contains("---PAGE"), "{between:?}");
                assert_eq!(text.resolve(&passage.locator), Some(passage.range));
                for quote in quotes(passage) {
                    assert!(quote.ends_with(['.', 's', 'd']), "{quote}");
                }
                at = passage.range.end;
            }
            assert_eq!(at, text.chars());
            let scored = found.iter().filter(|passage| passage.score > 0.0).count();
            assert_eq!(scored > 0, !ranked.is_empty());
        }
    }

    #[test]
    fn passages_of_whole_blocks_hold_every_word_and_part_no_block() {
        let sentence = |chars: usize| format!("{}.", "x".repeat(chars - 1));
        let leaves = |chars: usize| {
            [
                Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, "Doses") },
                Leaf { level: Some(2), ..Leaf::new(BlockKind::Heading, "Adults") },
                Leaf::new(BlockKind::Paragraph, sentence(700)),
                Leaf::new(BlockKind::Paragraph, sentence(chars)),
                Leaf::new(BlockKind::Code, "dose = 4 * weight"),
                Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, "Ends") },
                Leaf::new(BlockKind::Paragraph, "One more sentence stands here. ".repeat(120).trim()),
            ]
        };
        // Headings, their spaces and the first paragraph are 713 characters.
        for (chars, first) in [(485, 2), (486, 2), (487, 1)] {
            let text = CanonicalText::from_leaves(&leaves(chars));
            let chunk = CharRange::new(0, 5);
            let ranked =
                [RankedChunk { range: chunk, locator: text.locator(chunk), text: "Doses".to_owned(), score: 0.5 }];
            let found = whole_blocks(&SourceId::new("s").expect("an id"), &text, &ranked);
            let paragraphs =
                |passage: &Passage| passage.units.iter().filter(|u| u.kind == BlockKind::Paragraph).count();
            assert_eq!(paragraphs(&found[0]), first, "{chars}");
            assert!(found[0].text.starts_with("Doses Adults x") && found[0].score > 0.0 && found[1].score <= 0.0);
            assert!(found.iter().flat_map(quotes).any(|quote| quote == "dose = 4 * weight"));
            let whole: String = found.iter().flat_map(|passage| passage.text.split_whitespace()).collect();
            assert_eq!(whole, text.as_str().split_whitespace().collect::<String>());
            let last = found.iter().filter(|passage| passage.headings == ["Ends"] || passage.text.starts_with("Ends"));
            assert!(last.count() > 2, "a long block is parted");
            assert!(found.iter().all(|passage| passage.text.ends_with(['.', 't'])), "and only behind sentences");
        }
    }

    #[test]
    fn rows_and_headings_are_quoted_whole_and_furniture_never() {
        let text = CanonicalText::from_leaves(&[
            Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, "Doses. For all") },
            Leaf::row(1, false, &["Adults", "Do not. Exceed four."]),
            Leaf::new(BlockKind::Furniture, "Page 3."),
            Leaf::new(BlockKind::Paragraph, "One. Two is here."),
        ]);
        let found = all(&text);
        assert_eq!(quotes(&found[0]), ["Doses. For all", "Adults Do not. Exceed four.", "One.", "Two is here."]);
        assert_eq!(found[0].units.iter().map(|u| u.block).collect::<Vec<_>>(), [0, 1, 3, 3]);
        let head =
            |unit: &Unit| unit.head().map(|head| found[0].text.chars().skip(head.start).take(head.len()).collect());
        let heads: Vec<Option<String>> = found[0].units.iter().map(head).collect();
        assert_eq!(heads, [None, Some("Adults".to_owned()), None, None]);
    }

    #[test]
    fn a_header_goes_along_with_each_row_of_its_table() {
        let row = |n: usize| Leaf::row(1, false, &[format!("Bolt {n}"), format!("{} N m {}", n * 7, "x".repeat(90))]);
        let mut leaves = vec![Leaf::row(1, true, &["Bolt", "Torque"])];
        leaves.extend((1..12).map(row));
        leaves.push(Leaf::new(BlockKind::Paragraph, "No table. ".repeat(60)));
        let found = all(&CanonicalText::from_leaves(&leaves));
        let with_rows = |passage: &&Passage| passage.units.iter().any(|unit| unit.kind == BlockKind::TableRow);
        assert!(found.iter().filter(with_rows).count() > 1);
        for passage in &found {
            assert_eq!(passage.columns == "Bolt Torque", with_rows(&passage), "{passage:?}");
        }
    }

    #[test]
    fn what_is_cut_by_the_end_of_a_page_is_quoted_by_nobody() {
        let open =
            |goes_on, begun_before, text: &str| Leaf { goes_on, begun_before, ..Leaf::new(BlockKind::Paragraph, text) };
        let text = CanonicalText::from_leaf_pages(&[
            vec![open(true, false, "One is whole. The dose may be")],
            vec![open(false, true, "doubled by nobody. Two is whole.")],
            vec![open(true, true, "this stands between and")],
        ]);
        let found: Vec<String> = all(&text).iter().flat_map(quotes).collect();
        assert_eq!(found, ["One is whole.", "Two is whole."]);
    }

    #[test]
    fn a_passage_knows_the_headings_it_stands_below() {
        let heading = |level, text: &str| Leaf { level: Some(level), ..Leaf::new(BlockKind::Heading, text) };
        let body = |text: &str| Leaf::new(BlockKind::Paragraph, format!("{text} {}", "word ".repeat(190)));
        let text = CanonicalText::from_leaves(&[
            heading(1, "Book"),
            heading(2, "First part"),
            body("a"),
            heading(2, "Second part"),
            heading(3, "Detail"),
            body("b"),
        ]);
        let found = all(&text);
        let last = found.last().expect("passages");
        assert_eq!(last.headings, ["Book", "Second part", "Detail"]);
    }
}
