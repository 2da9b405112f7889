//! The text around a quote, so that a reader sees where it was taken from.

use std::collections::BTreeMap;

use precis_proto::response::Citation;
use precis_proto::{Block, CodeLine, Locator};
use precis_text::locate::place;
use precis_text::quoted_lines::MOST_INDENT;

/// Approximate number of characters shown on each side of a quote; chosen, not measured.
pub const CONTEXT_CHARS: usize = 240;

/// Longest block shown whole around a quote, in characters; a longer one is cut like text without structure.
pub const WHOLE_BLOCK_CHARS: usize = 1_200;

/// A quote within its surroundings: line breaks between blocks, a bar between the cells of a row, code in its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuoteContext {
    /// At most [`CONTEXT_CHARS`] characters before the quote, starting with a whole word if words are short enough; if the structure of
    /// the text is known, it starts at the start of a block instead.
    pub before: String,
    /// The characters named by the locator.
    pub quote: String,
    /// At most [`CONTEXT_CHARS`] characters after the quote, cut in the same way.
    pub after: String,
    /// Whether more text precedes `before`.
    pub starts_inside: bool,
    /// Whether more text follows `after`.
    pub ends_inside: bool,
}

/// The context of `locator` in `text`, within one page; `None` if the locator is out of range.
#[must_use]
pub fn context(text: &str, locator: &Locator) -> Option<QuoteContext> {
    let place = place(text, locator)?;
    let (ahead, behind) = (&text[place.page.start..place.quote.start], &text[place.quote.end..place.page.end]);
    let (before, after) = (tail(ahead), head(behind));
    Some(QuoteContext {
        before: before.to_owned(),
        quote: text[place.quote.clone()].to_owned(),
        after: after.to_owned(),
        starts_inside: before.len() < ahead.len(),
        ends_inside: after.len() < behind.len(),
    })
}

/// The contexts of `citations` by number. `text_of` returns a canonical text by the 64 hex digits of its hash, `blocks_of` its
/// structure; a citation without text gets no context.
#[must_use]
pub fn contexts<'t>(
    citations: &[Citation],
    text_of: &dyn Fn(&str) -> Option<&'t str>,
    blocks_of: &dyn Fn(&str) -> Option<&'t [Block]>,
) -> BTreeMap<u32, QuoteContext> {
    let mut known: BTreeMap<&str, Chars> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for citation in citations {
        let hex = crate::verify::hex_of(&citation.source_text_hash);
        let Some(text) = text_of(hex) else { continue };
        let structured = blocks_of(hex).and_then(|blocks| {
            let chars = known.entry(hex).or_insert_with(|| Chars::new(text));
            chars.within(text, &citation.locator, blocks)
        });
        found.extend(structured.or_else(|| context(text, &citation.locator)).map(|context| (citation.n, context)));
    }
    found
}

/// Byte positions of the characters of a text, computed once for all its quotes.
struct Chars {
    starts: Vec<usize>,
}

impl Chars {
    fn new(text: &str) -> Self {
        Self { starts: text.char_indices().map(|(at, _)| at).chain([text.len()]).collect() }
    }

    /// Index of the character that starts at byte `at`.
    fn at(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start < at)
    }

    fn byte(&self, char: usize) -> Option<usize> {
        self.starts.get(char).copied()
    }

    /// The quote within whole blocks; `None` if no block contains its start or end, or if its own blocks are too long to show.
    fn within(&self, text: &str, locator: &Locator, blocks: &[Block]) -> Option<QuoteContext> {
        let place = place(text, locator)?;
        let (start, end) = (self.at(place.quote.start), self.at(place.quote.end));
        let page = (self.at(place.page.start), self.at(place.page.end));
        let own = blocks.iter().position(|b| b.start <= start && start < b.end)?;
        let last = blocks.iter().rposition(|b| b.start < end && end <= b.end)?;
        if last < own || blocks[last].end - blocks[own].start > WHOLE_BLOCK_CHARS {
            return None;
        }
        let on_page = |b: &Block| page.0 <= b.start && b.end <= page.1;
        let mut first = own;
        while first > 0 && on_page(&blocks[first - 1]) && blocks[own].start - blocks[first - 1].start <= CONTEXT_CHARS {
            first -= 1;
        }
        let mut past = last;
        while past + 1 < blocks.len()
            && on_page(&blocks[past + 1])
            && blocks[past + 1].end - blocks[last].end <= CONTEXT_CHARS
        {
            past += 1;
        }
        let shown = |from: usize, to: usize| self.render_range(text, &blocks[first..=past], from, to);
        Some(QuoteContext {
            before: shown(blocks[first].start, start)?,
            quote: shown(start, end)?,
            after: shown(end, blocks[past].end)?,
            starts_inside: first > 0 && on_page(&blocks[first - 1]),
            ends_inside: past + 1 < blocks.len() && on_page(&blocks[past + 1]),
        })
    }

    /// The characters `from..to`, with one line break between blocks, a bar between cells, and code in its lines.
    fn render_range(&self, text: &str, blocks: &[Block], from: usize, to: usize) -> Option<String> {
        let mut out = String::new();
        let mut borders: Vec<(usize, usize, String)> =
            blocks.windows(2).map(|w| (w[0].end, w[1].start, "\n".to_owned())).collect();
        for block in blocks {
            borders.extend(block.cells.windows(2).map(|w| (w[0].end, w[1].start, " | ".to_owned())));
            borders.extend(line_ends(&block.lines));
        }
        borders.sort_unstable();
        let mut at = from;
        for (end, start, mark) in borders {
            if end < at || end > to || start > to || (end == to && start == to && from == to) {
                continue;
            }
            out.push_str(&text[self.byte(at)?..self.byte(end)?]);
            out.push_str(&mark);
            at = start;
        }
        out.push_str(&text[self.byte(at)?..self.byte(to.max(at))?]);
        Some(out)
    }
}

