//! [`Leaves`]: the leaves of a document in order, with its tables assembled row by row.
//!
//! A row whose cells hold at most one block each becomes one leaf. A row with a cell of several blocks is page layout, so its blocks stay
//! leaves of their own; so does the only cell of a row. Nested tables cost no stack: a row records where its leaves begin.

use std::ops::Range;

use precis_proto::BlockKind;
use precis_proto::block::MAX_BLOCKS;
use precis_text::Leaf;

use super::runs::{LeftOut, RunText, Words};

/// Most columns that one cell may span; chosen, not measured.
const MAX_SPAN: usize = 64;
/// Most columns of a table in which cells spanning several rows are tracked.
const MAX_COLUMNS: usize = 256;

/// The properties of a cell when it begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// Whether it is the header of a column or row.
    pub(super) is_header: bool,
    /// Number of columns it spans, at least 1.
    pub(super) columns: usize,
    /// Number of rows it spans, at least 1.
    pub(super) rows: usize,
}

/// Collects the leaves of a document.
#[derive(Debug)]
pub(super) struct Leaves {
    leaves: Vec<Leaf>,
    tables: Vec<OpenTable>,
    /// Number of tables that have rows.
    numbered: u32,
    /// Empty cells that may still be added for cells that span columns or rows: a page of ten megabytes could ask for any number.
    padding_left: usize,
    /// What was left out of the words so far.
    left_out: LeftOut,
}

impl Default for Leaves {
    fn default() -> Self {
        Self {
            leaves: Vec::new(),
            tables: Vec::new(),
            numbered: 0,
            padding_left: MAX_BLOCKS,
            left_out: LeftOut::default(),
        }
    }
}

#[derive(Debug, Default)]
struct OpenTable {
    /// Its number, set when one of its rows becomes a leaf.
    number: Option<u32>,
    row: Option<CellRow>,
    /// For each column, the rows that a cell above still spans.
    reaching: Vec<usize>,
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
    pub(super) fn said(&mut self, text: RunText) -> Words {
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
        let Words { text, notes, left_out } = self.said(text);
        (!text.is_empty()).then(|| Leaf { notes, is_struck: left_out.struck > 0, ..Leaf::new(kind, text) })
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
        self.tables.pop();
    }

    /// Appends a row of the open table, given as a list of cells.
    pub(super) fn push_row(&mut self, is_header: bool, cells: &[impl AsRef<str>]) {
        let number = self.number();
        self.leaves.push(Leaf::row(number, is_header, cells));
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

    /// Sets the number of columns spanned by the cell opened last.
    pub(super) fn cell_takes(&mut self, columns: usize) {
        let row = self.tables.last_mut().and_then(|table| table.row.as_mut());
        if let Some((cell, _)) = row.and_then(|row| row.cells.last_mut()) {
            cell.columns = columns;
        }
    }

    pub(super) fn close_row(&mut self) {
        let Some(row) = self.tables.last_mut().and_then(|table| table.row.take()) else { return };
        // Even if the row does not become a leaf: its cells may span rows below.
        let columns = self.columns(&row);
        let ends = row.cells.iter().skip(1).map(|(_, start)| *start).chain([self.leaves.len()]);
        let spans: Vec<Range<usize>> = row.cells.iter().zip(ends).map(|((_, start), end)| *start..end).collect();
        let is_whole = row.cells.first().is_some_and(|(_, start)| *start == row.start)
            && spans.iter().all(|span| span.len() <= 1)
            && self.leaves.len() > row.start;
        if !is_whole {
            return;
        }
        let kinds = || self.leaves[row.start..].iter().map(|leaf| leaf.kind);
        let first = self.leaves[row.start].kind;
        if matches!(first, BlockKind::Footnote | BlockKind::Reference | BlockKind::Furniture) {
            if kinds().all(|kind| kind == first) {
                self.join(row.start);
            }
        } else if kinds().all(fits_a_cell) && (row.cells.len() > 1 || row.cells[0].0.is_header) {
            self.make_row(&row, &columns, &spans);
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
                whole.notes.extend(leaf.notes);
            }
        }
    }

