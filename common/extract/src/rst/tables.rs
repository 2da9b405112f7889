//! Tables: those that are drawn, and those typed as lists or values.

use precis_proto::BlockKind;

use super::blocks::{BlockReader, Scope};
use super::directives::Directive;
use super::lines::{bullet, item};
use crate::columns::Cell;
use crate::drawn_table::{DrawnRow, DrawnTable};

impl BlockReader {
    /// A drawn table; if it cannot be read, its lines stay as typed, without the border lines.
    pub(super) fn drawn_table(&mut self, lines: &[&str], at: usize, scope: Scope) -> Option<usize> {
        let DrawnTable { rows, typed, end } = DrawnTable::grid(lines, at).or_else(|| DrawnTable::simple(lines, at))?;
        self.table(rows, scope);
        self.code(&typed);
        Some(end)
    }

    fn table(&mut self, rows: impl IntoIterator<Item = DrawnRow>, scope: Scope) {
        self.leaves.open_table();
        for row in rows {
            let cells: Vec<_> = row.cells.iter().map(|(cell, lines)| (*cell, self.words_of(lines, scope))).collect();
            self.leaves.push_cells(row.is_header, &cells);
        }
        self.leaves.close_table();
    }

    /// The words of a cell, whose blocks become one text.
    fn words_of(&mut self, lines: &[String], scope: Scope) -> String {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let leaves = self.leaves_of(&lines, scope.inside(BlockKind::Paragraph));
        leaves.into_iter().map(|leaf| leaf.text).collect::<Vec<_>>().join(" ")
    }

    /// A table typed as a list of rows, each a list of cells. Content that is no list of lists is read as ordinary text.
    pub(super) fn list_table(&mut self, parts: &Directive<'_>, scope: Scope) {
        let rows = items(&parts.content).and_then(|rows| rows.iter().map(|row| items(row)).collect::<Option<Vec<_>>>());
        let Some(rows) = rows else { return self.blocks(&parts.content, scope) };
        let headers = parts.option("header-rows").parse().unwrap_or(0);
        let cells = |row: Vec<Vec<&str>>| row.into_iter().map(plain_cell).collect();
        let rows = rows.into_iter().enumerate();
        self.table(rows.map(|(n, row)| DrawnRow { is_header: n < headers, cells: cells(row) }), scope);
    }

    /// Values separated by commas, or as set by the options.
    pub(super) fn csv_table(&mut self, parts: &Directive<'_>, scope: Scope) {
        let (header, mark) = (parts.option("header"), parts.option("delim"));
        let delimiter =
            if mark == "tab" { b'\t' } else { mark.bytes().next().filter(|_| mark.len() == 1).unwrap_or(b',') };
        let source = format!("{header}\n{}", parts.content.join("\n")).replace(", \"", ",\"");
        let headers = parts.option("header-rows").parse().unwrap_or(0) + usize::from(!header.is_empty());
        let rows = crate::delimited::records(&source, delimiter).into_iter().enumerate();
        let cells = |record: Vec<String>| record.iter().map(|value| plain_cell(value.lines())).collect();
        self.table(rows.map(|(n, record)| DrawnRow { is_header: n < headers, cells: cells(record) }), scope);
    }
}

fn plain_cell<'a>(lines: impl IntoIterator<Item = &'a str>) -> (Cell, Vec<String>) {
    (Cell::PLAIN, lines.into_iter().map(str::to_owned).collect())
}

/// The items of a list that has nothing between them.
fn items<'a>(lines: &[&'a str]) -> Option<Vec<Vec<&'a str>>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(line) = lines.get(at) {
        if line.is_empty() {
            at += 1;
        } else {
            let (body, end) = item(lines, at, bullet(line)?.len());
            found.push(body);
            at = end;
        }
    }
    Some(found)
}
