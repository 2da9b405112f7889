//! [`MergedCells`]: the label of a merged area stands in every row and column that the area covers.

use super::super::super::sheet::SheetRow;
use super::place::{CellArea, CellPlace};
use super::plan::SheetPlan;

/// Most columns of an area that get its label; as in other formats.
const MAX_SPAN: usize = 64;
/// Most areas that reach over a row; further ones keep their label in the first cell.
const MAX_OPEN: usize = 256;

/// The areas that reach into the row being read.
pub(super) struct MergedCells<'p> {
    plan: &'p SheetPlan,
    open: Vec<(CellArea, String)>,
}

impl<'p> MergedCells<'p> {
    pub(super) fn new(plan: &'p SheetPlan) -> Self {
        Self { plan, open: Vec::new() }
    }

    /// Takes the text of a cell, which may be the label of an area.
    pub(super) fn label(&mut self, place: CellPlace, text: &str) {
        let areas = self.plan.merged.get(&place.row);
        let found = areas.and_then(|areas| areas.iter().find(|area| area.first == place));
        if let (Some(area), false) = (found, text.is_empty() || self.open.len() >= MAX_OPEN) {
            self.open.push((*area, text.to_owned()));
        }
    }

    /// Writes the labels of the areas into row `number`, where its cells are empty. A label that is alone in its row is a title, and
    /// stands there once.
    pub(super) fn fill(&mut self, number: u32, row: &mut SheetRow) {
        self.open.retain(|(area, _)| area.last.row >= number);
        let words = row.cells.iter().filter(|cell| !cell.trim().is_empty()).count();
        for (area, label) in &self.open {
            let is_first = area.first.row == number;
            if area.first.row > number || (is_first && words < 2) {
                continue;
            }
            row.spans_columns |= is_first && area.last.column > area.first.column;
            let columns = (area.first.column..=area.last.column).take(MAX_SPAN);
            for column in columns.filter(|column| !self.plan.is_hidden(*column)).map(|column| self.plan.shown(column)) {
                if row.cells.len() <= column {
                    row.cells.resize(column + 1, String::new());
                }
                if row.cells[column].trim().is_empty() {
                    row.cells[column].clone_from(label);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::area;
    use super::*;

    fn filled(reference: &str) -> usize {
        let area = area(reference).expect("an area");
        let mut plan = SheetPlan::default();
        plan.merged.insert(0, vec![area]);
        let mut merged = MergedCells::new(&plan);
        merged.label(area.first, "x");
        let mut row = SheetRow { cells: vec!["x".to_owned(), String::new(), "y".to_owned()], ..SheetRow::default() };
        merged.fill(0, &mut row);
        row.cells.iter().filter(|cell| *cell == "x").count()
    }

    #[test]
    fn a_label_covers_columns_up_to_a_number() {
        // One of the columns has a cell of its own. BK is column 63, BL 64, BM 65.
        for (reference, cells) in [("A1:BK1", MAX_SPAN - 2), ("A1:BL1", MAX_SPAN - 1), ("A1:BM1", MAX_SPAN - 1)] {
            assert_eq!(filled(reference), cells, "{reference}");
        }
    }

    #[test]
    fn areas_over_a_row_are_bounded() {
        for (given, kept) in [(MAX_OPEN - 1, MAX_OPEN - 1), (MAX_OPEN, MAX_OPEN), (MAX_OPEN + 1, MAX_OPEN)] {
            let mut plan = SheetPlan::default();
            let place = |column| CellPlace { row: 0, column };
            plan.merged.insert(0, (0..given).map(|n| CellArea { first: place(n), last: place(n) }).collect());
            let mut merged = MergedCells::new(&plan);
            (0..given).for_each(|n| merged.label(place(n), "x"));
            assert_eq!(merged.open.len(), kept, "{given}");
        }
    }
}
