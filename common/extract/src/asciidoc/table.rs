//! Tables of AsciiDoc: cells behind vertical bars, in rows that are full when their cells cover all columns.

use super::cell_format::{CellFormat, column_styles, split_format};

/// A table as rows of cells.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TableText {
    pub(super) rows: Vec<TableRow>,
    /// Whether the first row names the columns.
    pub(super) has_header: bool,
}

/// A row of a table.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TableRow {
    pub(super) cells: Vec<TableCell>,
    /// Whether no cell above reaches into it.
    pub(super) begins_group: bool,
}

/// A cell with its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableCell {
    pub(super) format: CellFormat,
    pub(super) text: String,
}

impl TableCell {
    fn plain(text: String) -> Self {
        Self { format: CellFormat::PLAIN, text }
    }
}

/// The rows in the `lines` between two lines `delimiter`, whose first character parts the cells, below block attributes.
pub(super) fn read(lines: &[&str], delimiter: &str, attributes: &str) -> TableText {
    let is_named = ["%header", "options=\"header", "opts=\"header"].iter().any(|name| attributes.contains(name));
    if let Some(sign) = delimiter.bytes().next().filter(|sign| b",:".contains(sign)) {
        let first_ends = lines.get(1).is_some_and(|line| line.trim().is_empty());
        let records = crate::delimited::records(&lines.join("\n"), sign);
        let row = |record: Vec<String>| TableRow {
            cells: record.into_iter().map(TableCell::plain).collect(),
            begins_group: false,
        };
        let rows: Vec<TableRow> = records.into_iter().map(row).collect();
        return TableText { has_header: (is_named || first_ends) && rows.len() > 1, rows };
    }
    let sign = delimiter.chars().next().unwrap_or('|');
    let mut cells: Vec<TableCell> = Vec::new();
    let (mut first_line, mut first_row_ends) = (0, false);
    for (at, line) in lines.iter().enumerate() {
        let before = cells.len();
        take_line(line, sign, &mut cells);
        if before == 0 && first_line == 0 {
            first_line = cells.iter().map(|cell| cell.format.columns).sum();
            first_row_ends = first_line > 0 && lines.get(at + 1).is_some_and(|next| next.trim().is_empty());
        }
    }
    let styles = column_styles(attributes);
    let columns = if styles.is_empty() { first_line } else { styles.len() }.max(1);
    let rows = rows(cells, columns, &styles);
    let has_header = is_named || (first_row_ends && first_line == columns && rows.len() > 1);
    TableText { rows, has_header }
}

/// Adds the cells that begin in a line; what stands before the first `sign` belongs to the last cell.
fn take_line(line: &str, sign: char, cells: &mut Vec<TableCell>) {
    let mut parts: Vec<String> = vec![String::new()];
    let mut is_escaped = false;
    for c in line.trim_end().chars() {
        match c {
            _ if c == sign && !is_escaped => parts.push(String::new()),
            _ => {
                let last = parts.last_mut().expect("it begins with one");
                if c == sign {
                    last.pop();
                }
                last.push(c);
            }
        }
        is_escaped = c == '\\';
    }
    let mut format = CellFormat::PLAIN;
    for at in 0..parts.len() {
        let is_last = at + 1 == parts.len();
        let (text, next) = if is_last { (parts[at].as_str(), CellFormat::PLAIN) } else { split_format(&parts[at]) };
        if at > 0 {
            let cell = TableCell { format, text: text.trim().to_owned() };
            cells.extend(std::iter::repeat_n(cell, format.times));
        } else if let Some(open) = cells.last_mut().filter(|_| is_last || !text.trim().is_empty()) {
            // Blocks in a cell are told apart by blank lines and indents.
            open.text.push('\n');
            open.text.push_str(text.trim_end());
        }
        format = next;
    }
}

/// The `cells` in rows of so many columns, with the style of its column where a cell has none.
fn rows(cells: Vec<TableCell>, columns: usize, styles: &[Option<char>]) -> Vec<TableRow> {
    let mut rows: Vec<TableRow> = Vec::new();
    // For each column, the rows below that a cell still covers.
    let mut reaching = vec![0_usize; columns];
    let (mut row, mut column) = (TableRow::default(), 0);
    for mut cell in cells {
        column += reaching[column..].iter().take_while(|rows| **rows > 0).count();
        let free = reaching[column..].iter().take_while(|rows| **rows == 0).count();
        cell.format.columns = cell.format.columns.min(free);
        cell.text.truncate(cell.text.trim_end().len());
        cell.format.style = cell.format.style.or_else(|| styles.get(column).copied().flatten());
        // One more than below it, because the row itself is counted when it ends.
        reaching[column..column + cell.format.columns].fill(cell.format.rows);
        column += cell.format.columns;
        row.cells.push(cell);
        if reaching[column..].iter().all(|rows| *rows > 0) {
            reaching.iter_mut().for_each(|rows| *rows -= 1);
            // A row without a cell of its own says nothing.
            let is_covered = reaching.iter().all(|rows| *rows > 0);
            if is_covered {
                reaching.fill(0);
            }
            rows.push(std::mem::replace(&mut row, TableRow { begins_group: is_covered, ..TableRow::default() }));
            column = 0;
        }
    }
    rows.extend(Some(row).filter(|row| !row.cells.is_empty()));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(table: &TableText) -> Vec<String> {
        let of = |cell: &TableCell| match (cell.format.columns, cell.format.rows) {
            (1, 1) => cell.text.clone(),
            (columns, rows) => format!("{columns}.{rows} {}", cell.text),
        };
        table.rows.iter().map(|row| row.cells.iter().map(of).collect::<Vec<_>>().join("|")).collect()
    }

    #[test]
    fn rows_are_full_when_all_columns_are_covered() {
        for (lines, attributes, want, has_header) in [
            (&["|a |b", "", "|1", "|2"][..], "", &["a|b", "1|2"][..], true),
            (&["|a |b", "|1 |2"], "%header", &["a|b", "1|2"], true),
            (&["|a", "more", "|b"], "cols=\"1,2\"", &["a\nmore|b"], false),
            (&["2+|a", "^s|b h|c"], "cols=2*", &["2.1 a", "b|c"], false),
            (&["|a 2|b"], "", &["a 2|b"], false),
            (&["|a \\| b |c"], "", &["a | b|c"], false),
            (&[".2+|a |b", "|c", "|d |e"], "", &["1.2 a|b", "c", "d|e"], false),
            (&["|a |b |c", "|d 2.2+|e", "|f", "3*|g"], "", &["a|b|c", "d|2.2 e", "f", "g|g|g"], false),
            (&["|a .2+|b", ".2+|c", "|d"], "", &["a|1.2 b", "1.2 c", "d"], false),
            (&["5+|a", "|b |c"], "cols=2*", &["2.1 a", "b|c"], false),
        ] {
            let found = read(lines, "|===", attributes);
            assert_eq!(
                (shown(&found), found.has_header),
                (want.iter().map(|&row| row.into()).collect(), has_header),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn a_row_that_cells_above_cover_whole_is_none() {
        let found = read(&[".3+|a .2+|b", "|c |d"], "|===", "");
        assert_eq!(shown(&found), ["1.3 a|1.2 b", "c|d"]);
        assert_eq!(found.rows.iter().map(|row| row.begins_group).collect::<Vec<_>>(), [false, true]);
    }
}
