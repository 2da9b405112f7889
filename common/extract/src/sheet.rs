//! [`SheetReader`]: turns rows of cells into leaves, whatever the format. Where titles end and which row names the columns is decided by
//! [`layout`].

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::runs::{LeftOut, Words};
use super::table::Leaves;
use layout::{Role, roles};

mod layout;
mod sheet_row;

pub(super) use sheet_row::SheetRow;

/// Most cells read of a document. Chosen: the longest text kept has half a million characters.
pub(super) const MAX_CELLS: usize = 250_000;
/// Most bytes of text in the cells of a document. A cell may refer to a text that others refer to as well, so a small document can show
/// more than its parser's memory holds. Chosen: four times what is kept of a document unless set otherwise.
const MAX_CELL_BYTES: usize = 16 * 1024 * 1024;
/// Most empty cells inserted before a cell to keep its column.
pub(super) const MAX_GAP: usize = 256;

/// A table being read, and how many more cells may be read.
#[derive(Debug)]
pub(super) struct SheetReader {
    leaves: Leaves,
    cells_left: usize,
    bytes_left: usize,
    /// Whether cells were left out.
    is_cut: bool,
    /// The rows of the open table.
    rows: Vec<SheetRow>,
    /// Whether words of the row being read are struck out.
    is_struck: bool,
}

impl Default for SheetReader {
    fn default() -> Self {
        Self {
            leaves: Leaves::default(),
            cells_left: MAX_CELLS,
            bytes_left: MAX_CELL_BYTES,
            is_cut: false,
            rows: Vec::new(),
            is_struck: false,
        }
    }
}

impl SheetReader {
    /// The words of a cell; what is left out of them is counted. Beyond the limit of all cells there are none, and the row is left out.
    pub(super) fn cell(&mut self, words: &Words) -> String {
        let Some(left) = self.bytes_left.checked_sub(words.text.len()) else {
            self.is_cut = true;
            return String::new();
        };
        self.bytes_left = left;
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
        self.rows.clear();
    }

    /// Begins a table called `name`.
    pub(super) fn open_named(&mut self, name: &str) {
        self.leaves.push(Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, name) });
        self.open();
    }

    /// Ends the table: its rows become leaves.
    pub(super) fn close(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let roles = roles(&rows);
        self.leaves.open_table();
        for (row, role) in rows.into_iter().zip(roles) {
            if role.begins_table {
                self.leaves.close_table();
                self.leaves.open_table();
            }
            match role.role {
                Role::Title => {
                    let words = row.cells.iter().find(|cell| !cell.trim().is_empty());
                    self.leaves.push(Leaf::new(BlockKind::Paragraph, words.map_or("", String::as_str)));
                }
                Role::Header | Role::Values => self.leaves.push_row(role.role == Role::Header, &row.cells),
            }
            if let Some(leaf) = self.leaves.last() {
                leaf.is_struck = row.is_struck;
            }
        }
        self.leaves.close_table();
    }

    /// Appends a leaf that is no row, after the table that was closed.
    pub(super) fn push(&mut self, leaf: Leaf) {
        self.leaves.push(leaf);
    }

    /// Appends leaves whose tables are numbered from 1, after the table that was closed.
    pub(super) fn extend(&mut self, leaves: Vec<Leaf>) {
        self.leaves.extend(leaves);
    }

    /// Whether the limit is reached, so that further rows are ignored.
    pub(super) fn is_full(&self) -> bool {
        self.is_cut
    }

    /// Appends a row whose cells are all that is known of it.
    pub(super) fn row(&mut self, cells: Vec<String>) {
        let has_number = cells.iter().any(|cell| is_number(cell));
        self.push_row(SheetRow { cells, has_number, ..SheetRow::default() });
    }

    /// Appends a row, unless it has no words.
    pub(super) fn push_row(&mut self, mut row: SheetRow) {
        row.is_struck |= std::mem::take(&mut self.is_struck);
        let used = row.cells.iter().rposition(|cell| !cell.trim().is_empty()).map_or(0, |last| last + 1);
        row.cells.truncate(used);
        if used == 0 || self.is_cut {
            return;
        }
        // Rows are kept whole: half a row would assign its values to the wrong statement.
        let Some(left) = self.cells_left.checked_sub(used) else {
            self.is_cut = true;
            return;
        };
        self.cells_left = left;
        self.rows.push(row);
    }

    /// All leaves, and a remark if cells were left out.
    pub(super) fn finish(self) -> (Vec<Leaf>, Option<String>) {
        let remark = self.is_cut.then(|| {
            let mib = MAX_CELL_BYTES / (1024 * 1024);
            format!("kept the first {MAX_CELLS} cells, or those with the first {mib} MiB of text, in whole rows")
        });
        (self.leaves.finish(), remark)
    }
}

