//! [`Columns`]: which cell stands in which column of a row, and the words of merged cells in every row and column that they cover.
//!
//! The words of a cell that covers several rows are text of each of these rows, so that a row can be quoted with its label. A header that
//! covers several columns is the header of each; another cell that does stands once, in its first column.

use precis_proto::block::MAX_BLOCKS;

/// Most columns that one cell may span; chosen, not measured.
const MAX_SPAN: usize = 64;
/// Most columns of a table in which cells spanning several rows are tracked.
const MAX_COLUMNS: usize = 256;
/// Longest text that is written again, in characters: a label. A longer one is content that lies beside several rows; chosen.
const MAX_LABEL_CHARS: usize = 200;
/// Most bytes written again in a document: a page of ten megabytes could ask for any number.
const MAX_REPEATED_BYTES: usize = 4 << 20;

/// The properties of a cell when it begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// Whether it is the header of a column or row.
    pub(super) is_header: bool,
    /// Number of columns it spans, at least 1.
    pub(super) columns: usize,
    /// Number of rows it spans, at least 1; the rows below have no cell there.
    pub(super) rows: usize,
    /// Whether it continues the cell above it, which is merged with it.
    pub(super) goes_on: bool,
}

impl Cell {
    /// A cell that spans nothing.
    pub(super) const PLAIN: Self = Self { is_header: false, columns: 1, rows: 1, goes_on: false };
}

/// What stands in a column of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The cell with this index begins here.
    Cell(usize),
    /// The cell with this index covers it.
    Beside(usize),
    /// A cell of a row above covers it.
    Above,
}

/// What may still be added to a document for merged cells.
#[derive(Debug)]
pub(super) struct MergedLeft {
    /// Empty cells.
    pub(super) cells: usize,
    /// Bytes of words written again.
    pub(super) bytes: usize,
}

impl Default for MergedLeft {
    fn default() -> Self {
        Self { cells: MAX_BLOCKS, bytes: MAX_REPEATED_BYTES }
    }
}

/// The columns of a table, from its rows so far.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// For each column, the rows that a cell above still spans.
    reaching: Vec<usize>,
    /// The words of the row above in each column.
    above: Vec<String>,
}

/// A row in columns.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ColumnRow {
    pub(super) texts: Vec<String>,
    /// Whether words of a cell above are among them.
    pub(super) has_label: bool,
}

impl Columns {
    /// Sets a row of `cells` with their words in columns. `is_header` tells that it names the columns.
    pub(super) fn row(&mut self, cells: &[(Cell, String)], is_header: bool, left: &mut MergedLeft) -> ColumnRow {
        let places = self.places(cells, left);
        // A lone header over all columns is the title of the table.
        let is_repeated = is_header && cells.len() > 1;
        let mut row = ColumnRow::default();
        for (column, place) in places.into_iter().enumerate() {
            let above = || self.above.get(column).map_or("", String::as_str);
            let text = match place {
                Place::Cell(at) if cells[at].0.goes_on && cells[at].1.is_empty() => again(above(), left),
                Place::Cell(at) => cells[at].1.as_str(),
                Place::Beside(at) if is_repeated => again(&cells[at].1, left),
                Place::Beside(_) => "",
                Place::Above => again(above(), left),
            };
            let is_from_above = place == Place::Above || matches!(place, Place::Cell(at) if cells[at].0.goes_on);
            row.has_label |= is_from_above && !text.is_empty();
            row.texts.push(text.to_owned());
        }
        self.above.clone_from(&row.texts);
        row
    }

    /// Begins a group of rows: no cell reaches into the next one.
    pub(super) fn begin_group(&mut self) {
        self.reaching.fill(0);
    }

    fn places(&mut self, cells: &[(Cell, String)], left: &mut MergedLeft) -> Vec<Place> {
        let mut places = Vec::with_capacity(cells.len());
        for (at, (cell, _)) in cells.iter().enumerate() {
            self.skip(&mut places, left);
            for n in 0..cell.columns.clamp(1, MAX_SPAN) {
                if n > 0 && left.cells == 0 {
                    break;
                }
                left.cells -= usize::from(n > 0);
                let column = places.len();
                if cell.rows > 1 && column < MAX_COLUMNS {
                    self.reaching.resize(self.reaching.len().max(column + 1), 0);
                    self.reaching[column] = cell.rows - 1;
                }
                places.push(if n == 0 { Place::Cell(at) } else { Place::Beside(at) });
            }
        }
        self.skip(&mut places, left);
        places
    }

    /// Passes the columns that cells above still span.
    fn skip(&mut self, places: &mut Vec<Place>, left: &mut MergedLeft) {
        while let Some(rows) = self.reaching.get_mut(places.len()).filter(|rows| **rows > 0) {
            if left.cells == 0 {
                break;
            }
            (*rows, left.cells) = (*rows - 1, left.cells - 1);
            places.push(Place::Above);
        }
    }
}

