//! [`CanonicalText`]: characters, their count, their pages and blocks, and fast slices by character range.

use precis_proto::source::ContentRef;
use precis_proto::{Block, BlockKind, CharRange, Locator};

use super::leaf::{Layout, Leaf, are_sound};
use super::normalize;

/// Distance between two entries of the character index. A slice walks at most this many characters from an entry; one
/// entry costs 8 bytes per 64 characters.
const STRIDE: usize = 64;

/// A page and the characters it covers in the whole text. Separators belong to no page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageSpan {
    /// Page number, from 1.
    pub page: u32,
    /// Characters of the whole text; empty for a page without text.
    pub range: CharRange,
}

/// A text in canonical form. Its UTF-8 bytes are hashed and archived.
///
/// A text without pages is one normalized run. A text with pages is one run per page, joined by `\n\n---PAGE {n}---\n\n` where `n` is the
/// page that follows. Runs contain no line breaks, so a line inside a page can never form a separator: it has lost its blank lines.
///
/// ```
/// use precis_text::CanonicalText;
///
/// let text = CanonicalText::from_pages(&["The dam".to_owned(), "was  built in 1931.".to_owned()]);
/// let locator = "page:2:char:4-9".parse()?;
/// let range = text.resolve(&locator).ok_or("no such place")?;
/// assert_eq!(text.slice(range), "built");
/// assert_eq!(text.locator(range), locator);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalText {
    text: String,
    chars: usize,
    /// Byte offset of every [`STRIDE`]th character; empty if the text is ASCII, where bytes and characters coincide.
    index: Vec<usize>,
    pages: Vec<PageSpan>,
    /// In order; empty if the structure is unknown.
    blocks: Vec<Block>,
}

/// The blocks do not belong to the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the blocks do not fit the text: expected ranges in order, without overlap, within {chars} characters")]
pub struct BlocksError {
    /// Characters of the text.
    pub chars: usize,
}

/// An archived text does not have the expected pages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the archived text does not have the expected {pages} pages")]
pub struct ArchivedTextError {
    /// Pages expected.
    pub pages: u32,
}

impl CanonicalText {
    /// Builds a text without pages. Markup stays as it is: `a < b`.
    ///
    /// ```
    /// use precis_text::CanonicalText;
    ///
    /// let text = CanonicalText::from_plain("a <  b");
    /// assert_eq!(text.as_str(), "a < b");
    /// assert_eq!(CanonicalText::from_plain(text.as_str()).hash(), text.hash());
    /// ```
    #[must_use]
    pub fn from_plain(text: &str) -> Self {
        Self::with_index(normalize(text), Vec::new())
    }

    /// Builds a text with one run per page, numbered from 1; pages without text keep their number. No pages give the empty text.
    #[must_use]
    pub fn from_pages(pages: &[String]) -> Self {
        let mut text = String::with_capacity(pages.iter().map(|page| page.len() + 24).sum());
        let mut spans = Vec::with_capacity(pages.len());
        let mut at = 0;
        for (page, raw) in (1..).zip(pages) {
            if page > 1 {
                let separator = separator(page);
                at += separator.len();
                text.push_str(&separator);
            }
            let run = normalize(raw);
            let end = at + run.chars().count();
            spans.push(PageSpan { page, range: CharRange::new(at, end) });
            at = end;
            text.push_str(&run);
        }
        Self::with_index(text, spans)
    }

    /// Builds a text without pages from its leaves: their normalized texts, joined by single spaces.
    #[must_use]
    pub fn from_leaves(leaves: &[Leaf]) -> Self {
        let mut layout = Layout::default();
        layout.run(leaves);
        Self { blocks: layout.blocks, ..Self::with_index(layout.text, Vec::new()) }
    }

    /// Builds a text from the leaves of each page, in order; otherwise like [`CanonicalText::from_pages`].
    #[must_use]
    pub fn from_leaf_pages(pages: &[Vec<Leaf>]) -> Self {
        let mut layout = Layout::default();
        let mut spans = Vec::with_capacity(pages.len());
        for (page, leaves) in (1..).zip(pages) {
            if page > 1 {
                layout.separator(&separator(page));
            }
            spans.push(PageSpan { page, range: layout.run(leaves) });
        }
        Self { blocks: layout.blocks, ..Self::with_index(layout.text, spans) }
    }

