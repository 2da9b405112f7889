//! [`MergedCells`]: the label of a merged area stands in every row and column that the area covers.

use super::super::super::sheet::SheetRow;
use super::place::{CellArea, CellPlace};
use super::plan::SheetPlan;

/// Most columns of an area that get its label; as in other formats.
const MAX_SPAN: usize = 64;
/// Most areas that reach over a row; further ones keep their label in the first cell.
const MAX_OPEN: usize = 256;

/// The areas that reach into the row being read.
pub(in super::super) struct MergedCells<'p> {
    plan: &'p SheetPlan,
    open: Vec<OpenArea>,
}

struct OpenArea {
    area: CellArea,
    label: String,
    /// Whether one of its rows was shown.
    is_begun: bool,
}

impl<'p> MergedCells<'p> {
    pub(in super::super) fn new(plan: &'p SheetPlan) -> Self {
        Self { plan, open: Vec::new() }
    }

    /// Whether a label at `place` is that of an area that reaches a column that is shown.
    pub(in super::super) fn is_label(&self, place: CellPlace) -> bool {
        self.area(place).is_some_and(|area| self.columns(&area).next().is_some())
    }

    /// Takes the text of a cell, which may be the label of an area.
    pub(in super::super) fn label(&mut self, place: CellPlace, text: &str) {
        if let (Some(area), false) = (self.area(place), text.is_empty() || self.open.len() >= MAX_OPEN) {
            self.open.push(OpenArea { area, label: text.to_owned(), is_begun: false });
        }
    }

    fn area(&self, place: CellPlace) -> Option<CellArea> {
        self.plan.merged.get(&place.row)?.iter().find(|area| area.first == place).copied()
    }

    /// The columns of an area that are shown, by their places.
    fn columns(&self, area: &CellArea) -> impl Iterator<Item = usize> + use<'p> {
        let plan = self.plan;
        let columns = (area.first.column..=area.last.column).take(MAX_SPAN);
        columns.filter(|column| !plan.is_hidden(*column)).map(|column| plan.visible_column(column))
    }

    /// Writes the labels of the areas into row `number`, which is shown, where its cells are empty. A label that is alone in the first row
    /// of its area is a title, and stands there once; in a row without words no label is repeated.
    pub(in super::super) fn fill(&mut self, number: u32, row: &mut SheetRow) {
        self.open.retain(|open| open.area.last.row >= number);
        let mut open = std::mem::take(&mut self.open);
        // A label whose own cell is not shown stands in the first cell that is.
        let is_elsewhere = |area: &CellArea| area.first.row < number || self.plan.is_hidden(area.first.column);
        for OpenArea { area, label, .. } in open.iter().filter(|open| !open.is_begun && is_elsewhere(&open.area)) {
            if let Some(first) = self.columns(area).next() {
                write(row, first, label);
            }
        }
        let words = row.cells.iter().filter(|cell| !cell.trim().is_empty()).count();
        for OpenArea { area, label, is_begun } in &mut open {
            let is_first = !std::mem::replace(is_begun, true);
            if words == 0 || (is_first && words < 2) {
                continue;
            }
            row.spans_columns |= is_first && area.last.column > area.first.column;
            self.columns(area).for_each(|column| write(row, column, label));
        }
        self.open = open;
    }
}

/// Writes `label` into a cell if it is empty.
fn write(row: &mut SheetRow, column: usize, label: &str) {
    if row.cells.len() <= column {
        row.cells.resize(column + 1, String::new());
    }
    if row.cells[column].trim().is_empty() {
        label.clone_into(&mut row.cells[column]);
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
