//! [`OdsSheets`]: the sheets of a document, row by row.

use std::collections::BTreeSet;

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::super::super::runs::{Marks, RunText};
use super::super::super::sheet::{MAX_GAP, SheetReader, SheetRow};
use super::super::markup::{Markup, XmlElement};
use super::super::odt::{Annotation, OdtStyles};
use super::super::xlsx::merged::MergedCells;
use super::super::xlsx::place::{CellPlace, reference};
use super::cell::OdsCell;
use super::cell_formats::CellFormats;
use super::elements::{has_other_cells, is_group, is_unseen, times};
use super::plan::{OdsPlan, SheetPlans};
use super::repeats::Repeats;

/// What is not shown or not read, in numbers.
#[derive(Debug, Default)]
pub(super) struct NotShown {
    rows: usize,
    columns: usize,
    formulas: usize,
    objects: usize,
    repeats: Repeats,
}

impl NotShown {
    pub(super) fn remarks(&self, sheets: usize) -> impl Iterator<Item = String> {
        let counted = [
            ("hidden sheets were left out", sheets),
            ("hidden rows were left out", self.rows),
            ("hidden columns were left out", self.columns),
            ("formulas without a saved value were left out", self.formulas),
            ("charts and embedded objects were left out", self.objects),
            ("repeated cells and rows were left out", self.repeats.left_out),
        ];
        counted.into_iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what}: {count}"))
    }
}

/// The sheets being read.
pub(super) struct OdsSheets<'s> {
    plans: &'s SheetPlans,
    formats: &'s CellFormats,
    styles: &'s OdtStyles,
    pub(super) sheets: SheetReader,
    pub(super) not_shown: NotShown,
    /// Number of sheets begun.
    begun: usize,
    /// Number of open elements inside one that is not read, including itself.
    elsewhere: usize,
    sheet: Option<OpenSheet<'s>>,
    /// Number of open tables inside a cell or a drawing.
    inner_tables: usize,
}

/// The sheet being read.
struct OpenSheet<'s> {
    plan: &'s OdsPlan,
    merged: MergedCells<'s>,
    number: u32,
    /// Whether rows without words came last, and any row before them.
    is_after_gap: bool,
    has_rows: bool,
    hidden_columns: BTreeSet<usize>,
    groups: Vec<bool>,
    row: OpenRow,
    cell: Option<OdsCell>,
    in_paragraph: bool,
    /// Marks of the paragraphs and spans that are open.
    marks: Vec<Marks>,
    annotation: Option<Annotation>,
    /// Number of open drawings, and the paragraph of one that is open.
    drawings: usize,
    drawn: Option<RunText>,
    /// Comments and texts of drawings, which follow the table.
    behind: Vec<Leaf>,
}

#[derive(Debug, Default)]
struct OpenRow {
    row: SheetRow,
    column: usize,
    times: usize,
    is_hidden: bool,
    has_words: bool,
    style: Option<String>,
}

impl<'s> OdsSheets<'s> {
    pub(super) fn new(plans: &'s SheetPlans, formats: &'s CellFormats, styles: &'s OdtStyles) -> Self {
        let (sheets, not_shown) = (SheetReader::default(), NotShown::default());
        Self { plans, formats, styles, sheets, not_shown, begun: 0, elsewhere: 0, sheet: None, inner_tables: 0 }
    }

    pub(super) fn take(&mut self, event: Markup<'_>) {
        match &event {
            Markup::Open(_) if self.elsewhere > 0 => self.elsewhere += 1,
            Markup::Close(_) if self.elsewhere > 0 => self.elsewhere -= 1,
            Markup::Text(_) if self.elsewhere > 0 => {}
            Markup::Open(element) if element.name == "table" && self.sheet.is_none() => self.begin(),
            event => self.inside(event),
        }
    }

    fn begin(&mut self) {
        let Some(plan) = self.plans.get(self.begun) else { return };
        self.begun += 1;
        if plan.is_hidden || self.sheets.is_full() {
            self.elsewhere = 1;
            return;
        }
        self.sheets.open_named(&plan.name);
        self.sheet = Some(OpenSheet::new(plan));
    }