    /// Adds the structure to the text.
    ///
    /// # Errors
    /// [`BlocksError`] if `blocks` overlap, are out of order or reach beyond the text.
    pub fn with_blocks(self, blocks: Vec<Block>) -> Result<Self, BlocksError> {
        if are_sound(&blocks, self.chars) {
            Ok(Self { blocks, ..self })
        } else {
            Err(BlocksError { chars: self.chars })
        }
    }

    /// Reads an archived canonical text unchanged and recovers its page table from the separators. `pages` is the number of pages in the
    /// archive's metadata; 0 for a text without pages.
    ///
    /// # Errors
    /// [`ArchivedTextError`] if the separators of pages 2 to `pages` are missing or out of order, or a page contains a line break.
    pub fn parse_archived(text: &str, pages: u32) -> Result<Self, ArchivedTextError> {
        let fail = || ArchivedTextError { pages };
        let mut spans = Vec::new();
        let (mut rest, mut at) = (text, 0);
        for page in 1..=pages {
            let (run, tail, gap) = if page == pages {
                (rest, "", 0)
            } else {
                let separator = separator(page + 1);
                let (run, tail) = rest.split_once(&separator).ok_or_else(fail)?;
                (run, tail, separator.len())
            };
            // A canonical run has no line breaks, so this is a separator of another page, or not canonical text at all.
            if run.contains('\n') {
                return Err(fail());
            }
            let end = at + run.chars().count();
            spans.push(PageSpan { page, range: CharRange::new(at, end) });
            (rest, at) = (tail, end + gap);
        }
        Ok(Self::with_index(text.to_owned(), spans))
    }

    /// At most the first `max` characters, trimmed; pages entirely behind the cut are left out.
    #[must_use]
    pub fn truncate(&self, max: usize) -> Self {
        if self.chars <= max {
            return self.clone();
        }
        let keep = |range: CharRange| self.slice(CharRange::new(range.start, range.end.min(max))).to_owned();
        let shorter = if self.pages.is_empty() {
            Self::from_plain(&keep(CharRange::new(0, max)))
        } else {
            let kept = self.pages.iter().take_while(|span| span.page == 1 || span.range.start < max);
            Self::from_pages(&kept.map(|span| keep(span.range)).collect::<Vec<_>>())
        };
        Self { blocks: cut_blocks(&self.blocks, shorter.chars), ..shorter }
    }

    fn with_index(text: String, pages: Vec<PageSpan>) -> Self {
        if text.is_ascii() {
            return Self { chars: text.len(), text, index: Vec::new(), pages, blocks: Vec::new() };
        }
        let begins = |byte: &u8| !(0x80..0xc0).contains(byte);
        let mut chars = 0;
        let mut index = Vec::with_capacity(text.len() / STRIDE + 1);
        // STRIDE bytes hold at most one index entry.
        for (block, bytes) in text.as_bytes().chunks(STRIDE).enumerate() {
            let missing = index.len() * STRIDE - chars;
            let begun = bytes.iter().filter(|byte| begins(byte)).count();
            if missing < begun {
                let nth = bytes.iter().enumerate().filter(|(_, byte)| begins(byte)).nth(missing);
                index.extend(nth.map(|(at, _)| block * STRIDE + at));
            }
            chars += begun;
        }
        Self { text, chars, index, pages, blocks: Vec::new() }
    }

    /// The whole text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Number of characters, including separators.
    #[must_use]
    pub fn chars(&self) -> usize {
        self.chars
    }

    /// The page table, in order; empty if the text has no pages.
    #[must_use]
    pub fn pages(&self) -> &[PageSpan] {
        &self.pages
    }

    /// The blocks, in order, with ranges in characters of the whole text; empty if the structure is unknown.
    #[must_use]
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The blocks; each run as one paragraph if the structure is unknown.
    #[must_use]
    pub fn leaf_blocks(&self) -> Vec<Block> {
        if !self.blocks.is_empty() {
            return self.blocks.clone();
        }
        let runs = self.runs().into_iter().filter(|(_, range)| !range.is_empty());
        runs.map(|(_, range)| Block::new(BlockKind::Paragraph, range)).collect()
    }

