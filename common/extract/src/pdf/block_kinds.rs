//! Determines the kind of each block of a page by comparing its type with the document's body type. In doubt, a block is a paragraph.

use precis_language::heading::{begins_caption, heads_references};
use precis_proto::BlockKind;

use super::super::marker::{Family, marker};
use super::line::Line;
use super::page_block::PageBlock;
use super::paragraphs::{Paragraph, ends_sentence};

/// Least size of heading type, relative to body type.
const HEADING: f64 = 1.12;
/// Most lines and characters of a heading; a bold one may have fewer characters.
const HEADING_LINES: usize = 4;
const HEADING_CHARS: usize = 200;
const BOLD_CHARS: usize = 120;
/// A longer block that ends a sentence is a lead, not a heading.
const LEAD_CHARS: usize = 80;
/// Lowest level of headings, as in HTML.
const MAX_LEVEL: u8 = 6;
/// Largest size of note type, relative to body type.
const SMALL: f64 = 0.92;
/// Part of a page's height below which notes are found.
const FOOT: f64 = 0.5;
/// Longest label and value of a form that are one leaf; a longer block is text that contains a value.
const FIELD_CHARS: usize = 160;
/// The type used in a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Typography {
    /// Size of most of its characters, in points.
    pub(super) body: f64,
    /// Whether most of it is bold, or of fixed pitch; if so, these properties distinguish nothing.
    is_bold: bool,
    is_fixed: bool,
    /// Sizes of headings in quarter points, the largest first.
    headings: Vec<i64>,
}

impl Typography {
    /// Measures the blocks of all pages.
    pub(super) fn from_pages(pages: &[Vec<PageBlock>]) -> Self {
        let mut sizes: std::collections::BTreeMap<i64, usize> = Default::default();
        let (mut all, mut bold, mut fixed) = (0, 0, 0);
        for line in pages.iter().flatten().flat_map(lines) {
            let len = line.text.len();
            *sizes.entry(quarters(line.em)).or_default() += len;
            all += len;
            bold += if line.bold { len } else { 0 };
            fixed += if line.fixed { len } else { 0 };
        }
        let body = sizes.iter().max_by_key(|(_, len)| **len).map_or(0.0, |(size, _)| *size as f64 / 4.0);
        let mut this = Self { body, is_bold: bold * 2 > all, is_fixed: fixed * 2 > all, headings: Vec::new() };
        let mut headings: Vec<i64> = pages
            .iter()
            .flatten()
            .filter_map(|b| match b {
                PageBlock::Paragraph(p) if this.is_large(p) => p.lines.first().map(|line| quarters(line.em)),
                _ => None,
            })
            .collect();
        headings.sort_unstable_by(|a, b| b.cmp(a));
        headings.dedup();
        this.headings = headings;
        this
    }

    fn is_large(&self, p: &Paragraph) -> bool {
        p.lines.iter().all(|line| line.em >= HEADING * self.body) && is_title(p)
    }

    fn is_heavy(&self, p: &Paragraph) -> bool {
        let bold = !self.is_bold && p.lines.iter().all(|line| line.bold && line.em >= 0.95 * self.body);
        bold && is_title(p)
            && p.lines.len() <= 2
            && chars(p) <= BOLD_CHARS
            && p.lines.last().is_some_and(|l| !l.text.ends_with([',', ';']))
    }

    /// Level of a heading, from 1: by size in descending order; headings that are only bold come last.
    fn level(&self, p: &Paragraph) -> u8 {
        let size = p.lines.first().map_or(0, |line| quarters(line.em));
        let above = self.headings.iter().filter(|other| **other > size).count();
        u8::try_from(above + 1).unwrap_or(MAX_LEVEL).min(MAX_LEVEL)
    }
}

/// The blocks before, as far as the kind of later blocks depends on them.
#[derive(Debug, Default)]
pub(super) struct PrecedingKind {
    kind: Option<BlockKind>,
    /// Level of the heading above a list of references.
    references: Option<u8>,
}

/// A block's kind, with the level of a heading and the marker of an item.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LeafKind {
    pub(super) kind: BlockKind,
    pub(super) level: Option<u8>,
    pub(super) marker: Option<String>,
}

/// The height at which the foot of a page begins, where notes are found.
pub(super) fn foot(page: &[PageBlock]) -> f64 {
    let heights = page.iter().flat_map(lines).map(|line| line.v);
    let (top, bottom) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    top + FOOT * (bottom - top)
}

/// The kind of block `at` of a page whose foot begins at `foot`.
pub(super) fn kind(
    page: &[PageBlock],
    at: usize,
    foot: f64,
    kinds: &Typography,
    before: &mut PrecedingKind,
) -> LeafKind {
    let mut found = LeafKind { kind: BlockKind::Paragraph, level: None, marker: None };
    match &page[at] {
        PageBlock::Furniture(_) => found.kind = BlockKind::Furniture,
        PageBlock::Row(row, _) => {
            let is_field = row.cells.iter().flatten().any(|line| line.field);
            found.kind = if is_field { BlockKind::FormField } else { BlockKind::TableRow };
        }
        PageBlock::Paragraph(p) => {
            found.kind = paragraph(page, at, p, foot, kinds, before);
            if found.kind == BlockKind::Heading {
                let level = kinds.level(p);
                found.level = Some(level);
                before.note_heading(p, level);
            }
            if found.kind == BlockKind::ListItem {
                found.marker = first_line(p).and_then(|line| marker(&line.text)).map(|mark| mark.text.to_owned());
            }
        }
    }
    if found.kind != BlockKind::Furniture {
        before.kind = Some(found.kind);
    }
    found
}

