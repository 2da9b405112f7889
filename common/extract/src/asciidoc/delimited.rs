//! Blocks between two lines of signs.

use precis_proto::BlockKind;

use super::lines::Delimited;
use super::{AsciiDocReader, table};
use crate::html;

/// Most blocks inside each other. Chosen.
pub(super) const MAX_OPEN: usize = 64;

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
            let cells: Vec<String> = row.iter().map(|cell| self.shown(cell).0.text).collect();
            self.leaves.push_row(at == 0 && table.has_header, &cells);
        }
        self.leaves.close_table();
    }
}