    fn inside(&mut self, event: &Markup<'_>) {
        let Some(sheet) = &mut self.sheet else {
            if matches!(event, Markup::Open(element) if has_other_cells(&element.name)) {
                self.elsewhere = 1;
            }
            return;
        };
        if let Some(annotation) = &mut sheet.annotation {
            if annotation.take(event) {
                sheet.end_annotation();
            }
            return;
        }
        match event {
            Markup::Open(element) => match element.name.as_str() {
                name if has_other_cells(name) => {
                    self.elsewhere = 1;
                    self.not_shown.objects += usize::from(name == "object");
                }
                "object-ole" => self.not_shown.objects += 1,
                "title" | "desc" => self.elsewhere = 1,
                "table" => self.inner_tables += 1,
                _ if self.inner_tables > 0 && sheet.drawings == 0 => {}
                _ => sheet.open(element, self.styles, self.formats),
            },
            Markup::Close(name) => match name.as_str() {
                "table" if self.inner_tables > 0 => self.inner_tables -= 1,
                "table" => self.end(),
                "table-row" if self.inner_tables == 0 => sheet.close_row(&mut self.sheets, &mut self.not_shown),
                "table-cell" | "covered-table-cell" if self.inner_tables == 0 => {
                    sheet.close_cell(self.formats, self.styles, &mut self.sheets, &mut self.not_shown);
                }
                _ => sheet.close(name, &mut self.sheets),
            },
            Markup::Text(text) => sheet.text(text),
        }
    }

    fn end(&mut self) {
        let Some(sheet) = self.sheet.take() else { return };
        self.not_shown.columns += sheet.hidden_columns.len();
        self.sheets.close();
        sheet.behind.into_iter().for_each(|leaf| self.sheets.push(leaf));
    }
}

impl<'s> OpenSheet<'s> {
    fn new(plan: &'s OdsPlan) -> Self {
        Self {
            plan,
            merged: MergedCells::new(&plan.cells),
            number: 0,
            is_after_gap: false,
            has_rows: false,
            hidden_columns: BTreeSet::new(),
            groups: Vec::new(),
            row: OpenRow::default(),
            cell: None,
            in_paragraph: false,
            marks: Vec::new(),
            annotation: None,
            drawings: 0,
            drawn: None,
            behind: Vec::new(),
        }
    }

    fn open(&mut self, element: &XmlElement<'_>, styles: &OdtStyles, formats: &CellFormats) {
        let style = |name: &str| element.attribute(name).filter(|name| !name.is_empty());
        match element.name.as_str() {
            name if is_group(name) => self.groups.push(is_unseen(element)),
            "table-row" => {
                self.row = OpenRow {
                    times: times(element, "number-rows-repeated"),
                    is_hidden: is_unseen(element) || self.groups.contains(&true),
                    style: style("default-cell-style-name"),
                    ..OpenRow::default()
                };
            }
            "table-cell" | "covered-table-cell" => {
                let mut cell = OdsCell::from_element(element);
                let of_column = || self.plan.styles.range(..=self.row.column).next_back().map(|(_, name)| name.clone());
                cell.style = cell.style.or_else(|| self.row.style.clone()).or_else(of_column);
                self.marks = vec![cell_marks(&cell, styles, formats)];
                self.cell = Some(cell);
            }
            "annotation" => self.annotation = Some(Annotation::default()),
            "frame" | "custom-shape" | "rect" | "ellipse" | "g" | "caption" | "control" => self.drawings += 1,
            "p" | "h" if self.drawings > 0 => self.drawn = Some(RunText::default()),
            "p" | "h" => {
                self.in_paragraph = true;
                if let Some(cell) = &mut self.cell {
                    cell.begin_paragraph();
                }
            }
            "span" => {
                let own = styles.looks(&style("style-name").unwrap_or_default()).marks;
                let around = self.marks.last().copied().unwrap_or_default();
                self.marks.push(own.over(around));
            }
            "s" | "tab" => self.space(' '),
            "line-break" => self.space('\n'),
            _ => {}
        }
    }

    fn space(&mut self, space: char) {
        match (&mut self.drawn, &mut self.cell) {
            (Some(drawn), _) => drawn.space(space),
            (None, Some(cell)) => cell.text().space(space),
            (None, None) => {}
        }
    }

    fn text(&mut self, text: &str) {
        let marks = self.marks.last().copied().unwrap_or_default();
        match (&mut self.drawn, &mut self.cell) {
            (Some(drawn), _) => drawn.plain(text),
            (None, Some(cell)) if self.in_paragraph => cell.text().push(text, marks),
            (None, _) => {}
        }
    }

