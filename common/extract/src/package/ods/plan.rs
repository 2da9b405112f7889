//! [`SheetPlans`]: what the document says about its sheets apart from their cells, which it says in part after them.

use std::collections::BTreeMap;

use super::super::markup::{Markup, XmlElement, walk};
use super::super::xlsx::place::{CellArea, CellPlace, area};
use super::super::xlsx::plan::SheetPlan;
use super::cell_formats::CellFormats;
use super::elements::{has_other_cells, is_group, is_unseen, times};

/// The plans of the sheets, in order.
#[derive(Debug, Default)]
pub(super) struct SheetPlans {
    plans: Vec<OdsPlan>,
}

/// The plan of a sheet.
#[derive(Debug, Default)]
pub(super) struct OdsPlan {
    pub(super) name: String,
    pub(super) is_hidden: bool,
    pub(super) cells: SheetPlan,
    /// The styles of cells that name none, by the first column that has them.
    pub(super) styles: BTreeMap<usize, String>,
}

/// Where the first reading of a sheet has got to.
#[derive(Debug, Default)]
struct PlanReader {
    plans: Vec<OdsPlan>,
    by_name: BTreeMap<String, usize>,
    /// Number of open tables: those inside cells are no sheets.
    tables: usize,
    /// Number of open elements with cells of something else, including itself.
    elsewhere: usize,
    row: u32,
    rows: usize,
    column: usize,
    /// Columns planned so far.
    planned: usize,
    in_header: bool,
    /// For each open group of rows or columns, whether it is hidden.
    groups: Vec<bool>,
}

impl SheetPlans {
    /// Reads the plans in the part with the cells.
    pub(super) fn read(part: &[u8], formats: &CellFormats) -> Self {
        let mut read = PlanReader::default();
        walk(part, |event| read.take(&event, formats));
        Self { plans: read.plans }
    }

    /// The plan of the sheet at `at`, from 0.
    pub(super) fn get(&self, at: usize) -> Option<&OdsPlan> {
        self.plans.get(at)
    }

    /// Number of hidden sheets.
    pub(super) fn hidden_sheets(&self) -> usize {
        self.plans.iter().filter(|plan| plan.is_hidden).count()
    }
}

impl PlanReader {
    fn take(&mut self, event: &Markup<'_>, formats: &CellFormats) {
        match event {
            Markup::Open(_) if self.elsewhere > 0 => self.elsewhere += 1,
            Markup::Close(_) if self.elsewhere > 0 => self.elsewhere -= 1,
            Markup::Open(element) if has_other_cells(&element.name) => self.elsewhere = 1,
            Markup::Open(element) => self.open(element, formats),
            Markup::Close(name) => self.close(name),
            Markup::Text(_) => {}
        }
    }

    fn open(&mut self, element: &XmlElement<'_>, formats: &CellFormats) {
        match element.name.as_str() {
            "table" => {
                self.tables += 1;
                if self.tables == 1 {
                    self.begin(element, formats);
                }
            }
            "database-range" if element.attribute("contains-header").as_deref() != Some("false") => self.range(element),
            _ if self.tables != 1 => {}
            name if is_group(name) => self.groups.push(is_unseen(element)),
            "table-column" => self.column(element),
            "table-header-rows" => self.in_header = true,
            "table-row" => {
                (self.rows, self.column) = (times(element, "number-rows-repeated"), 0);
                if let Some(plan) = self.plans.last_mut().filter(|_| self.in_header) {
                    plan.cells.header_rows.insert(self.row);
                }
            }
            "table-cell" | "covered-table-cell" => self.cell(element),
            _ => {}
        }
    }

    fn begin(&mut self, element: &XmlElement<'_>, formats: &CellFormats) {
        let name = element.attribute("name").unwrap_or_default();
        let style = element.attribute("style-name").unwrap_or_default();
        let is_hidden = formats.hides_sheet(&style) || is_unseen(element);
        self.by_name.insert(name.clone(), self.plans.len());
        self.plans.push(OdsPlan { name, is_hidden, ..OdsPlan::default() });
        (self.row, self.rows, self.column, self.planned) = (0, 0, 0, 0);
    }

    fn column(&mut self, element: &XmlElement<'_>) {
        let is_hidden = is_unseen(element) || self.groups.contains(&true);
        let first = self.planned;
        self.planned = self.planned.saturating_add(times(element, "number-columns-repeated"));
        let Some(plan) = self.plans.last_mut() else { return };
        if is_hidden {
            plan.cells.hide(first, self.planned);
        }
        plan.styles.insert(first, element.attribute("default-cell-style-name").unwrap_or_default());
    }

    fn cell(&mut self, element: &XmlElement<'_>) {
        let (columns, rows) = (times(element, "number-columns-spanned"), times(element, "number-rows-spanned"));
        let first = CellPlace { row: self.row, column: self.column };
        self.column = self.column.saturating_add(times(element, "number-columns-repeated"));
        if let Some(plan) = self.plans.last_mut().filter(|_| columns > 1 || rows > 1) {
            let last_row = first.row.saturating_add(u32::try_from(rows - 1).unwrap_or(u32::MAX));
            let last = CellPlace { row: last_row, column: first.column.saturating_add(columns - 1) };
            plan.cells.merge(CellArea { first, last });
        }
    }

    /// Takes a named range whose first row names its columns, such as `'My sheet'.A1:'My sheet'.C9`.
    fn range(&mut self, element: &XmlElement<'_>) {
        let address = element.attribute("target-range-address").unwrap_or_default();
        let (first, last) = address.split_once(':').unwrap_or((&address, &address));
        let split = |place: &str| place.rsplit_once('.').map(|(sheet, cell)| (sheet.to_owned(), cell.to_owned()));
        let Some(((sheet, first), (_, last))) = split(first).zip(split(last)) else { return };
        let sheet = sheet.trim_start_matches('$').trim_matches('\'').replace("''", "'");
        let plan = self.by_name.get(&sheet).and_then(|at| self.plans.get_mut(*at));
        if let Some((plan, area)) = plan.zip(area(&format!("{first}:{last}"))) {
            plan.cells.header_rows.insert(area.first.row);
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "table" => self.tables = self.tables.saturating_sub(1),
            _ if self.tables != 1 => {}
            name if is_group(name) => drop(self.groups.pop()),
            "table-header-rows" => self.in_header = false,
            "table-row" => self.row = self.row.saturating_add(u32::try_from(self.rows).unwrap_or(u32::MAX)),
            _ => {}
        }
    }
}