/// `text`, if it is a label that may be written again.
fn again<'t>(text: &'t str, left: &mut MergedLeft) -> &'t str {
    match left.bytes.checked_sub(text.len()) {
        Some(rest) if text.chars().take(MAX_LABEL_CHARS + 1).count() <= MAX_LABEL_CHARS => {
            left.bytes = rest;
            text
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(columns: &mut Columns, is_header: bool, cells: &[(Cell, &str)], left: &mut MergedLeft) -> String {
        let cells: Vec<(Cell, String)> = cells.iter().map(|(cell, text)| (*cell, (*text).to_owned())).collect();
        columns.row(&cells, is_header, left).texts.join("|")
    }

    const PLAIN: Cell = Cell::PLAIN;

    #[test]
    fn a_merged_cell_belongs_to_every_row_that_it_covers() {
        let (mut columns, mut left) = (Columns::default(), MergedLeft::default());
        let wide = Cell { columns: 2, rows: 2, ..PLAIN };
        let mut row = |cells: &[(Cell, &str)]| set(&mut columns, false, cells, &mut left);
        assert_eq!(row(&[(Cell { rows: 3, ..PLAIN }, "North"), (PLAIN, "May"), (PLAIN, "11")]), "North|May|11");
        assert_eq!(row(&[(PLAIN, "June"), (PLAIN, "12")]), "North|June|12");
        assert_eq!(row(&[(PLAIN, ""), (PLAIN, "13")]), "North||13");
        assert_eq!(row(&[(wide, "South"), (PLAIN, "21")]), "South||21");
        assert_eq!(row(&[(PLAIN, "22")]), "South||22");
        assert_eq!(row(&[(PLAIN, "a"), (PLAIN, "b"), (PLAIN, "c")]), "a|b|c");
    }

    #[test]
    fn a_cell_that_goes_on_has_the_words_of_the_one_above() {
        let (mut columns, mut left) = (Columns::default(), MergedLeft::default());
        let goes_on = Cell { goes_on: true, ..PLAIN };
        let mut row = |cells: &[(Cell, &str)]| set(&mut columns, false, cells, &mut left);
        assert_eq!(row(&[(PLAIN, "North"), (PLAIN, "May")]), "North|May");
        assert_eq!(row(&[(goes_on, ""), (PLAIN, "June")]), "North|June");
        assert_eq!(row(&[(goes_on, "West"), (PLAIN, "July")]), "West|July");
        assert_eq!(row(&[(goes_on, ""), (goes_on, "")]), "West|July");
    }

    #[test]
    fn a_header_over_several_columns_is_the_header_of_each() {
        let wide = Cell { is_header: true, columns: 2, ..PLAIN };
        for (is_header, cells, want) in [
            (true, &[(PLAIN, "Region"), (wide, "May"), (wide, "June")][..], "Region|May|May|June|June"),
            (true, &[(PLAIN, ""), (wide, "May")], "|May|May"),
            (true, &[(wide, "Tons by region")], "Tons by region|"),
            (false, &[(PLAIN, "North"), (wide, "none")], "North|none|"),
        ] {
            let got = set(&mut Columns::default(), is_header, cells, &mut MergedLeft::default());
            assert_eq!(got, want);
        }
    }

    #[test]
    fn what_is_written_again_is_bounded() {
        for (chars, is_again) in [(MAX_LABEL_CHARS - 1, true), (MAX_LABEL_CHARS, true), (MAX_LABEL_CHARS + 1, false)] {
            assert_eq!(!again(&"ä".repeat(chars), &mut MergedLeft::default()).is_empty(), is_again, "{chars}");
        }
        for (bytes, is_again) in [(4, false), (5, true), (6, true)] {
            let mut left = MergedLeft { bytes, ..MergedLeft::default() };
            assert_eq!(!again("label", &mut left).is_empty(), is_again, "{bytes}");
        }
        assert_eq!(MergedLeft::default().bytes, MAX_REPEATED_BYTES);
    }

    #[test]
    fn spans_are_bounded() {
        for (columns, cells) in [(MAX_SPAN - 1, MAX_SPAN), (MAX_SPAN, MAX_SPAN + 1), (MAX_SPAN + 1, MAX_SPAN + 1)] {
            let row = [(Cell { columns, ..PLAIN }, "a".to_owned()), (PLAIN, "b".to_owned())];
            let got = Columns::default().row(&row, false, &mut MergedLeft::default());
            assert_eq!(got.texts.len(), cells, "{columns}");
        }
        for (left, cells) in [(2, 4), (3, 5), (4, 5)] {
            let row = [(Cell { columns: 4, ..PLAIN }, "a".to_owned()), (PLAIN, "b".to_owned())];
            let mut left = MergedLeft { cells: left, ..MergedLeft::default() };
            assert_eq!(Columns::default().row(&row, false, &mut left).texts.len(), cells);
        }
        for (column, is_reached) in [(MAX_COLUMNS - 1, true), (MAX_COLUMNS, false), (MAX_COLUMNS + 1, false)] {
            let (mut columns, mut left) = (Columns::default(), MergedLeft::default());
            let mut cells = vec![(PLAIN, "x"); column];
            set(&mut columns, false, &[cells.as_slice(), &[(Cell { rows: 2, ..PLAIN }, "down")]].concat(), &mut left);
            cells.push((PLAIN, "y"));
            let second = set(&mut columns, false, &cells, &mut left);
            assert_eq!(second.contains("down"), is_reached, "{column}");
        }
    }
}