    /// Turns the leaves of `row`, at most one per cell, into one leaf.
    fn make_row(&mut self, row: &CellRow, columns: &[Option<usize>], spans: &[Range<usize>]) {
        // The corner above the row headers is often an empty cell.
        let names = row.cells.iter().filter(|(cell, _)| cell.is_header).count();
        let is_named = |at: usize| row.cells[at].0.is_header || spans[at].is_empty();
        let is_header = row.is_header || (2 * names > row.cells.len() && (0..row.cells.len()).all(is_named));
        let number = self.number();
        let text = |cell: &Option<usize>| match cell.and_then(|at| self.leaves[spans[at].clone()].first()) {
            Some(leaf) => leaf.text.as_str(),
            None => "",
        };
        let texts: Vec<&str> = columns.iter().map(text).collect();
        let parts = &self.leaves[row.start..];
        let leaf = Leaf {
            is_struck: parts.iter().any(|leaf| leaf.is_struck),
            notes: parts.iter().flat_map(|leaf| leaf.notes.iter().cloned()).collect(),
            ..Leaf::row(number, is_header, &texts)
        };
        self.leaves.truncate(row.start);
        self.leaves.push(leaf);
    }

    /// The columns of a row: the index of the cell that begins there, or `None` if a cell of this row or of one above spans it.
    fn columns(&mut self, row: &CellRow) -> Vec<Option<usize>> {
        let Some(table) = self.tables.last_mut() else { return Vec::new() };
        let reaching = &mut table.reaching;
        let mut columns = Vec::with_capacity(row.cells.len());
        let skip = |columns: &mut Vec<Option<usize>>, reaching: &mut Vec<usize>, left: &mut usize| {
            while let Some(rows) = reaching.get_mut(columns.len()).filter(|rows| **rows > 0) {
                if *left == 0 {
                    break;
                }
                (*rows, *left) = (*rows - 1, *left - 1);
                columns.push(None);
            }
        };
        for (at, (cell, _)) in row.cells.iter().enumerate() {
            skip(&mut columns, reaching, &mut self.padding_left);
            for n in 0..cell.columns.clamp(1, MAX_SPAN) {
                if n > 0 && self.padding_left == 0 {
                    break;
                }
                self.padding_left -= usize::from(n > 0);
                let column = columns.len();
                if cell.rows > 1 && column < MAX_COLUMNS {
                    reaching.resize(reaching.len().max(column + 1), 0);
                    reaching[column] = cell.rows - 1;
                }
                columns.push((n == 0).then_some(at));
            }
        }
        skip(&mut columns, reaching, &mut self.padding_left);
        columns
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
        self.leaves
    }
}

