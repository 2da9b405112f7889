//! Documents that are packages: a ZIP archive of parts, some of them XML. Each format has a file that interprets its parts.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `archive` | the parts of a package, unpacked within a limit |
//! | `markup`, `entities` | XML as a flat list of events, entities resolved within limits, nothing fetched |
//! | `package_text` | the result of reading a package |
//! | `part_name` | resolves an address in a part to the name of another part |
//! | `docx` | word processing documents (ECMA-376) |
//! | `odt` | text documents and presentations of OpenDocument |
//! | `ods` | sheets of OpenDocument |
//! | `epub` | books (EPUB 2 and 3) |
//! | `xlsx`, `pptx` | workbooks and presentations (ECMA-376) |
//! | `properties` | what a package says about its document as a whole |
//! | `relations` | the parts that the ids in a part refer to |
//! | `chart`, `drawing` | charts and diagrams, and where a part shows them |
//! | `number_format` | numbers as the codes of workbooks and charts show them |
//! | `office_math` | formulas of Office files |

use precis_proto::DocumentFormat;

mod archive;
mod chart;
mod docx;
mod drawing;
mod entities;
mod epub;
#[cfg(test)]
pub(super) mod fixture;
mod markup;
mod number_format;
mod ods;
mod odt;
mod office_math;
mod package_text;
mod part_name;
mod pptx;
mod properties;
mod relations;
mod xlsx;

pub(super) use archive::Package;
pub(super) use entities::is_reference;
pub(super) use markup::{Markup, XmlElement, walk};
pub(super) use package_text::{PackageError, PackageText};

/// The text of `package`, if it is a document.
///
/// # Errors
/// [`PackageError`], if it is not a document or cannot be read.
pub(super) fn text(mut package: Package<'_>) -> Result<PackageText, PackageError> {
    if package.has("META-INF/container.xml") {
        return epub::text(&mut package);
    }
    if package.has(xlsx::WORKBOOK) {
        return xlsx::text(&mut package);
    }
    if package.has(pptx::PRESENTATION) {
        return pptx::text(&mut package);
    }
    match odt::format(&mut package) {
        Some(DocumentFormat::Ods) => return ods::text(&mut package),
        Some(format) => return odt::text(&mut package, format),
        None => {}
    }
    match docx::main_part(&mut package) {
        Some(part) => docx::text(&mut package, &part),
        None => Err(PackageError::Unknown),
    }
}