    fn close(&mut self, name: &str, sheets: &mut SheetReader) {
        match name {
            name if is_group(name) => drop(self.groups.pop()),
            "frame" | "custom-shape" | "rect" | "ellipse" | "g" | "caption" | "control" => {
                self.drawings = self.drawings.saturating_sub(1);
            }
            "span" if self.marks.len() > 1 => drop(self.marks.pop()),
            "p" | "h" => {
                self.in_paragraph = false;
                let words = self.drawn.take().map(RunText::words).unwrap_or_default();
                let text = sheets.cell(&words);
                if !text.is_empty() {
                    self.behind.push(Leaf::new(BlockKind::Paragraph, text));
                }
            }
            _ => {}
        }
    }

    fn end_annotation(&mut self) {
        let Some(annotation) = self.annotation.take() else { return };
        let place = CellPlace { row: self.number, column: self.row.column };
        let is_shown = !self.row.is_hidden && !self.plan.cells.is_hidden(place.column);
        self.behind.extend(annotation.note(|_| Some(reference(place))).filter(|_| is_shown));
    }

    fn close_cell(
        &mut self,
        formats: &CellFormats,
        styles: &OdtStyles,
        sheets: &mut SheetReader,
        not_shown: &mut NotShown,
    ) {
        let Some(cell) = self.cell.take() else { return };
        let (first, times, is_blank) = (self.row.column, cell.times, cell.is_blank());
        self.row.column = first.saturating_add(times);
        let place = CellPlace { row: self.number, column: first };
        let (plan, is_number) = (&self.plan.cells, cell.is_number());
        let is_hidden = self.row.is_hidden || plan.is_hidden(first);
        not_shown.formulas += usize::from(cell.is_without_value() && !is_hidden);
        if is_blank {
            // Struck text says nothing, and is counted.
            sheets.cell(&cell.words(None, Marks::default()));
            return;
        }
        self.row.has_words = true;
        let marks = cell_marks(&cell, styles, formats);
        let format = cell.style.as_deref().and_then(|name| formats.of_cell(name));
        if cell.is_covered {
            // What a merged area covers is not seen.
            let words = cell.words(format, Marks { is_hidden: true, ..marks });
            sheets.cell(&words);
            return;
        }
        let words = cell.words(format, marks);
        if is_hidden {
            let is_label = self.merged.is_label(place);
            if is_label {
                // Its area may be shown where it is not.
                self.merged.label(place, &words.text);
            }
            if !self.row.is_hidden && !is_label {
                self.hidden_columns.insert(first);
            }
            return;
        }
        let text = sheets.cell(&words);
        self.row.row.has_number |= is_number && !text.is_empty();
        self.merged.label(place, &text);
        let written = not_shown.repeats.times_written(text.len(), times);
        for column in (first..first + written).filter(|column| !plan.is_hidden(*column)) {
            let (shown, cells) = (plan.visible_column(column), &mut self.row.row.cells);
            // If a cell is far to the right, its column is not kept, but its text is.
            if shown.saturating_sub(cells.len()) <= MAX_GAP {
                cells.resize(shown.max(cells.len()), String::new());
            }
            cells.push(text.clone());
        }
    }

    fn close_row(&mut self, sheets: &mut SheetReader, not_shown: &mut NotShown) {
        let OpenRow { row, times, is_hidden, has_words, .. } = std::mem::take(&mut self.row);
        let number = self.number;
        self.number = number.saturating_add(u32::try_from(times).unwrap_or(u32::MAX));
        if is_hidden {
            not_shown.rows += if has_words { times } else { 0 };
            return;
        }
        let bytes = row.cells.iter().map(|cell| cell.len() + 1).sum();
        // Only rows inside a merged area have words of others.
        let written = if has_words { not_shown.repeats.times_written(bytes, times) } else { 1 };
        for at in 0..written {
            let number = number.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
            let mut row = row.clone();
            self.merged.fill(number, &mut row);
            if row.cells.iter().all(|cell| cell.trim().is_empty()) {
                self.is_after_gap = self.has_rows;
                continue;
            }
            row.is_after_gap = std::mem::take(&mut self.is_after_gap);
            row.is_header = self.plan.cells.header_rows.contains(&number);
            self.has_rows = true;
            sheets.push_row(row);
        }
    }
}

/// The marks of the text in `cell`: those of its style, hidden if it is covered or its number format shows no text.
fn cell_marks(cell: &OdsCell, styles: &OdtStyles, formats: &CellFormats) -> Marks {
    let covered = Marks { is_hidden: cell.is_covered, ..Marks::default() };
    let Some(name) = cell.style.as_deref() else { return covered };
    let shows_no_text = formats.of_cell(name).is_some_and(|format| format.around_text().is_none());
    let marks = styles.looks(name).marks;
    Marks { is_hidden: cell.is_covered || marks.is_hidden || (shows_no_text && !cell.is_number()), ..marks }
}
