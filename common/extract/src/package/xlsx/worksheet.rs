//! [`WorksheetReader`]: the cells of a sheet as rows, as they are shown.

use std::collections::BTreeSet;
use std::ops::AddAssign;

use precis_text::normalize;

use super::super::super::runs::{Marks, RunText, Words};
use super::super::super::sheet::{MAX_GAP, SheetReader, SheetRow};
use super::super::markup::{Markup, XmlElement};
use super::cell_styles::CellStyles;
use super::merged::MergedCells;
use super::place::{CellPlace, column};
use super::plan::{SheetPlan, is_on};
use super::rich_text::{RichText, unescape};

/// What a workbook does not show or say, in numbers.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotShown {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Formulas without a saved value.
    pub(super) formulas: usize,
}

impl AddAssign for NotShown {
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.columns += other.columns;
        self.formulas += other.formulas;
    }
}

/// A sheet being read.
pub(super) struct WorksheetReader<'s> {
    strings: &'s [RichText],
    styles: &'s CellStyles,
    plan: &'s SheetPlan,
    merged: MergedCells<'s>,
    sheets: &'s mut SheetReader,
    not_shown: NotShown,
    /// Hidden columns with words, and hidden rows.
    hidden_columns: BTreeSet<usize>,
    hidden_rows: BTreeSet<u32>,
    row: SheetRow,
    /// Number of the row being read, from 0, and of the last one with words.
    number: u32,
    last: Option<u32>,
    is_hidden: bool,
    has_words: bool,
    cell: OpenCell,
    /// The column of a cell that does not name its own.
    next_column: usize,
    in_value: bool,
}

/// A cell being read.
#[derive(Debug, Default)]
struct OpenCell {
    column: usize,
    kind: String,
    style: usize,
    value: String,
    text: RichText,
    has_formula: bool,
}

impl<'s> WorksheetReader<'s> {
    pub(super) fn new(
        strings: &'s [RichText],
        styles: &'s CellStyles,
        plan: &'s SheetPlan,
        sheets: &'s mut SheetReader,
    ) -> Self {
        Self {
            strings,
            styles,
            plan,
            merged: MergedCells::new(plan),
            sheets,
            not_shown: NotShown::default(),
            hidden_columns: Default::default(),
            hidden_rows: Default::default(),
            row: SheetRow::default(),
            number: 0,
            last: None,
            is_hidden: false,
            has_words: false,
            cell: OpenCell::default(),
            next_column: 0,
            in_value: false,
        }
    }

    pub(super) fn take(&mut self, event: Markup<'_>) {
        if self.sheets.is_full() {
            return;
        }
        match &event {
            Markup::Open(element) => match element.name.as_str() {
                "row" => self.open_row(element),
                "c" => self.open_cell(element),
                "v" => self.in_value = true,
                "f" => self.cell.has_formula = true,
                _ => self.cell.text.take(&event),
            },
            Markup::Close(name) => match name.as_str() {
                "row" => self.close_row(),
                "c" => self.close_cell(),
                "v" => self.in_value = false,
                _ => self.cell.text.take(&event),
            },
            Markup::Text(text) if self.in_value => self.cell.value.push_str(text),
            Markup::Text(_) => self.cell.text.take(&event),
        }
    }

    fn open_row(&mut self, element: &XmlElement<'_>) {
        let number = element.attribute("r").and_then(|number| number.parse::<u32>().ok());
        self.number = number.map_or(self.number.saturating_add(1), |number| number.saturating_sub(1));
        (self.row, self.has_words, self.next_column) = (SheetRow::default(), false, 0);
        self.is_hidden = is_on(element, "hidden");
    }

    fn open_cell(&mut self, element: &XmlElement<'_>) {
        let column = element.attribute("r").and_then(|place| column(&place)).unwrap_or(self.next_column);
        self.next_column = column + 1;
        self.cell = OpenCell {
            column,
            kind: element.attribute("t").unwrap_or_default(),
            style: element.attribute("s").and_then(|style| style.parse().ok()).unwrap_or(0),
            ..OpenCell::default()
        };
    }

    fn close_cell(&mut self) {
        let cell = std::mem::take(&mut self.cell);
        let is_without_value = cell.has_formula && cell.kind != "str" && cell.value.trim().is_empty();
        let is_blank = cell.value.trim().is_empty() && cell.text.is_empty();
        let place = CellPlace { row: self.number, column: cell.column };
        if self.is_hidden || self.plan.is_hidden(cell.column) {
            self.has_words |= !is_blank;
            let is_label = self.merged.is_label(place);
            if is_label && !is_blank {
                // Its area may be shown where it is not.
                self.merged.label(place, &self.words(&cell).text);
            }
            if !self.is_hidden && !is_blank && !is_label {
                self.hidden_columns.insert(cell.column);
            }
            return;
        }
        self.not_shown.formulas += usize::from(is_without_value && cell.text.is_empty());
        let text = self.sheets.cell(&self.words(&cell));
        self.row.has_number |= matches!(cell.kind.as_str(), "" | "n" | "d") && !text.is_empty();
        let shown = self.plan.visible_column(cell.column);
        // If a cell is far to the right, its column is not kept, but its text is.
        if shown.saturating_sub(self.row.cells.len()) <= MAX_GAP {
            self.row.cells.resize(shown.max(self.row.cells.len()), String::new());
        }
        self.merged.label(place, &text);
        self.row.cells.push(text);
    }

    fn words(&self, cell: &OpenCell) -> Words {
        match cell.kind.as_str() {
            "" | "n" => self.styles.format_number(cell.value.trim(), cell.style).words(),
            "b" => {
                let mut text = RunText::default();
                text.push(if cell.value.trim() == "1" { "TRUE" } else { "FALSE" }, self.styles.marks(cell.style));
                text.words()
            }
            _ => self.text(cell),
        }
    }

    /// The words of a cell with text, with those that its format puts around it.
    fn text(&self, cell: &OpenCell) -> Words {
        let around = self.styles.around_text(cell.style);
        // A format that shows no text hides it.
        let marks = Marks { is_hidden: around.is_none(), ..self.styles.marks(cell.style) };
        let mut inside = RunText::default();
        match cell.kind.as_str() {
            "s" => {
                if let Some(shared) = cell.value.trim().parse().ok().and_then(|at: usize| self.strings.get(at)) {
                    shared.append_to(&mut inside, marks);
                }
            }
            "inlineStr" => cell.text.append_to(&mut inside, marks),
            _ => inside.push(&unescape(&cell.value), marks),
        }
        let mut words = inside.words();
        if let (Some((before, behind)), false) = (around, words.text.is_empty()) {
            words.text = normalize(&format!("{before}{}{behind}", words.text));
        }
        words
    }

    fn close_row(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        if self.is_hidden {
            self.not_shown.rows += usize::from(self.has_words);
            self.hidden_rows.insert(self.number);
            return;
        }
        self.merged.fill(self.number, &mut row);
        if row.cells.iter().all(|cell| cell.trim().is_empty()) {
            return;
        }
        let next = |last: u32| (last + 1..self.number).all(|row| self.hidden_rows.contains(&row));
        row.is_after_gap = self.last.is_some_and(|last| !next(last));
        row.is_header = self.plan.header_rows.contains(&self.number);
        self.last = Some(self.number);
        self.sheets.push_row(row);
    }

    /// What the sheet does not show, and its hidden rows.
    pub(super) fn finish(mut self) -> (NotShown, BTreeSet<u32>) {
        self.not_shown.columns = self.hidden_columns.len();
        (self.not_shown, self.hidden_rows)
    }
}
