//! The cells that rows of a table define: which columns each covers, and whether it goes on from the one above or before it.
//!
//! A row says where its cells end, in twips. The columns of a table are the ends of the cells of all its rows, so that a cell over two of
//! them is known by its width, as Word and LibreOffice write it; older programs mark merged cells one by one.

use std::collections::BTreeSet;

use rtf_parser_tt::{ControlWord, Property, Token};

/// Largest distance of two ends that are one: rounding of programs. In twips, a twentieth of a point.
const SAME_END: i32 = 30;
/// Most cells read of the definition of a row; a row of a table may have 63.
const MAX_CELLS: usize = 256;

/// A cell as the definition of its row describes it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DefinedCell {
    /// Where it ends.
    end: i32,
    /// Whether it is a part of the cell before it.
    pub(super) joins_left: bool,
    /// Whether it goes on from the cell above it.
    pub(super) goes_on: bool,
}

/// The definition of the row that is being read.
#[derive(Debug, Default)]
pub(super) struct RowDefinition {
    cells: Vec<DefinedCell>,
    next: DefinedCell,
}

impl RowDefinition {
    /// Takes a control word, if it is one of a row definition.
    pub(super) fn take(&mut self, name: &str, value: Option<i32>) {
        match name {
            "trowd" => *self = Self::default(),
            "clmrg" => self.next.joins_left = true,
            "clvmrg" => self.next.goes_on = true,
            "cellx" if self.cells.len() < MAX_CELLS => {
                self.cells.push(DefinedCell { end: value.unwrap_or(0), ..self.next });
                self.next = DefinedCell::default();
            }
            _ => {}
        }
    }

    /// The cell at `index`, and the number of columns of `table` that it covers; at least one.
    pub(super) fn cell(&self, index: usize, table: &BTreeSet<i32>) -> (DefinedCell, usize) {
        let cell = self.cells.get(index).copied().unwrap_or_default();
        let start =
            index.checked_sub(1).and_then(|before| self.cells.get(before)).map_or(i32::MIN, |before| before.end);
        if start >= cell.end {
            return (cell, 1);
        }
        let inside = (start.saturating_add(SAME_END), cell.end.saturating_sub(SAME_END));
        let between = if inside.0 < inside.1 { table.range(inside.0..inside.1).count() } else { 0 };
        (cell, between + 1)
    }
}

/// The ends of columns of each table, and the table of each row definition.
#[derive(Debug, Default)]
pub(super) struct TableColumns {
    tables: Vec<BTreeSet<i32>>,
    of_rows: Vec<usize>,
}

impl TableColumns {
    /// Reads the row definitions of a document. A paragraph outside of tables ends a table.
    pub(super) fn of(tokens: &[Token<'_>]) -> Self {
        let (mut columns, mut is_in_table, mut is_ended) = (Self::default(), false, true);
        // The definitions of nested rows stand in groups of their own; nested tables have no columns here.
        let (mut depth, mut nested): (usize, Option<usize>) = (0, None);
        for token in tokens {
            match token {
                Token::OpeningBracket => depth += 1,
                Token::ClosingBracket => {
                    depth = depth.saturating_sub(1);
                    nested = nested.filter(|at| *at <= depth);
                }
                _ => {}
            }
            let Token::ControlSymbol((word, property)) = token else { continue };
            match word {
                ControlWord::Pard => is_in_table = false,
                ControlWord::Par => is_ended |= !is_in_table,
                ControlWord::Unknown(name) => match (name.trim_start_matches('\\'), property) {
                    ("intbl", _) => is_in_table = true,
                    ("trowd", _) => {
                        if is_ended {
                            columns.tables.push(BTreeSet::new());
                        }
                        (is_in_table, is_ended) = (true, false);
                        columns.of_rows.push(columns.tables.len() - 1);
                    }
                    ("nesttableprops", _) => nested = nested.or(Some(depth)),
                    ("cellx", Property::Value(end)) if nested.is_none() => columns.add(*end),
                    _ => {}
                },
                _ => {}
            }
        }
        columns
    }

    fn add(&mut self, end: i32) {
        if let Some(table) = self.tables.last_mut()
            && table.len() < MAX_CELLS
            && table.range(end.saturating_sub(SAME_END)..=end.saturating_add(SAME_END)).next().is_none()
        {
            table.insert(end);
        }
    }

    /// The ends of the columns of the table of row definition `row`, counted from 0.
    pub(super) fn of_row(&self, row: usize) -> Option<&BTreeSet<i32>> {
        self.tables.get(*self.of_rows.get(row)?)
    }
}
