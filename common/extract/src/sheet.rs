//! [`SheetReader`]: turns rows of cells into leaves, whatever the format. The first row with several cells and no number is the header
//! row; a single cell in a row above it is a title.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::runs::{LeftOut, Words};
use super::table::Leaves;

/// Most cells read of a document. Chosen: the longest text kept has half a million characters.
pub(super) const MAX_CELLS: usize = 250_000;
/// Most empty cells inserted before a cell to keep its column.
pub(super) const MAX_GAP: usize = 256;

/// A table being read, and how many more cells may be read.
#[derive(Debug)]
pub(super) struct SheetReader {
    leaves: Leaves,
    cells_left: usize,
    /// Whether cells were left out.
    is_cut: bool,
    has_header: bool,
    rows: usize,
    /// Whether words of the row being read are struck out.
    is_struck: bool,
}

impl Default for SheetReader {
    fn default() -> Self {
        Self {
            leaves: Leaves::default(),
            cells_left: MAX_CELLS,
            is_cut: false,
            has_header: false,
            rows: 0,
            is_struck: false,
        }
    }
}

impl SheetReader {
    /// The words of a cell; what is left out of them is counted.
    pub(super) fn cell(&mut self, words: &Words) -> String {
        self.is_struck |= words.left_out.struck > 0;
        self.leaves.count(words.left_out);
        words.text.clone()
    }

    /// See [`Leaves::left_out`].
    pub(super) fn left_out(&self) -> LeftOut {
        self.leaves.left_out()
    }

    /// Begins a table.
    pub(super) fn open(&mut self) {
        self.leaves.open_table();
        (self.has_header, self.rows) = (false, 0);
    }

    /// Begins a table called `name`.
    pub(super) fn open_named(&mut self, name: &str) {
        self.leaves.push(Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, name) });
        self.open();
    }

    pub(super) fn close(&mut self) {
        self.leaves.close_table();
    }

    /// Whether the limit is reached, so that further rows are ignored.
    pub(super) fn is_full(&self) -> bool {
        self.is_cut
    }

    /// Appends a row, unless it has no words.
    pub(super) fn row(&mut self, cells: &[String]) {
        let is_struck = std::mem::take(&mut self.is_struck);
        let used = cells.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |last| last + 1);
        let cells = &cells[..used];
        if used == 0 || self.is_cut {
            return;
        }
        // Rows are kept whole: half a row would assign its values to the wrong statement.
        let Some(left) = self.cells_left.checked_sub(used) else {
            self.is_cut = true;
            return;
        };
        self.cells_left = left;
        let words: Vec<&String> = cells.iter().filter(|cell| !cell.trim().is_empty()).collect();
        if let ([alone], 0) = (words.as_slice(), self.rows) {
            self.leaves.push(Leaf { is_struck, ..Leaf::new(BlockKind::Paragraph, alone.as_str()) });
            return;
        }
        let is_header = !self.has_header && self.rows == 0 && !words.iter().any(|cell| is_number(cell));
        self.has_header |= is_header;
        self.rows += 1;
        self.leaves.push_row(is_header, cells);
        if let Some(leaf) = self.leaves.last() {
            leaf.is_struck = is_struck;
        }
    }

    /// All leaves, and a remark if cells were left out.
    pub(super) fn finish(self) -> (Vec<Leaf>, Option<String>) {
        let remark = self.is_cut.then(|| format!("kept the first {MAX_CELLS} cells or fewer, in whole rows"));
        (self.leaves.finish(), remark)
    }
}

fn is_number(cell: &str) -> bool {
    let cell = cell.trim().trim_end_matches('%');
    cell.chars().any(|c| c.is_ascii_digit()) && cell.chars().all(|c| c.is_ascii_digit() || "+-.,eE ".contains(c))
}

#[cfg(test)]
mod tests {
    use super::super::package::fixture::shown;
    use super::*;

    fn read(rows: &[&[&str]]) -> Vec<String> {
        let mut sheets = SheetReader::default();
        sheets.open_named("S");
        for row in rows {
            sheets.row(&row.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>());
        }
        sheets.close();
        sheets.finish().0.iter().map(shown).collect()
    }

    #[test]
    fn the_first_row_without_numbers_names_the_columns() {
        assert_eq!(
            read(&[&["Report"], &["", ""], &["Name", "Sum", ""], &["a", "", "1"], &["b"]]),
            ["heading1 : S", "paragraph : Report", "table_row1h : Name|Sum", "table_row1 : a||1", "table_row1 : b"]
        );
        assert_eq!(read(&[&["a", "1"], &["b", "x"]])[1..], ["table_row1 : a|1", "table_row1 : b|x"]);
    }

    #[test]
    fn cells_of_a_document_are_bounded() {
        for (left, rows) in [(3, 1), (4, 2), (5, 2)] {
            let mut sheets = SheetReader { cells_left: left, ..SheetReader::default() };
            sheets.open();
            for _ in 0..2 {
                sheets.row(&["a".to_owned(), "b".to_owned()]);
            }
            assert_eq!(sheets.is_full(), rows < 2, "{left}");
            let (leaves, remark) = sheets.finish();
            assert_eq!((leaves.len(), remark.is_some()), (rows, rows < 2), "{left}");
        }
    }
}
