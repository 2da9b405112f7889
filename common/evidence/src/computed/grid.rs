//! The tables of a text as heads and cells.

use precis_language::words::lower_words;
use precis_language::{Language, detect};
use precis_proto::computed::ComputedCell;
use precis_proto::{Block, BlockKind, CharRange};
use precis_text::CanonicalText;
use precis_text::heading_paths::HeadingPaths;

use super::cell::{CellNumber, number};
use super::named_text::NamedText;

/// Numbers that may be years.
const YEARS: std::ops::RangeInclusive<u32> = 1_000..=2_199;
/// Least rows below the heads.
const LEAST_ROWS: usize = 2;
/// Least and most bytes of prose from which the language of a text is told. Chosen, not measured.
const LEAST_PROSE: usize = 120;
const MOST_PROSE: usize = 4_000;
/// Most rows of a table that is looked at. Bounds time.
const MOST_ROWS: usize = 20_000;

/// A table whose rows have a cell for each head.
#[derive(Debug)]
pub(super) struct Grid<'t> {
    pub(super) text: &'t CanonicalText,
    /// The heads of each column, outermost first; rarely more than one.
    pub(super) heads: Vec<Vec<CharRange>>,
    pub(super) rows: Vec<Vec<CharRange>>,
    /// The numbers in the cells of each row.
    pub(super) numbers: Vec<Vec<Option<CellNumber>>>,
    /// Words of what names the table, in lower case: headings, caption, title, file name.
    pub(super) names: Vec<String>,
    /// The language of the text, if it is known.
    pub(super) language: Option<Language>,
}

impl Grid<'_> {
    pub(super) fn cell(&self, row: usize, column: usize) -> &str {
        self.text.slice(self.rows[row][column]).trim()
    }

    /// The heads of a column, joined.
    pub(super) fn head(&self, column: usize) -> String {
        self.heads[column].iter().map(|head| self.text.slice(*head)).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn columns(&self) -> std::ops::Range<usize> {
        0..self.heads.len()
    }

    /// A range as a cell; `None` if it is empty.
    pub(super) fn locate(&self, range: CharRange) -> Option<ComputedCell> {
        (!range.is_empty())
            .then(|| ComputedCell { locator: self.text.locator(range), text: self.text.slice(range).to_owned() })
    }

    /// Whether its cells are years, or words.
    pub(super) fn has_years(&self, column: usize) -> bool {
        (0..self.rows.len()).all(|row| is_year(self.cell(row, column)) || self.numbers[row][column].is_none())
    }

    /// Whether at least half of the cells with text are numbers.
    pub(super) fn is_numeric(&self, column: usize) -> bool {
        let filled = (0..self.rows.len()).filter(|row| !self.cell(*row, column).is_empty()).count();
        let numbers = self.numbers.iter().filter(|row| row[column].is_some()).count();
        numbers > 0 && numbers * 2 >= filled
    }
}

/// The words of a head outside parentheses.
pub(super) fn head_words(head: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let bare = head.chars().filter(|c| {
        depth += usize::from(matches!(c, '(' | '[' | '（'));
        let is_outside = depth == 0;
        depth = depth.saturating_sub(usize::from(matches!(c, ')' | ']' | '）')));
        is_outside
    });
    lower_words(&bare.collect::<String>())
}

/// Whether a cell is a number that may be a year.
pub(super) fn is_year(cell: &str) -> bool {
    cell.len() == 4 && cell.parse().is_ok_and(|year| YEARS.contains(&year))
}

/// The tables of a text, in order; without those whose rows have other numbers of cells than their heads.
pub(super) fn grids<'t>(named: &NamedText<'t>) -> Vec<Grid<'t>> {
    let blocks = named.text.leaf_blocks();
    let paths = HeadingPaths::new(&blocks);
    let mut language = None;
    let mut found = Vec::new();
    let mut at = 0;
    while at < blocks.len() {
        let table = blocks[at].table.filter(|_| blocks[at].kind == BlockKind::TableRow);
        let is_of = |block: &&Block| block.kind == BlockKind::TableRow && block.table == table && table.is_some();
        let rows = blocks[at..].iter().take_while(is_of).count();
        if rows == 0 {
            at += 1;
            continue;
        }
        let known = *language.get_or_insert_with(|| language_of_prose(named.text, &blocks));
        let mut names = above(named, &blocks, at);
        names.extend(paths.names(named.text, at).iter().flat_map(|name| lower_words(name)));
        found.extend(grid(named.text, &blocks[at..at + rows], names, known));
        at += rows;
    }
    found
}

/// The language of what stands outside of tables, if there is enough of it: names and numbers alone look like any language.
fn language_of_prose(text: &CanonicalText, blocks: &[Block]) -> Option<Language> {
    let mut prose = String::new();
    for block in blocks.iter().filter(|block| block.kind == BlockKind::Paragraph) {
        prose.push_str(text.slice(block.range()));
        prose.push(' ');
        if prose.len() >= MOST_PROSE {
            break;
        }
    }
    (prose.len() >= LEAST_PROSE).then(|| detect(&prose).known).flatten()
}

/// The words of title, file name and caption of the table at `at`.
fn above(named: &NamedText<'_>, blocks: &[Block], at: usize) -> Vec<String> {
    let file = named.path.rsplit(['/', '\\']).next().unwrap_or_default();
    let file = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let beside = [at.checked_sub(1), Some(at)].into_iter().flatten().filter_map(|at| blocks.get(at));
    let caption = beside.filter(|block| block.kind == BlockKind::Caption).map(|block| named.text.slice(block.range()));
    [named.title, file].into_iter().chain(caption).flat_map(lower_words).collect()
}

fn grid<'t>(
    text: &'t CanonicalText,
    blocks: &[Block],
    names: Vec<String>,
    language: Option<Language>,
) -> Option<Grid<'t>> {
    let width = blocks.first()?.cells.len();
    if width < 2 || blocks.iter().any(|row| row.cells.len() != width) || blocks.len() > MOST_ROWS {
        return None;
    }
    let read = |block: &Block| -> Vec<Option<CellNumber>> {
        block.cells.iter().map(|cell| number(text.slice(*cell), language)).collect()
    };
    let marked = blocks.iter().take_while(|block| block.is_header).count();
    // A table that marks no heads may have them all the same: a first row of words over numbers.
    let first = read(&blocks[0]);
    let is_head = first.iter().all(Option::is_none) && !blocks[0].cells.iter().any(CharRange::is_empty);
    let heads = if marked == 0 { usize::from(is_head) } else { marked };
    let (above, below) = blocks.split_at(heads);
    if heads == 0 || below.len() < LEAST_ROWS || below.iter().any(|block| block.is_header) {
        return None;
    }
    let column = |at: usize| -> Vec<CharRange> {
        let mut own: Vec<CharRange> = above.iter().map(|row| row.cells[at]).filter(|cell| !cell.is_empty()).collect();
        own.dedup_by_key(|cell| text.slice(*cell));
        own
    };
    Some(Grid {
        text,
        heads: (0..width).map(column).collect(),
        rows: below.iter().map(|row| row.cells.clone()).collect(),
        numbers: below.iter().map(read).collect(),
        names,
        language,
    })
}
