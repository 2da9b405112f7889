//! Splits a canonical text into chunks that can be quoted.
//!
//! The chunks of a page join to its text; a chunk never crosses a page and never exceeds the maximum. Evidence is checked from outside
//! against the same rule, so the split is deterministic to the character. This module knows neither scores nor queries.

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use precis_proto::{BlockKind, CharRange};

use crate::text::{CanonicalText, is_space};

/// Preferred length of a chunk, in characters; lowered by a smaller `evidence_max_chars`.
const TARGET_CHARS: usize = 400;
/// Longest chunk, in characters: the limit of an evidence snippet on the wire.
const MAX_CHARS: usize = 500;
/// How far a cut may be from the target, in characters.
const REACH_CHARS: usize = 100;

/// A piece of the text. `range` counts characters of the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Characters covered, including white space at the ends.
    pub range: CharRange,
    /// The page of the chunk, if the text has pages.
    pub page: Option<u32>,
}

/// The chunks of `text` in order. Empty if the text has no characters; pages without text give no chunk.
///
/// The target is the smaller of 400 and `evidence_max_chars`, the maximum the smaller of 500 and the target + 100. A chunk ends at the
/// best kind of boundary within 100 characters of the target: end of the page, block, sentence, clause or word. Of several, the
/// nearest to the target is taken, and the earlier one if two are equally near; without any, the chunk ends at the maximum. A block
/// behind a heading never begins a chunk, so that the heading stays with its content. White space after a boundary belongs to the
/// chunk before it. Linear in the length of the text.
///
/// ```
/// use precis_text::chunk::{chunks, snippet};
/// use precis_text::CanonicalText;
///
/// let text = CanonicalText::from_plain(&"The dam was built in 1931. ".repeat(40));
/// let found = chunks(&text, 400);
/// assert!(found.iter().all(|chunk| text.slice(chunk.range).chars().count() <= 500));
/// assert!(text.slice(snippet(&text, &found[0])).ends_with("1931."));
/// ```
#[must_use]
pub fn chunks(text: &CanonicalText, evidence_max_chars: usize) -> Vec<Chunk> {
    let target = evidence_max_chars.min(TARGET_CHARS);
    let sizes = Sizes { target, max: MAX_CHARS.min(target + REACH_CHARS) };
    let mut out = Vec::with_capacity(text.chars() / sizes.target.max(1) + 1);
    let mut near = Vec::new();
    let borders = borders(text);
    for (page, run) in text.runs() {
        let mut start = run.start;
        while start < run.end {
            let end = cut(text, CharRange::new(start, run.end), sizes, &borders, &mut near);
            out.push(Chunk { range: CharRange::new(start, end), page });
            start = end;
        }
    }
    out
}

/// The characters of `chunk` without the white space at its ends: the text that an evidence snippet quotes.
#[must_use]
pub fn snippet(text: &CanonicalText, chunk: &Chunk) -> CharRange {
    let raw = text.slice(chunk.range);
    let lead = raw.chars().take_while(|&c| is_space(c)).count();
    let trail = raw.chars().rev().take_while(|&c| is_space(c)).count();
    let start = chunk.range.start + lead;
    CharRange::new(start, start.max(chunk.range.end.saturating_sub(trail)))
}

/// Start positions of the blocks that do not follow a heading, ascending.
fn borders(text: &CanonicalText) -> Vec<usize> {
    let pairs = text.blocks().windows(2).filter(|pair| pair[0].kind != BlockKind::Heading);
    pairs.map(|pair| pair[1].start).collect()
}

/// The position in `borders` within `from..=to` that is nearest to `goal`; the earlier one if two are equally near.
fn nearest_border(borders: &[usize], from: usize, to: usize, goal: usize) -> Option<usize> {
    let first = borders.partition_point(|border| *border < from);
    let behind = borders.partition_point(|border| *border <= to);
    borders[first..behind].iter().copied().min_by_key(|border| border.abs_diff(goal))
}

#[derive(Clone, Copy)]
struct Sizes {
    target: usize,
    max: usize,
}

