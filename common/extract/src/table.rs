//! [`Leaves`]: the leaves of a document in order, with its tables assembled row by row.
//!
//! A row whose cells hold at most one block each becomes one leaf. A row with a cell of several blocks, a list or several paragraphs, becomes
//! one too if its table holds data: it has headers, or the same number of columns in every row, and no cell is as long as a page. In other
//! tables such a row is page layout, so its blocks stay leaves of their own; so does the only cell of a row. Nested tables cost no stack: a
//! row records where its leaves begin. Which words stand in which column is decided by [`Columns`].

use std::collections::BTreeMap;
use std::ops::Range;

use precis_proto::BlockKind;
use precis_text::Leaf;

pub(super) use super::columns::Cell;
use super::columns::{ColumnRow, Columns, MergedLeft};
use super::runs::{LeftOut, RunText, Words};

/// Most blocks in a cell of a data table; chosen.
const MAX_CELL_BLOCKS: usize = 50;
/// Most characters in a cell of several blocks in a data table: more is a part of a page. Chosen.
const MAX_CELL_CHARS: usize = 2_000;

/// Collects the leaves of a document.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    leaves: Vec<Leaf>,
    tables: Vec<OpenTable>,
    /// Number of tables that have rows.
    numbered: u32,
    /// What may still be added for merged cells.
    merged_left: MergedLeft,
    /// What was left out of the words so far.
    left_out: LeftOut,
}

#[derive(Debug, Default)]
struct OpenTable {
    /// Its number, set when one of its rows becomes a leaf.
    number: Option<u32>,
    row: Option<CellRow>,
    columns: Columns,
    facts: TableFacts,
    /// Rows with a cell of several blocks, until it is known whether the table holds data.
    pending: Vec<PendingRow>,
}

/// What tells a table of data from one that arranges a page.
#[derive(Debug, Default)]
struct TableFacts {
    /// It is declared to arrange a page, or has a cell as long as a page.
    is_layout: bool,
    /// It names its columns or rows.
    has_headers: bool,
    /// A cell holds a heading, a table or another part of a page.
    has_parts: bool,
    rows: usize,
    /// The number of columns of its first row; 0 if another row has another.
    width: usize,
}

impl TableFacts {
    fn take(&mut self, width: usize) {
        self.width = if self.rows == 0 || self.width == width { width } else { 0 };
        self.rows += 1;
    }

    fn is_data(&self) -> bool {
        let is_even = self.rows > 1 && self.width > 1 && !self.has_parts;
        !self.is_layout && (self.has_headers || is_even)
    }
}

/// A row whose leaves are not yet joined.
#[derive(Debug)]
struct PendingRow {
    leaves: Range<usize>,
    is_header: bool,
    texts: Vec<String>,
}

#[derive(Debug)]
struct CellRow {
    is_header: bool,
    /// Index of its first leaf.
    start: usize,
    cells: Vec<(Cell, usize)>,
}

impl Leaves {
    /// The words of a block; what is left out of them is counted.
    pub(super) fn block_words(&mut self, text: RunText) -> Words {
        let words = text.words();
        self.count(words.left_out);
        words
    }

    /// Counts what was left out of words.
    pub(super) fn count(&mut self, left_out: LeftOut) {
        self.left_out += left_out;
    }

    /// A leaf of `kind` with what `text` says; `None` if it says nothing.
    pub(super) fn leaf(&mut self, kind: BlockKind, text: RunText) -> Option<Leaf> {
        let (words, lines) = if kind == BlockKind::Code { text.code() } else { (text.words(), Vec::new()) };
        let Words { text, notes, links, left_out, .. } = words;
        self.count(left_out);
        (!text.is_empty()).then(|| Leaf {
            notes,
            links,
            is_struck: left_out.struck > 0,
            lines,
            ..Leaf::new(kind, text)
        })
    }

    /// What was left out of the words so far.
    pub(super) fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// Appends a leaf.
    pub(super) fn push(&mut self, leaf: Leaf) {
        self.leaves.push(leaf);
    }

    /// Appends leaves whose tables are numbered from 1.
    pub(super) fn extend(&mut self, leaves: Vec<Leaf>) {
        let before = self.numbered;
        for mut leaf in leaves {
            if let Some(table) = &mut leaf.table {
                *table += before;
                self.numbered = self.numbered.max(*table);
            }
            self.leaves.push(leaf);
        }
    }

    /// The leaf added last.
    pub(super) fn last(&mut self) -> Option<&mut Leaf> {
        self.leaves.last_mut()
    }

    /// Number of leaves so far.
    pub(super) fn len(&self) -> usize {
        self.leaves.len()
    }

    /// The leaves from index `start` on.
    pub(super) fn since(&mut self, start: usize) -> &mut [Leaf] {
        self.leaves.get_mut(start..).unwrap_or_default()
    }

    pub(super) fn open_table(&mut self) {
        self.tables.push(OpenTable::default());
    }