/// Whether a block of this kind is the content of a cell, rather than a part of the page that a layout table arranges.
fn fits_a_cell(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Paragraph | BlockKind::ListItem | BlockKind::FormField | BlockKind::Quotation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(leaves: &mut Leaves, text: &str) {
        leaves.push(Leaf::new(BlockKind::Paragraph, text));
    }

    fn row(leaves: &mut Leaves, cells: &[(Cell, &str)]) {
        leaves.open_row(false);
        for (cell, text) in cells {
            leaves.open_cell(*cell);
            if !text.is_empty() {
                push(leaves, text);
            }
        }
        leaves.close_row();
    }

    fn shown(leaf: &Leaf) -> String {
        let cells: Vec<&str> = leaf.cells.iter().map(|cell| &leaf.text[cell.clone()]).collect();
        match leaf.table {
            Some(table) => format!("{table}{} {}", if leaf.is_header { "h" } else { "" }, cells.join("|")),
            None => leaf.text.clone(),
        }
    }

    const PLAIN: Cell = Cell { is_header: false, columns: 1, rows: 1 };
    const HEAD: Cell = Cell { is_header: true, columns: 1, rows: 1 };

    #[test]
    fn cells_of_several_columns_or_rows_keep_the_others_in_their_columns() {
        let mut leaves = Leaves::default();
        leaves.open_table();
        row(&mut leaves, &[(HEAD, "a"), (Cell { columns: 2, ..HEAD }, "b"), (HEAD, "c")]);
        row(&mut leaves, &[(Cell { rows: 3, ..HEAD }, "1"), (PLAIN, "2"), (PLAIN, ""), (PLAIN, "4")]);
        row(&mut leaves, &[(PLAIN, "5"), (PLAIN, "6")]);
        row(&mut leaves, &[(PLAIN, "7"), (PLAIN, "8"), (PLAIN, "9")]);
        row(&mut leaves, &[(PLAIN, "10"), (PLAIN, "11")]);
        leaves.close_table();
        let found: Vec<String> = leaves.finish().iter().map(shown).collect();
        assert_eq!(found, ["1h a|b||c", "1 1|2||4", "1 |5|6", "1 |7|8|9", "1 10|11"]);
    }

    #[test]
    fn a_row_that_arranges_blocks_leaves_them_alone() {
        let mut leaves = Leaves::default();
        leaves.open_table();
        leaves.open_row(false);
        leaves.open_cell(PLAIN);
        push(&mut leaves, "menu");
        leaves.open_cell(PLAIN);
        leaves.open_table();
        row(&mut leaves, &[(PLAIN, "x"), (PLAIN, "y")]);
        leaves.close_table();
        push(&mut leaves, "text");
        leaves.close_row();
        row(&mut leaves, &[(PLAIN, "alone")]);
        row(&mut leaves, &[(PLAIN, "p"), (PLAIN, "q")]);
        leaves.close_table();
        leaves.open_table();
        row(&mut leaves, &[(PLAIN, "r"), (PLAIN, "s")]);
        let found: Vec<String> = leaves.finish().iter().map(shown).collect();
        assert_eq!(found, ["menu", "1 x|y", "text", "alone", "2 p|q", "3 r|s"]);
    }

    #[test]
    fn references_set_in_columns_are_one_leaf_a_row() {
        let mut leaves = Leaves::default();
        leaves.open_table();
        leaves.open_row(false);
        for text in ["[1]", "A. B., 2001."] {
            leaves.open_cell(PLAIN);
            leaves.push(Leaf::new(BlockKind::Reference, text));
        }
        let found = leaves.finish();
        assert_eq!(
            (found.len(), found[0].kind, found[0].text.as_str()),
            (1, BlockKind::Reference, "[1]\nA. B., 2001.")
        );
    }

    #[test]
    fn spans_are_bounded() {
        for (columns, cells) in [(MAX_SPAN - 1, MAX_SPAN), (MAX_SPAN, MAX_SPAN + 1), (MAX_SPAN + 1, MAX_SPAN + 1)] {
            let mut leaves = Leaves::default();
            leaves.open_table();
            row(&mut leaves, &[(Cell { columns, ..PLAIN }, "a"), (PLAIN, "b")]);
            assert_eq!(leaves.finish()[0].cells.len(), cells, "{columns}");
        }
        for (left, cells) in [(2, 4), (3, 5), (4, 5)] {
            let mut leaves = Leaves { padding_left: left, ..Leaves::default() };
            leaves.open_table();
            row(&mut leaves, &[(Cell { columns: 4, ..PLAIN }, "a"), (PLAIN, "b")]);
            assert_eq!(leaves.finish()[0].cells.len(), cells, "{left}");
        }
        for (column, reached) in [(MAX_COLUMNS - 1, true), (MAX_COLUMNS, false), (MAX_COLUMNS + 1, false)] {
            let mut leaves = Leaves::default();
            leaves.open_table();
            let mut cells = vec![(PLAIN, "x"); column];
            row(&mut leaves, &[cells.as_slice(), &[(Cell { rows: 2, ..PLAIN }, "down")]].concat());
            cells.push((PLAIN, "y"));
            row(&mut leaves, &cells);
            let found = leaves.finish();
            assert_eq!(found[1].cells.len(), column + 1 + usize::from(reached), "{column}");
        }
    }

    #[test]
    fn what_stands_in_no_table_is_passed_on() {
        let mut leaves = Leaves::default();
        leaves.open_row(true);
        leaves.open_cell(PLAIN);
        push(&mut leaves, "x");
        leaves.close_row();
        leaves.close_table();
        assert_eq!(leaves.finish()[0].kind, BlockKind::Paragraph);
    }
}