/// The end of the chunk that starts at the beginning of `rest`; always greater than its start. `near` is a reused buffer.
///
/// A short last chunk never fits into its predecessor: if both fitted, no cut would have been made.
fn cut(text: &CanonicalText, rest: CharRange, sizes: Sizes, borders: &[usize], near: &mut Vec<char>) -> usize {
    let limit = rest.start + sizes.max;
    if rest.end <= limit {
        return rest.end;
    }
    let goal = rest.start + sizes.target;
    // At least one character, so that every cut makes progress.
    let first = goal.saturating_sub(REACH_CHARS).max(rest.start + 1);
    if let Some(border) = nearest_border(borders, first, limit, goal) {
        return border;
    }
    let from = before_space(text, rest.start, first);
    // One character more than may be cut: it decides whether the text before it ends a sentence.
    let read = text.slice(CharRange::new(from, limit + 1));
    let window = ChunkWindow { first: first - from, goal: goal - from, limit: limit - from };
    let best = if read.is_ascii() {
        window.best(read.as_bytes())
    } else {
        near.clear();
        near.extend(read.chars());
        window.best(near)
    };
    best.map_or(limit, |after| from + after)
}

/// Positions relative to the characters read.
struct ChunkWindow {
    /// The least and the greatest position at which the chunk may end.
    first: usize,
    limit: usize,
    /// The preferred end.
    goal: usize,
}

impl ChunkWindow {
    /// The best boundary in `read`, which holds `limit + 1` characters.
    fn best<C: Copy + Into<char>>(&self, read: &[C]) -> Option<usize> {
        [Boundary::Sentence, Boundary::Clause, Boundary::Word].into_iter().find_map(|kind| self.nearest(read, kind))
    }

    /// The boundary of the kind `wanted` nearest to the goal; the earlier one if two are equally near.
    fn nearest<C: Copy + Into<char>>(&self, read: &[C], wanted: Boundary) -> Option<usize> {
        let made = (0..self.limit).filter(|&at| wanted.may_be_made_by(read[at].into()));
        made.filter_map(|at| boundary(read, at))
            .filter(|(kind, after)| *kind == wanted && (self.first..=self.limit).contains(after))
            .map(|(_, after)| after)
            .min_by_key(|after| after.abs_diff(self.goal))
    }
}

/// The last character before `end` that is not white space, but not before `start`: a boundary there may reach `end`.
fn before_space(text: &CanonicalText, start: usize, end: usize) -> usize {
    let spaced = |at| text.slice(CharRange::new(at, at + 1)).starts_with(is_space);
    let mut at = end - 1;
    while at > start && spaced(at) {
        at -= 1;
    }
    at
}

/// Kinds of boundary within a page, best first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Boundary {
    Sentence,
    Clause,
    Word,
}

impl Boundary {
    /// Whether `c` can make this kind of boundary; a cheap test before the exact one.
    fn may_be_made_by(self, c: char) -> bool {
        match self {
            Self::Sentence => matches!(c, '.' | '!' | '?' | '。' | '！' | '？'),
            Self::Clause => matches!(c, ',' | ';' | ':' | '、' | '，' | '；' | '：'),
            Self::Word => true,
        }
    }
}

/// The boundary made by the character at `at`, and the position behind it and its white space.
fn boundary<C: Copy + Into<char>>(read: &[C], at: usize) -> Option<(Boundary, usize)> {
    let c: char = read[at].into();
    let space_at = |at: usize| read.get(at).is_some_and(|&c| is_space(c.into()));
    if !space_at(at + 1) {
        let kind = match c {
            '。' | '！' | '？' => Boundary::Sentence,
            '、' | '，' | '；' | '：' => Boundary::Clause,
            _ => return None,
        };
        return Some((kind, at + 1));
    }
    if is_space(c) {
        return None;
    }
    let after = (at + 2..).find(|&at| !space_at(at))?;
    let kind = match c {
        '。' | '！' | '？' => Boundary::Sentence,
        '.' | '!' | '?' if read.get(after).is_some_and(|&c| opens_sentence(c.into())) => Boundary::Sentence,
        '、' | '，' | '；' | '：' | ',' | ';' | ':' => Boundary::Clause,
        _ => Boundary::Word,
    };
    Some((kind, after))
}