    pub(super) fn close_table(&mut self) {
        self.close_row();
        if let Some(table) = self.tables.last_mut()
            && table.facts.is_data()
        {
            let pending = std::mem::take(&mut table.pending);
            self.join_pending(pending);
        }
        self.tables.pop();
    }

    /// Notes that the open table only arranges the page.
    pub(super) fn table_is_layout(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            table.facts.is_layout = true;
        }
    }

    /// Appends a row of the open table, given as a list of cells.
    pub(super) fn push_row(&mut self, is_header: bool, cells: &[impl AsRef<str>]) {
        let number = self.number();
        self.leaves.push(Leaf::row(number, is_header, cells));
    }

    /// Appends a row of the open table, whose cells may span columns and rows.
    pub(super) fn push_cells(&mut self, is_header: bool, cells: &[(Cell, String)]) {
        let Some(table) = self.tables.last_mut() else { return };
        let texts = table.columns.row(cells, is_header, &mut self.merged_left).texts;
        self.push_row(is_header, &texts);
    }

    /// The leaves of a part, such as a cell, with what may still be added for merged cells; [`Self::end_inner`] ends them.
    pub(super) fn inner(&mut self) -> Self {
        Self { merged_left: std::mem::take(&mut self.merged_left), ..Self::default() }
    }

    /// The leaves of an `inner` part, which are not added; what it left out is counted.
    pub(super) fn end_inner(&mut self, mut inner: Self) -> Vec<Leaf> {
        self.merged_left = std::mem::take(&mut inner.merged_left);
        self.count(inner.left_out);
        inner.finish()
    }

    /// Begins a group of rows of the open table.
    pub(super) fn begin_row_group(&mut self) {
        self.close_row();
        if let Some(table) = self.tables.last_mut() {
            table.columns.begin_group();
        }
    }

    /// Begins a row and ends the one still open.
    pub(super) fn open_row(&mut self, is_header: bool) {
        self.close_row();
        let start = self.leaves.len();
        if let Some(table) = self.tables.last_mut() {
            table.row = Some(CellRow { is_header, start, cells: Vec::new() });
        }
    }

    /// Begins a cell of the open row.
    pub(super) fn open_cell(&mut self, cell: Cell) {
        let start = self.leaves.len();
        if let Some(row) = self.tables.last_mut().and_then(|table| table.row.as_mut()) {
            row.cells.push((cell, start));
        }
    }

    /// Marks the open row as a header row.
    pub(super) fn row_is_header(&mut self) {
        if let Some(row) = self.tables.last_mut().and_then(|table| table.row.as_mut()) {
            row.is_header = true;
        }
    }

    /// Notes that the cell opened last continues the one above it.
    pub(super) fn cell_goes_on(&mut self) {
        let row = self.tables.last_mut().and_then(|table| table.row.as_mut());
        if let Some((cell, _)) = row.and_then(|row| row.cells.last_mut()) {
            cell.goes_on = true;
        }
    }

    /// Sets the number of columns spanned by the cell opened last.
    pub(super) fn cell_takes(&mut self, columns: usize) {
        let row = self.tables.last_mut().and_then(|table| table.row.as_mut());
        if let Some((cell, _)) = row.and_then(|row| row.cells.last_mut()) {
            cell.columns = columns;
        }
    }

    pub(super) fn close_row(&mut self) {
        let Some(row) = self.tables.last_mut().and_then(|table| table.row.take()) else { return };
        let ends = row.cells.iter().skip(1).map(|(_, start)| *start).chain([self.leaves.len()]);
        let spans: Vec<Range<usize>> = row.cells.iter().zip(ends).map(|((_, start), end)| *start..end).collect();
        let names = row.cells.iter().filter(|(cell, _)| cell.is_header).count();
        // The corner above the row headers is often an empty cell.
        let is_named = |at: usize| row.cells[at].0.is_header || spans[at].is_empty();
        let is_header = row.is_header || (2 * names > row.cells.len() && (0..row.cells.len()).all(is_named));
        let is_long = spans.iter().any(|span| self.is_long(span.clone()));
        let columns = self.columns(&row, &spans, is_header, is_long);
        if is_long || row.cells.first().is_none_or(|(_, start)| *start != row.start) || self.leaves.len() == row.start {
            return;
        }
        let kinds = || self.leaves[row.start..].iter().map(|leaf| leaf.kind);
        let first = self.leaves[row.start].kind;
        let is_simple = spans.iter().all(|span| span.len() <= 1);
        if matches!(first, BlockKind::Footnote | BlockKind::Reference | BlockKind::Furniture) {
            if is_simple && kinds().all(|kind| kind == first) {
                self.join(row.start);
            }
            return;
        }
        let is_row = row.cells.len() > 1 || row.cells[0].0.is_header || columns.has_label;
        let fits = kinds().all(fits_a_cell);
        let leaves = row.start..self.leaves.len();
        if is_row && is_simple && fits {
            let joined = self.join_row(leaves, is_header, &columns.texts);
            self.leaves.truncate(row.start);
            self.leaves.push(joined);
        } else if is_row && let Some(table) = self.tables.last_mut() {
            table.facts.has_parts |= !fits;
            table.pending.push(PendingRow { leaves, is_header, texts: columns.texts });
        }
    }

    /// Whether the leaves of a cell are a part of a page by their number or length.
    fn is_long(&self, span: Range<usize>) -> bool {
        let chars = || self.leaves[span.clone()].iter().map(|leaf| leaf.text.chars().count()).sum::<usize>();
        span.len() > MAX_CELL_BLOCKS || (span.len() > 1 && chars() > MAX_CELL_CHARS)
    }

    /// The words of `row` in its columns; also of a row that becomes no leaf, because its cells may span rows below.
    fn columns(&mut self, row: &CellRow, spans: &[Range<usize>], is_header: bool, is_long: bool) -> ColumnRow {
        let Some(table) = self.tables.last_mut() else { return ColumnRow::default() };
        let leaves = &self.leaves;
        let words = |span: &Range<usize>| match is_long {
            true => String::new(),
            false => leaves[span.clone()].iter().map(|leaf| leaf.text.as_str()).collect::<Vec<_>>().join("\n"),
        };
        let cells: Vec<(Cell, String)> =
            row.cells.iter().zip(spans).map(|((cell, _), span)| (*cell, words(span))).collect();
        let columns = table.columns.row(&cells, is_header, &mut self.merged_left);
        table.facts.is_layout |= is_long;
        if table.facts.is_layout {
            table.pending.clear();
        }
        table.facts.has_headers |= row.cells.len() > 1 && row.cells.iter().any(|(cell, _)| cell.is_header);
        table.facts.has_headers |= row.is_header;
        table.facts.take(columns.texts.len());
        columns
    }

    /// Joins the leaves of each of the rows, which are in order.
    fn join_pending(&mut self, rows: Vec<PendingRow>) {
        let Some(start) = rows.first().map(|row| row.leaves.start) else { return };
        let mut made: Vec<(Range<usize>, Leaf)> = Vec::with_capacity(rows.len());
        for row in rows {
            let leaf = self.join_row(row.leaves.clone(), row.is_header, &row.texts);
            made.push((row.leaves, leaf));
        }
        let rest = self.leaves.split_off(start);
        let mut made = made.into_iter().peekable();
        for (at, leaf) in (start..).zip(rest) {
            if let Some((range, _)) = made.peek() {
                if at < range.start {
                    self.leaves.push(leaf);
                } else if at + 1 == range.end {
                    self.leaves.extend(made.next().map(|(_, joined)| joined));
                }
            } else {
                self.leaves.push(leaf);
            }
        }
    }

    /// Joins notes, references and menus set in columns: they keep their kind, with one leaf per row.
    fn join(&mut self, start: usize) {
        let rest = self.leaves.split_off(start + 1);
        if let Some(whole) = self.leaves.last_mut() {
            for leaf in rest {
                whole.text.push('\n');
                whole.text.push_str(&leaf.text);
                whole.is_struck |= leaf.is_struck;
                whole.is_collapsed |= leaf.is_collapsed;
                whole.notes.extend(leaf.notes);
                whole.links.extend(leaf.links);
            }
        }
    }

    /// One leaf for the leaves of a row, whose columns have these `texts`.
    fn join_row(&mut self, leaves: Range<usize>, is_header: bool, texts: &[String]) -> Leaf {
        let number = self.number();
        let parts = &self.leaves[leaves];
        Leaf {
            is_struck: parts.iter().any(|leaf| leaf.is_struck),
            is_collapsed: parts.iter().any(|leaf| leaf.is_collapsed),
            notes: parts.iter().flat_map(|leaf| leaf.notes.iter().cloned()).collect(),
            links: parts.iter().flat_map(|leaf| leaf.links.iter().cloned()).collect(),
            ..Leaf::row(number, is_header, texts)
        }
    }

    fn number(&mut self) -> u32 {
        let Some(table) = self.tables.last_mut() else { return 1 };
        *table.number.get_or_insert_with(|| {
            self.numbered += 1;
            self.numbered
        })
    }

    /// All leaves; rows still open are ended.
    pub(super) fn finish(mut self) -> Vec<Leaf> {
        while !self.tables.is_empty() {
            self.close_table();
        }
        // Rows that waited for the end of their table were numbered late, and tables in cells may be gone.
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        for table in self.leaves.iter_mut().filter_map(|leaf| leaf.table.as_mut()) {
            let next = numbers.len() as u32 + 1;
            *table = *numbers.entry(*table).or_insert(next);
        }
        self.leaves
    }
}

/// Whether a block of this kind is the content of a cell, rather than a part of the page that a layout table arranges.
fn fits_a_cell(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Paragraph | BlockKind::ListItem | BlockKind::FormField | BlockKind::Quotation)
}

#[cfg(test)]
mod tests;
