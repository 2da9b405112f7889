//! Sheets of OpenDocument (ISO/IEC 26300): each visible sheet as a heading and a table, with cells as shown on the screen, followed by its
//! comments and text boxes. The rules are those of workbooks ([`super::xlsx`]): dates are written year first, and hidden sheets, rows and
//! columns are left out and counted.

use precis_proto::DocumentFormat;

use super::archive::Package;
use super::markup::walk;
use super::odt::{self, OdtStyles};
use super::package_text::{PackageError, PackageText};
use super::properties;
use cell_formats::CellFormats;
use plan::SheetPlans;
use sheets::OdsSheets;

mod cell;
mod cell_formats;
mod date;
mod elements;
mod format_code;
mod plan;
mod repeats;
mod sheets;

/// The text of the sheets.
pub(super) fn text(package: &mut Package<'_>) -> Result<PackageText, PackageError> {
    if odt::is_locked(package) {
        return Err(PackageError::Encrypted);
    }
    let content = package.part(odt::BODY)?;
    let shared = package.part("styles.xml").unwrap_or_default();
    let (mut formats, mut styles) = (CellFormats::default(), OdtStyles::default());
    for part in [&shared, &content] {
        formats.read(part);
        styles.read(part);
    }
    let plans = SheetPlans::read(&content, &formats);
    let mut sheets = OdsSheets::new(&plans, &formats, &styles);
    let whole = walk(&content, |event| sheets.take(event));
    let (mut sheets, not_shown) = (sheets.sheets, sheets.not_shown);
    sheets.close();
    let left_out = sheets.left_out();
    let (leaves, cut) = sheets.finish();
    let broken = (!whole).then(|| "the document's markup ends early".to_owned());
    let remarks = broken.into_iter().chain(not_shown.remarks(plans.hidden_sheets())).chain(cut).collect();
    Ok(PackageText { format: DocumentFormat::Ods, properties: properties::of(package), leaves, remarks, left_out })
}

#[cfg(test)]
mod tests;