/// The spaces between the lines of a block of code, each with what is shown in its place: line breaks, and how far the next line is indented
/// beyond the least indented one.
fn line_ends(lines: &[CodeLine]) -> Vec<(usize, usize, String)> {
    // A line without words begins where the next one with words does: its line break joins that of the other.
    let has_words = |at: usize| lines.get(at + 1).is_none_or(|next| next.start > lines[at].start);
    let worded = (0..lines.len()).filter(|at| has_words(*at));
    let least = worded.clone().map(|at| lines[at].indent).min().unwrap_or(0);
    let mut ends = Vec::new();
    let mut breaks = 0;
    for (at, line) in lines.iter().enumerate() {
        if has_words(at) && line.start > lines[0].start {
            let indent = usize::try_from(line.indent - least).unwrap_or(0).min(MOST_INDENT);
            ends.push((line.start - 1, line.start, "\n".repeat(breaks) + &" ".repeat(indent)));
        }
        breaks = if has_words(at) { 1 } else { breaks + 1 };
    }
    ends
}

/// The last characters of `text`, starting at a word if one starts in their first half.
fn tail(text: &str) -> &str {
    let Some((cut, _)) = text.char_indices().rev().nth(CONTEXT_CHARS - 1).filter(|(at, _)| *at > 0) else {
        return text;
    };
    if text[..cut].ends_with(char::is_whitespace) {
        return &text[cut..];
    }
    match text[cut..].find(char::is_whitespace) {
        Some(space) if space <= (text.len() - cut) / 2 => text[cut + space..].trim_start(),
        _ => &text[cut..],
    }
}