    /// Whether the text has no character outside the separators.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        if self.pages.is_empty() { self.chars == 0 } else { self.pages.iter().all(|span| span.range.is_empty()) }
    }

    /// The runs that chunks must not cross: the pages with their numbers, or the whole text.
    pub fn runs(&self) -> Vec<(Option<u32>, CharRange)> {
        if self.pages.is_empty() {
            return vec![(None, CharRange::new(0, self.chars))];
        }
        self.pages.iter().map(|span| (Some(span.page), span.range)).collect()
    }

    /// The characters of `range`, clamped to the text; empty if the range is reversed.
    #[must_use]
    pub fn slice(&self, range: CharRange) -> &str {
        let end = range.end.min(self.chars);
        if range.start >= end {
            return "";
        }
        &self.text[self.byte_of(range.start)..self.byte_of(end)]
    }

    fn byte_of(&self, at: usize) -> usize {
        if at >= self.chars {
            return self.text.len();
        }
        let Some(&base) = self.index.get(at / STRIDE) else { return at };
        let tail = &self.text[base..];
        tail.char_indices().nth(at % STRIDE).map_or(self.text.len(), |(byte, _)| base + byte)
    }

    /// The `sha256:` hash of the text's UTF-8 bytes.
    #[must_use]
    pub fn hash(&self) -> ContentRef {
        ContentRef::from_bytes(self.text.as_bytes())
    }

    /// The page that contains the character at `at`; `None` between pages, past the end, or without pages.
    #[must_use]
    pub fn page_of(&self, at: usize) -> Option<u32> {
        let range = self.span_at(at)?;
        (at < range.range.end).then_some(range.page)
    }

    /// The last page that starts at or before `at`.
    fn span_at(&self, at: usize) -> Option<&PageSpan> {
        let next = self.pages.partition_point(|span| span.range.start <= at);
        self.pages.get(next.checked_sub(1)?)
    }

    /// The locator of `range`: relative to its page if it lies within one, otherwise to the whole text.
    #[must_use]
    pub fn locator(&self, range: CharRange) -> Locator {
        match self.span_at(range.start).filter(|span| span.range.contains(&range)) {
            Some(PageSpan { page, range: on }) => {
                Locator { page: Some(*page), range: CharRange::new(range.start - on.start, range.end - on.start) }
            }
            None => Locator { page: None, range },
        }
    }

    /// The characters of the whole text named by `locator`; `None` if it names no characters of this text.
    #[must_use]
    pub fn resolve(&self, locator: &Locator) -> Option<CharRange> {
        let on = match locator.page {
            None => CharRange::new(0, self.chars),
            Some(page) => self.pages.get(usize::try_from(page).ok()?.checked_sub(1)?)?.range,
        };
        let CharRange { start, end } = locator.range;
        (start < end && end <= on.len()).then(|| CharRange::new(on.start + start, on.start + end))
    }
}

/// The blocks of the first `chars` characters; the last one is cut if it reaches beyond them.
fn cut_blocks(blocks: &[Block], chars: usize) -> Vec<Block> {
    let cut = |range: CharRange| CharRange::new(range.start.min(chars), range.end.min(chars));
    let kept = blocks.iter().take_while(|block| block.start < chars);
    kept.map(|block| Block {
        end: block.end.min(chars),
        goes_on: block.goes_on || block.end > chars,
        cells: block.cells.iter().map(|cell| cut(*cell)).collect(),
        lines: block.lines.iter().copied().filter(|line| line.start < chars).collect(),
        ..block.clone()
    })
    .collect()
}