impl PrecedingKind {
    fn note_heading(&mut self, p: &Paragraph, level: u8) {
        let text = p.lines.iter().map(|l| l.text.as_str()).collect::<Vec<_>>().join(" ");
        let name = text
            .trim_start_matches(|c: char| c.is_numeric() || matches!(c, '.' | ' '))
            .trim_end_matches([':', ' '])
            .to_lowercase();
        if heads_references(&name) {
            self.references = Some(level);
        } else if self.references.is_some_and(|over| level <= over) {
            self.references = None;
        }
    }
}

fn paragraph(
    page: &[PageBlock],
    at: usize,
    p: &Paragraph,
    foot: f64,
    kinds: &Typography,
    before: &PrecedingKind,
) -> BlockKind {
    if p.lines.iter().any(|line| line.field) && chars(p) <= FIELD_CHARS {
        return BlockKind::FormField;
    }
    if p.lines.iter().all(|line| line.fixed) && !kinds.is_fixed {
        return BlockKind::Code;
    }
    if is_caption(p) {
        return BlockKind::Caption;
    }
    let bullet = first_line(p).and_then(|line| marker(&line.text));
    if bullet.is_none_or(|mark| mark.family != Family::Bullet) && (kinds.is_large(p) || kinds.is_heavy(p)) {
        return BlockKind::Heading;
    }
    if is_note(p, foot, kinds, before) {
        return BlockKind::Footnote;
    }
    if before.references.is_some() {
        return BlockKind::Reference;
    }
    match bullet {
        Some(mark) if mark.family == Family::Bullet && !is_dash(mark.text) => BlockKind::ListItem,
        Some(_) if hangs(p) || has_kin(page, at) => BlockKind::ListItem,
        _ => BlockKind::Paragraph,
    }
}

fn is_dash(mark: &str) -> bool {
    matches!(mark, "-" | "–" | "—" | "*" | "·" | "+")
}

/// Whether its further lines are indented behind its marker.
fn hangs(p: &Paragraph) -> bool {
    p.lines.len() > 1 && p.lines[1].u0 > p.lines[0].u0 + 0.4 * p.lines[0].em
}

/// Whether the block before or behind begins with a marker at the same edge.
fn has_kin(page: &[PageBlock], at: usize) -> bool {
    let edge = |k: usize| match page.get(k) {
        Some(PageBlock::Paragraph(p)) => first_line(p).filter(|l| marker(&l.text).is_some()).map(|l| l.u0),
        _ => None,
    };
    let Some(own) = edge(at) else {
        return false;
    };
    let kin = |k: usize| edge(k).is_some_and(|other| (other - own).abs() < 2.0);
    kin(at + 1) || at.checked_sub(1).is_some_and(kin)
}

/// Whether it is in small type at the foot of the page and begins with a note sign, or follows a note.
fn is_note(p: &Paragraph, foot: f64, kinds: &Typography, before: &PrecedingKind) -> bool {
    let small = p.lines.iter().all(|line| line.em <= SMALL * kinds.body);
    let (Some(first), true) = (first_line(p), small) else {
        return false;
    };
    let at_foot = first.v > foot;
    let sign = first.text.chars().next().is_some_and(|c| c.is_ascii_digit() || "*†‡§¶¹²³⁴⁵⁶⁷⁸⁹".contains(c));
    at_foot && (sign || before.kind == Some(BlockKind::Footnote))
}

fn is_caption(p: &Paragraph) -> bool {
    let Some(line) = first_line(p) else {
        return false;
    };
    let mut words = line.text.split_whitespace();
    let word = words.next().unwrap_or_default();
    if let Some(rest) = word.strip_prefix(['図', '图', '圖', '表']) {
        return rest.starts_with(|c: char| c.is_numeric())
            || (rest.is_empty() && words.next().is_some_and(|w| w.starts_with(char::is_numeric)));
    }
    let number = words.next().unwrap_or_default();
    let counted = number.trim_end_matches([':', '.', '-', '–', '—', '|']);
    let is_number = counted.starts_with(|c: char| c.is_ascii_digit())
        || (!counted.is_empty() && counted.chars().all(|c| "IVX".contains(c)));
    let upper = word.chars().next().is_some_and(char::is_uppercase);
    // "Table 3 shows" begins a sentence; "Table 3" and "Table 3: Results" do not.
    let stands_alone = counted.len() < number.len() || words.next().is_none_or(|w| !w.starts_with(char::is_lowercase));
    upper && is_number && stands_alone && begins_caption(&word.to_lowercase())
}

fn is_title(p: &Paragraph) -> bool {
    let count = chars(p);
    let has_letters = p.lines.iter().any(|line| line.text.chars().any(char::is_alphabetic));
    let is_lead = count > LEAD_CHARS && p.lines.last().is_some_and(|line| ends_sentence(&line.text));
    has_letters && p.lines.len() <= HEADING_LINES && count <= HEADING_CHARS && !is_lead
}

fn chars(p: &Paragraph) -> usize {
    p.lines.iter().map(|line| line.text.chars().count()).sum()
}

fn first_line(p: &Paragraph) -> Option<&Line> {
    p.lines.first()
}

/// The text lines of a block; empty for furniture.
pub(super) fn lines(block: &PageBlock) -> Vec<&Line> {
    match block {
        PageBlock::Paragraph(p) => p.lines.iter().collect(),
        PageBlock::Row(row, _) => row.cells.iter().flatten().collect(),
        PageBlock::Furniture(_) => Vec::new(),
    }
}

fn quarters(em: f64) -> i64 {
    (em * 4.0).round() as i64
}