/// The first characters of `text`, ending with a word if one ends in their second half.
fn head(text: &str) -> &str {
    let Some((cut, next)) = text.char_indices().nth(CONTEXT_CHARS) else { return text };
    if next.is_whitespace() {
        return &text[..cut];
    }
    match text[..cut].rfind(char::is_whitespace) {
        Some(space) if space >= cut / 2 => text[..space].trim_end(),
        _ => &text[..cut],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(text: &str, locator: &str) -> QuoteContext {
        context(text, &locator.parse().expect("a locator")).expect("stands in the text")
    }

    #[test]
    fn a_context_is_contiguous_and_has_whole_words_at_both_ends() {
        let text = format!("{}the quote {}", "alpha ".repeat(100), "omega ".repeat(100));
        let context = around(&text, "char:600-609");
        assert_eq!(context.quote, "the quote");
        assert!(text.contains(&format!("{}{}{}", context.before, context.quote, context.after)));
        assert!(context.before.starts_with("alpha ") && context.after.ends_with(" omega"), "{context:?}");
        assert!(context.starts_inside && context.ends_inside);
        for side in [&context.before, &context.after] {
            assert!((CONTEXT_CHARS - 6..=CONTEXT_CHARS).contains(&side.chars().count()), "{side}");
        }
    }

    #[test]
    fn with_blocks_a_context_is_whole_blocks_and_rows_are_rows() {
        use precis_proto::{BlockKind, CharRange};
        let text = "Fees\n\nItem Value\n\nCap 5 %\n\nNotice 3 months\n\nNext.";
        let range = |part: &str| {
            let start = text.find(part).expect("there");
            CharRange::new(start, start + part.len())
        };
        let row = |parts: [&str; 2]| {
            let cells = parts.map(range).to_vec();
            Block { cells, ..Block::new(BlockKind::TableRow, range(&parts.join(" "))) }
        };
        let block = |kind, part| Block::new(kind, range(part));
        let blocks = [
            block(BlockKind::Heading, "Fees"),
            row(["Item", "Value"]),
            row(["Cap", "5 %"]),
            row(["Notice", "3 months"]),
            block(BlockKind::Paragraph, "Next."),
        ];
        let around = |part: &str| {
            let locator = Locator { page: None, range: range(part) };
            Chars::new(text).within(text, &locator, &blocks).expect("within a block")
        };
        let whole = around("Cap 5 %");
        assert_eq!(whole.quote, "Cap | 5 %");
        assert_eq!(
            format!("{}{}{}", whole.before, whole.quote, whole.after),
            "Fees\nItem | Value\nCap | 5 %\nNotice | 3 months\nNext."
        );
        let cell = around("5 %");
        assert_eq!((cell.before.as_str(), cell.quote.as_str()), ("Fees\nItem | Value\nCap | ", "5 %"));
        assert!(!whole.starts_inside && !whole.ends_inside);
    }

    #[test]
    fn code_is_shown_in_its_lines_without_the_indent_that_all_have() {
        use precis_proto::{BlockKind, CharRange};
        let source = "    def f(n):\n\n        if n:\n            return 1\n    end";
        let leaf = precis_text::Leaf {
            lines: precis_text::code_lines(source),
            ..precis_text::Leaf::new(BlockKind::Code, source)
        };
        let before = precis_text::Leaf::new(BlockKind::Paragraph, "Use this:");
        let text = precis_text::CanonicalText::from_leaves(&[before, leaf]);
        let shown = |range: CharRange| {
            let locator = Locator { page: None, range };
            Chars::new(text.as_str()).within(text.as_str(), &locator, text.blocks()).expect("within a block")
        };
        let code = text.blocks()[1].range();
        let whole = shown(code);
        assert_eq!(whole.before, "Use this:\n");
        assert_eq!(whole.quote, "def f(n):\n\n    if n:\n        return 1\nend");
        let part = shown(CharRange::new(code.start + 10, code.end - 4));
        assert_eq!((part.quote.as_str(), part.after.as_str()), ("if n:\n        return 1", "\nend"));
    }

    #[test]
    fn a_block_that_is_too_long_is_cut_like_text_without_structure() {
        use precis_proto::{BlockKind, CharRange};
        for (len, whole) in [(WHOLE_BLOCK_CHARS, true), (WHOLE_BLOCK_CHARS + 1, false)] {
            let text = "a".repeat(len);
            let blocks = [Block::new(BlockKind::Paragraph, CharRange::new(0, len))];
            let locator = Locator { page: None, range: CharRange::new(500, 510) };
            assert_eq!(Chars::new(&text).within(&text, &locator, &blocks).is_some(), whole, "{len}");
        }
    }

    #[test]
    fn a_lone_space_does_not_cost_the_context() {
        let text = format!("{} quote {}", "語".repeat(1_000), "語".repeat(1_000));
        let context = around(&text, "char:1001-1006");
        assert_eq!(context.before.chars().count(), CONTEXT_CHARS);
        assert_eq!(context.after.chars().count(), CONTEXT_CHARS);
    }

    #[test]
    fn text_without_spaces_is_cut_between_characters() {
        let text = "語".repeat(1_000);
        let context = around(&text, "char:500-510");
        assert_eq!(context.before, "語".repeat(CONTEXT_CHARS));
        assert_eq!(context.after, "語".repeat(CONTEXT_CHARS));
    }

    #[test]
    fn a_context_stays_on_its_page() {
        let text = "one\n\n---PAGE 2---\n\nbefore quote after\n\n---PAGE 3---\n\nthree";
        let context = around(text, "page:2:char:7-12");
        assert_eq!((context.before.as_str(), context.after.as_str()), ("before ", " after"));
        assert!(!context.starts_inside && !context.ends_inside);
        assert_eq!(super::context(text, &"page:2:char:7-90".parse().expect("a locator")), None);
    }

    #[test]
    fn a_context_may_end_at_the_last_character() {
        for (len, inside) in [(CONTEXT_CHARS - 1, false), (CONTEXT_CHARS, false), (CONTEXT_CHARS + 1, true)] {
            let text = format!("q{}", "a".repeat(len));
            assert_eq!(around(&text, "char:0-1").ends_inside, inside, "{len}");
            let text = format!("{}q", "a".repeat(len));
            assert_eq!(around(&text, &format!("char:{len}-{}", len + 1)).starts_inside, inside, "{len}");
        }
    }
}