/// Whether `c` may begin a sentence: an upper or title case letter, or a letter without case.
fn opens_sentence(c: char) -> bool {
    matches!(
        CodePointMapData::<GeneralCategory>::new().get(c),
        GeneralCategory::UppercaseLetter
            | GeneralCategory::TitlecaseLetter
            | GeneralCategory::OtherLetter
            | GeneralCategory::ModifierLetter
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(text: &str, evidence_max_chars: usize) -> Vec<usize> {
        let text = CanonicalText::from_plain(text);
        chunks(&text, evidence_max_chars).iter().map(|chunk| chunk.range.end).collect()
    }

    /// `at` letters, then `mark`, then letters up to 1,000 characters.
    fn marked(marks: &[(usize, &str)]) -> String {
        let mut out = String::new();
        for (at, mark) in marks {
            out.extend(std::iter::repeat_n('x', at - out.chars().count()));
            out.push_str(mark);
        }
        out.extend(std::iter::repeat_n('x', 1_000 - out.chars().count()));
        out
    }

    #[test]
    fn the_best_boundary_in_reach_wins_and_then_the_nearest() {
        let table: [(&[(usize, &str)], usize); 14] = [
            (&[], 500),
            (&[(310, ". X"), (400, ", x"), (420, " ")], 312),
            (&[(310, ". x"), (400, ", x"), (420, " ")], 402),
            (&[(310, ". x")], 312),
            (&[(390, ". X"), (395, ". X"), (406, ". X")], 397),
            (&[(388, ". X"), (408, ". X")], 390),
            (&[(297, ". X")], 500),
            (&[(298, ". X")], 300),
            (&[(498, ". X")], 500),
            (&[(499, ". X")], 500),
            (&[(350, "。")], 351),
            (&[(350, "、"), (380, " ")], 351),
            (&[(350, ". 漢")], 352),
            (&[(350, "? ٢"), (380, ": x")], 382),
        ];
        for (marks, want) in table {
            assert_eq!(cuts(&marked(marks), 400)[0], want, "{marks:?}");
        }
    }

    #[test]
    fn the_target_follows_the_evidence_limit() {
        let text = marked(&[(199, " "), (250, " ")]);
        assert_eq!(cuts(&text, 200)[0], 200);
        assert_eq!(cuts(&text, 500)[0], 500);
        assert_eq!(cuts(&"x".repeat(250), 100), [200, 250]);
        assert_eq!(cuts(&"x".repeat(5), 0), [5]);
    }

    #[test]
    fn a_block_ends_a_chunk_before_sentences_unless_at_a_heading() {
        use crate::text::Leaf;
        let leaf = |kind, chars: usize| Leaf::new(kind, "x".repeat(chars));
        let (heading, paragraph) = (BlockKind::Heading, BlockKind::Paragraph);
        for (leaves, want) in [
            (vec![leaf(paragraph, 298), leaf(paragraph, 600)], 500),
            (vec![leaf(paragraph, 299), leaf(paragraph, 600)], 300),
            (vec![leaf(paragraph, 499), leaf(paragraph, 600)], 500),
            (vec![leaf(paragraph, 350), leaf(paragraph, 98), leaf(paragraph, 600)], 351),
            (vec![leaf(paragraph, 340), leaf(heading, 58), leaf(paragraph, 600)], 341),
            (vec![leaf(heading, 399), Leaf::new(paragraph, format!("{}. X{}", "y".repeat(8), "z".repeat(200)))], 410),
        ] {
            let text = CanonicalText::from_leaves(&leaves);
            assert_eq!(chunks(&text, 400)[0].range.end, want, "{:?}", text.blocks());
        }
    }

    #[test]
    fn what_fits_into_the_maximum_is_one_chunk() {
        assert!(cuts("", 400).is_empty());
        assert_eq!(cuts(&"x".repeat(400), 400), [400]);
        assert_eq!(cuts(&"x".repeat(500), 400), [500]);
        assert_eq!(cuts(&"x".repeat(501), 400), [500, 501]);
        let joined = format!("{} {}", "x".repeat(459), "y".repeat(40));
        assert_eq!(cuts(&joined, 400), [500]);
    }

    #[test]
    fn no_chunk_crosses_a_page_and_empty_pages_give_none() {
        let text = CanonicalText::from_pages(&["a".repeat(30), String::new(), "b ".repeat(300)]);
        let found = chunks(&text, 400);
        assert_eq!(found.iter().map(|chunk| chunk.page).collect::<Vec<_>>(), [Some(1), Some(3), Some(3)]);
        for chunk in &found {
            let page = text.pages()[chunk.page.expect("paged") as usize - 1];
            assert!(page.range.contains(&chunk.range));
        }
    }

    #[test]
    fn a_snippet_is_its_chunk_without_outer_white_space() {
        let text = CanonicalText::from_plain(&marked(&[(350, ". X")]));
        let chunk = chunks(&text, 400)[0];
        assert_eq!(snippet(&text, &chunk), CharRange::new(0, 351));
        assert!(text.slice(snippet(&text, &chunk)).ends_with('.'));
    }
}