fn is_number(cell: &str) -> bool {
    let cell = cell.trim().trim_end_matches('%');
    cell.chars().any(|c| c.is_ascii_digit()) && cell.chars().all(|c| c.is_ascii_digit() || "+-.,eE ".contains(c))
}

#[cfg(test)]
mod tests {
    use super::super::package::fixture::render_leaf;
    use super::*;

    fn read(rows: &[&[&str]]) -> Vec<String> {
        let mut sheets = SheetReader::default();
        sheets.open_named("S");
        let mut is_after_gap = false;
        for row in rows {
            let cells: Vec<String> = row.iter().map(|cell| (*cell).to_owned()).collect();
            let is_blank = cells.iter().all(String::is_empty);
            let has_number = cells.iter().any(|cell| is_number(cell));
            sheets.push_row(SheetRow { cells, has_number, is_after_gap, ..SheetRow::default() });
            is_after_gap = is_blank;
        }
        sheets.close();
        sheets.finish().0.iter().map(render_leaf).collect()
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
    fn a_header_is_found_below_other_rows() {
        assert_eq!(
            read(&[&["Printed", "2026"], &["Author", "Jo"], &[], &["Item", "Net", "Gross"], &["Rope", "1", "2"]])[1..],
            [
                "table_row1 : Printed|2026",
                "table_row1 : Author|Jo",
                "table_row2h : Item|Net|Gross",
                "table_row2 : Rope|1|2"
            ]
        );
        assert_eq!(
            read(&[&["Item", "May"], &["Rope", "1"], &[], &["Second region"], &["Item", "June"], &["Rope", "2"]])[1..],
            [
                "table_row1h : Item|May",
                "table_row1 : Rope|1",
                "paragraph : Second region",
                "table_row2h : Item|June",
                "table_row2 : Rope|2"
            ]
        );
        // An empty line inside a table does not end it.
        assert_eq!(
            read(&[&["Item", "May"], &["Rope", "1"], &[], &["Oil", "none"], &["Oar", "3"]])[1..],
            ["table_row1h : Item|May", "table_row1 : Rope|1", "table_row1 : Oil|none", "table_row1 : Oar|3"]
        );
    }

    #[test]
    fn the_text_of_all_cells_is_bounded() {
        let words = Words { text: "ab".to_owned(), ..Words::default() };
        for (left, rows) in [(3, 1), (4, 2), (5, 2)] {
            let mut sheets = SheetReader { bytes_left: left, ..SheetReader::default() };
            sheets.open();
            for _ in 0..2 {
                let cell = sheets.cell(&words);
                sheets.row(vec![cell]);
            }
            assert_eq!(sheets.is_full(), rows < 2, "{left}");
            sheets.close();
            let (leaves, remark) = sheets.finish();
            assert_eq!((leaves.len(), remark.is_some()), (rows, rows < 2), "{left}");
        }
    }

    #[test]
    fn cells_of_a_document_are_bounded() {
        for (left, rows) in [(3, 1), (4, 2), (5, 2)] {
            let mut sheets = SheetReader { cells_left: left, ..SheetReader::default() };
            sheets.open();
            for _ in 0..2 {
                sheets.row(vec!["a".to_owned(), "b".to_owned()]);
            }
            assert_eq!(sheets.is_full(), rows < 2, "{left}");
            sheets.close();
            let (leaves, remark) = sheets.finish();
            assert_eq!((leaves.len(), remark.is_some()), (rows, rows < 2), "{left}");
        }
    }
}
