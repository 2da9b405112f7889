//! Blocks between two lines of signs.

use precis_proto::BlockKind;

use super::lines::Delimited;
use super::table::TableCell;
use super::{AsciiDocReader, table};
use crate::columns::Cell;
use crate::html;

/// Most blocks inside each other. Chosen.
pub(super) const MAX_OPEN: usize = 64;
/// Most cells inside each other whose blocks are read; deeper ones are read as words. Chosen: the language has a sign for one inside.
pub(super) const MAX_CELL_DEPTH: usize = 4;
/// The style of cells that hold blocks.
const BLOCKS: char = 'a';

impl AsciiDocReader {
    /// Takes a block between two delimiters, or one of them if it holds blocks.
    pub(super) fn delimited(&mut self, kind: Delimited, delimiter: &str, rest: &[&str]) -> usize {
        self.end_block();
        if matches!(kind, Delimited::Blocks | Delimited::Quotation) {
            match self.open.iter().rposition(|(open, _)| open == delimiter) {
                Some(at) => self.open.truncate(at),
                None if self.open.len() < MAX_OPEN => {
                    self.open.push((delimiter.to_owned(), kind == Delimited::Quotation))
                }
                None => {}
            }
            return 1;
        }
        let close = delimiter.trim_end_matches(char::is_alphanumeric);
        let end = rest[1..].iter().position(|line| line.trim_end() == close).map_or(rest.len(), |at| at + 1);
        let inside = &rest[1.min(end)..end];
        match kind {
            Delimited::Code => {
                self.begin(BlockKind::Code);
                inside.iter().for_each(|line| self.add(line));
                self.end_block();
            }
            Delimited::Table => self.table(inside, delimiter),
            Delimited::Comment => inside.iter().for_each(|line| self.hide(line)),
            Delimited::Passthrough | Delimited::Blocks | Delimited::Quotation => {
                let (leaves, left_out) = html::fragment(&inside.join("\n"));
                self.leaves.count(left_out);
                self.leaves.extend(leaves);
            }
        }
        end + 1
    }

    fn table(&mut self, lines: &[&str], delimiter: &str) {
        let table = table::read(lines, delimiter, &std::mem::take(&mut self.above));
        self.leaves.open_table();
        for (at, row) in table.rows.iter().enumerate() {
            let is_header = at == 0 && table.has_header;
            if row.begins_group {
                self.leaves.begin_row_group();
            }
            let cells: Vec<(Cell, String)> =
                row.cells.iter().map(|cell| (cell.format.cell(), self.cell_words(cell, is_header))).collect();
            self.leaves.push_cells(is_header, &cells);
        }
        self.leaves.close_table();
    }

    /// The words of a cell; the blocks of one with the style `a` become lines of it.
    fn cell_words(&mut self, cell: &TableCell, is_header: bool) -> String {
        if cell.format.style != Some(BLOCKS) || is_header || self.depth >= MAX_CELL_DEPTH {
            return self.shown(&cell.text).0.text;
        }
        let attributes = std::mem::take(&mut self.attributes);
        let mut inner = Self { attributes, leaves: self.leaves.inner(), depth: self.depth + 1, ..Self::default() };
        inner.lines(&cell.text.lines().collect::<Vec<_>>());
        self.attributes = inner.attributes;
        self.elsewhere += inner.elsewhere;
        let leaves = self.leaves.end_inner(inner.leaves);
        leaves.into_iter().map(|leaf| leaf.text).collect::<Vec<_>>().join("\n")
    }
}
