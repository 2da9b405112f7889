//! Workbooks: each visible sheet as a heading and a table, with cells as shown on the screen (ECMA-376, part 1, chapter 18), followed by
//! its comments and charts. A formula is read as the value saved with it. Hidden sheets, rows and columns are left out.

use precis_proto::DocumentFormat;

use super::super::sheet::SheetReader;
use super::archive::Package;
use super::drawing::{self, Drawings};
use super::markup::{Markup, walk};
use super::package_text::{PackageError, PackageText};
use super::properties;
use super::relations::{self, PackageRelation};
use cell_styles::CellStyles;
use plan::SheetPlan;
use rich_text::RichText;
use worksheet::{NotShown, WorksheetReader};

mod cell_styles;
mod comments;
pub(super) mod merged;
pub(super) mod place;
pub(super) mod plan;
mod rich_text;
mod worksheet;

/// Name of the part with the list of sheets.
pub(super) const WORKBOOK: &str = "xl/workbook.xml";

/// The text of a workbook.
pub(super) fn text(package: &mut Package<'_>) -> Result<PackageText, PackageError> {
    let relations = relations::of(package, WORKBOOK);
    let mut book = Workbook::default();
    let mut whole = walk(&package.part(WORKBOOK)?, |event| book.take(&event));
    let styles = CellStyles::read(&package.part("xl/styles.xml").unwrap_or_default(), book.is_from_1904);
    let (strings, has_all) = rich_text::shared_texts(&package.part("xl/sharedStrings.xml").unwrap_or_default());
    whole &= has_all;
    let mut read =
        SheetsReader { styles, strings, sheets: SheetReader::default(), not_shown: NotShown::default(), charts: 0 };
    for (name, id) in &book.sheets {
        let Some(relation) = relations.get(id).filter(|relation| relation.kind == "worksheet") else { continue };
        read.sheets.open_named(name);
        whole &= read.sheet(package, &relation.part)?;
    }
    let charts = drawing::remark(read.charts);
    let left_out = read.sheets.left_out();
    let (leaves, cut) = read.sheets.finish();
    let broken = (!whole).then(|| "the document's markup ends early".to_owned());
    let NotShown { rows, columns, formulas } = read.not_shown;
    let counted = [
        ("hidden sheets were left out", book.hidden),
        ("hidden rows were left out", rows),
        ("hidden columns were left out", columns),
        ("formulas without a saved value were left out", formulas),
    ];
    let counted = counted.into_iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what}: {count}"));
    Ok(PackageText {
        format: DocumentFormat::Xlsx,
        properties: properties::of(package),
        leaves,
        remarks: broken.into_iter().chain(counted).chain(charts).chain(cut).collect(),
        left_out,
    })
}

/// What all sheets share, and what was read of them.
struct SheetsReader {
    styles: CellStyles,
    strings: Vec<RichText>,
    sheets: SheetReader,
    not_shown: NotShown,
    /// Charts that are not read.
    charts: usize,
}

impl SheetsReader {
    /// Reads the sheet in `part`; returns whether it was complete.
    fn sheet(&mut self, package: &mut Package<'_>, part: &str) -> Result<bool, PackageError> {
        let relations = relations::of(package, part);
        let of_kind = |kind: &str| {
            let named = relations.values().filter(|relation| relation.kind == kind);
            named.map(|PackageRelation { part, .. }| part.clone()).collect::<Vec<_>>()
        };
        let mut parts = |kind: &str| of_kind(kind).iter().flat_map(|part| package.part(part)).collect::<Vec<Vec<u8>>>();
        let tables = parts("table");
        let comments = comments::read(&parts("threadedComment"), &parts("comments"));
        let bytes = package.part(part)?;
        let mut plan = SheetPlan::read(&bytes);
        tables.iter().for_each(|table| plan.take_table(table));
        let mut sheet = WorksheetReader::new(&self.strings, &self.styles, &plan, &mut self.sheets);
        let whole = walk(&bytes, |event| sheet.take(event));
        let (not_shown, hidden) = sheet.finish();
        self.not_shown += not_shown;
        self.sheets.close();
        let shown = |place: &place::CellPlace| !hidden.contains(&place.row) && !plan.is_hidden(place.column);
        for note in comments.iter().filter(|comment| shown(&comment.place)).filter_map(|comment| comment.note()) {
            self.sheets.push(note);
        }
        for drawing in of_kind("drawing") {
            let mut drawings = Drawings::read(package, &drawing);
            self.charts += drawings.unread_charts;
            walk(&package.part(&drawing)?, |event| {
                if let Markup::Open(element) = event {
                    self.sheets.extend(drawings.take(&element).unwrap_or_default());
                }
            });
        }
        Ok(whole)
    }
}

/// The list of sheets.
#[derive(Debug, Default)]
struct Workbook {
    /// Names and relation ids of the visible sheets.
    sheets: Vec<(String, String)>,
    hidden: usize,
    is_from_1904: bool,
}

impl Workbook {
    fn take(&mut self, event: &Markup<'_>) {
        let Markup::Open(element) = event else { return };
        match element.name.as_str() {
            "sheet" if element.attribute("state").is_some_and(|state| state != "visible") => self.hidden += 1,
            "sheet" => self.sheets.extend(element.attribute("name").zip(element.attribute("id"))),
            "workbookPr" => self.is_from_1904 = plan::is_on(element, "date1904"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
