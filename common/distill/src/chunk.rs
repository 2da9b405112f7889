//! The partition of a canonical text into chunks that can be quoted.
//!
//! Chunks join to the text of each page, never cross a page and never exceed the maximum. The rule is the one evidence is
//! checked against from outside, so it is deterministic to the character. Scores and queries are not known here.

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use precis_proto::{BlockKind, CharRange};

use crate::text::{CanonicalText, is_space};

/// Preferred length of a chunk, in characters; lowered by a smaller `evidence_max_chars`.
const TARGET_CHARS: usize = 400;
/// Longest chunk, in characters: what an evidence snippet may hold on the wire.
const MAX_CHARS: usize = 500;
/// How far a cut may lie before or behind the target, in characters.
const REACH_CHARS: usize = 100;

/// A piece of the text. `range` counts characters of the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Characters covered, white space at the ends included.
    pub range: CharRange,
    /// The page they lie on, where the text has pages.
    pub page: Option<u32>,
}

/// The chunks of `text` in order. Empty for a text without characters; pages without text give no chunk.
///
/// The target is the smaller of 400 and `evidence_max_chars`, the maximum the smaller of 500 and the target + 100. The cut
/// is the best kind of boundary that lies within 100 characters of the target, and of these the nearest to it, the earlier
/// of two as near: end of the page, block, sentence, clause, word; without any, at the maximum. A block behind a heading
/// begins no chunk, so that the heading stays with what it names. White space after a boundary
/// belongs to the chunk before it. Linear in the length of the text.
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

/// The characters of `chunk` without the white space at its ends: what an evidence snippet quotes.
#[must_use]
pub fn snippet(text: &CanonicalText, chunk: &Chunk) -> CharRange {
    let raw = text.slice(chunk.range);
    let lead = raw.chars().take_while(|&c| is_space(c)).count();
    let trail = raw.chars().rev().take_while(|&c| is_space(c)).count();
    let start = chunk.range.start + lead;
    CharRange::new(start, start.max(chunk.range.end.saturating_sub(trail)))
}

/// Where blocks begin that do not follow a heading, ascending.
fn borders(text: &CanonicalText) -> Vec<usize> {
    let pairs = text.blocks().windows(2).filter(|pair| pair[0].kind != BlockKind::Heading);
    pairs.map(|pair| pair[1].start).collect()
}

/// Of `borders`, the one in `from..=to` that is nearest to `goal`, the earlier of two as near.
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

/// Where the chunk at the beginning of `rest` ends; always behind its beginning. `near` is room for the characters read.
///
/// A short last chunk never fits into its predecessor: had both fitted, no cut had been made.
fn cut(text: &CanonicalText, rest: CharRange, sizes: Sizes, borders: &[usize], near: &mut Vec<char>) -> usize {
    let limit = rest.start + sizes.max;
    if rest.end <= limit {
        return rest.end;
    }
    let goal = rest.start + sizes.target;
    let first = goal.saturating_sub(REACH_CHARS).max(rest.start + 1);
    if let Some(border) = nearest_border(borders, first, limit, goal) {
        return border;
    }
    let from = before_space(text, rest.start, first);
    // One more than may be cut: whether a sentence begins shows in the character behind.
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

/// Positions among the characters read.
struct ChunkWindow {
    /// The least that a chunk may end at, and the greatest.
    first: usize,
    limit: usize,
    /// Where it had best end.
    goal: usize,
}

impl ChunkWindow {
    /// The best boundary; `limit + 1` characters are read.
    fn best<C: Copy + Into<char>>(&self, read: &[C]) -> Option<usize> {
        [Boundary::Sentence, Boundary::Clause, Boundary::Word].into_iter().find_map(|kind| self.nearest(read, kind))
    }

    /// The boundary of that kind nearest to the goal, the earlier of two as near.
    fn nearest<C: Copy + Into<char>>(&self, read: &[C], wanted: Boundary) -> Option<usize> {
        let made = (0..self.limit).filter(|&at| wanted.may_be_made_by(read[at].into()));
        made.filter_map(|at| boundary(read, at))
            .filter(|(kind, after)| *kind == wanted && (self.first..=self.limit).contains(after))
            .map(|(_, after)| after)
            .min_by_key(|after| after.abs_diff(self.goal))
    }
}

/// The last character before `end` that is not white space, not before `start`: a boundary it makes reaches `end`.
fn before_space(text: &CanonicalText, start: usize, end: usize) -> usize {
    let spaced = |at| text.slice(CharRange::new(at, at + 1)).starts_with(is_space);
    let mut at = end - 1;
    while at > start && spaced(at) {
        at -= 1;
    }
    at
}

/// Kinds of boundary inside a page, best first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Boundary {
    Sentence,
    Clause,
    Word,
}

impl Boundary {
    /// Whether `c` is worth a closer look.
    fn may_be_made_by(self, c: char) -> bool {
        match self {
            Self::Sentence => matches!(c, '.' | '!' | '?' | '。' | '！' | '？'),
            Self::Clause => matches!(c, ',' | ';' | ':' | '、' | '，' | '；' | '：'),
            Self::Word => true,
        }
    }
}

/// The boundary the character at `at` makes, and the position behind it and its white space.
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

/// Whether `c` may begin a sentence: a letter that is upper or title case, or has no case.
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
    fn a_block_ends_a_chunk_before_any_sentence_does_unless_a_heading_is_behind_it() {
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