/// The separator between page `next - 1` and page `next`; ASCII, so its bytes are its characters.
fn separator(next: u32) -> String {
    format!("\n\n---PAGE {next}---\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(raw: &[&str]) -> CanonicalText {
        CanonicalText::from_pages(&raw.iter().map(|&page| page.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn pages_are_joined_by_a_separator_that_names_the_page_that_follows() {
        let text = pages(&[" one \n two", "", "dre\u{ef}"]);
        assert_eq!(text.as_str(), "one two\n\n---PAGE 2---\n\n\n\n---PAGE 3---\n\ndre\u{ef}");
        let spans: Vec<_> = text.pages().iter().map(|span| (span.page, text.slice(span.range))).collect();
        assert_eq!(spans, [(1, "one two"), (2, ""), (3, "dre\u{ef}")]);
    }

    #[test]
    fn a_separator_inside_a_page_makes_no_page() {
        let raw = ["a\n\n---PAGE 2---\n\nb", "\n\n---PAGE 3---\n\n", "c"];
        let text = pages(&raw);
        assert_eq!(text.pages().len(), 3);
        assert_eq!(text.slice(text.pages()[0].range), "a ---PAGE 2--- b");
        assert_eq!(CanonicalText::parse_archived(text.as_str(), 3).as_ref(), Ok(&text));
        assert_eq!(CanonicalText::from_plain(raw[0]).as_str(), "a ---PAGE 2--- b");
    }

    #[test]
    fn an_archived_text_restores_its_pages_and_rejects_wrong_counts() {
        for raw in [&["a b", "ü", "c"][..], &["", "", ""], &["only"], &[]] {
            let text = pages(raw);
            let count = u32::try_from(raw.len()).expect("small");
            assert_eq!(CanonicalText::parse_archived(text.as_str(), count).as_ref(), Ok(&text));
            if count > 1 {
                assert!(CanonicalText::parse_archived(text.as_str(), count - 1).is_err());
            }
            assert!(CanonicalText::parse_archived(text.as_str(), count + 1).is_err() || count == 0);
        }
        let plain = CanonicalText::from_plain("no pages");
        assert_eq!(CanonicalText::parse_archived("no pages", 0), Ok(plain));
    }

    #[test]
    fn slices_count_characters_and_clamp() {
        let text = CanonicalText::from_plain(&"aé漢😀".repeat(100));
        let all: Vec<char> = text.as_str().chars().collect();
        for (start, end) in [(0, 0), (0, 1), (1, 2), (63, 65), (64, 128), (127, 400), (399, 400), (0, 400)] {
            let want: String = all[start..end].iter().collect();
            assert_eq!(text.slice(CharRange::new(start, end)), want, "{start}-{end}");
        }
        assert_eq!(text.slice(CharRange::new(399, 9999)), "😀");
        assert_eq!(text.slice(CharRange::new(5, 4)), "");
        assert_eq!(text.slice(CharRange::new(9999, 10_000)), "");
    }

    #[test]
    fn a_locator_is_relative_to_its_page_and_resolves_back() {
        let text = pages(&["ab", "cde", "", "f"]);
        let range = CharRange::new(text.pages()[1].range.start + 1, text.pages()[1].range.end);
        let locator = text.locator(range);
        assert_eq!(locator.to_string(), "page:2:char:1-3");
        assert_eq!(text.resolve(&locator), Some(range));
        assert_eq!(text.page_of(range.start), Some(2));
        let across = CharRange::new(0, range.end);
        assert_eq!(text.locator(across).page, None);
        assert_eq!(text.resolve(&text.locator(across)), Some(across));
        assert_eq!(text.page_of(2), None);
        assert_eq!(CanonicalText::from_plain("abc").locator(CharRange::new(1, 3)).to_string(), "char:1-3");
    }

    #[test]
    fn a_locator_that_names_no_characters_of_the_text_does_not_resolve() {
        let text = pages(&["ab", ""]);
        for locator in ["page:1:char:0-3", "page:2:char:0-1", "page:3:char:0-1", "char:0-9999"] {
            assert_eq!(text.resolve(&locator.parse().expect(locator)), None, "{locator}");
        }
        let zero = Locator { page: Some(0), range: CharRange::new(0, 1) };
        assert_eq!(text.resolve(&zero), None);
        assert_eq!(CanonicalText::from_plain("ab").resolve(&"page:1:char:0-1".parse().expect("valid")), None);
    }

    #[test]
    fn truncating_keeps_at_most_the_limit_and_stays_canonical() {
        let plain = CanonicalText::from_plain("ab cd ef");
        for (max, want) in [(0, ""), (2, "ab"), (3, "ab"), (7, "ab cd e"), (8, "ab cd ef"), (9, "ab cd ef")] {
            assert_eq!(plain.truncate(max).as_str(), want, "{max}");
        }
        let paged = pages(&["ab cd", "ef"]);
        assert_eq!(paged.chars(), 23);
        for (max, want) in [(0, ""), (3, "ab"), (5, "ab cd"), (20, "ab cd"), (23, paged.as_str())] {
            assert_eq!(paged.truncate(max).as_str(), want, "{max}");
        }
        assert_eq!(paged.truncate(22).pages().len(), 2);
    }
}
