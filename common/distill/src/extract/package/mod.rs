//! Documents that are packages: a ZIP archive of parts, some of them XML. What a part says is known by the format's own file.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `archive` | the parts of a package, unfolded under a bound |
//! | `markup` | XML as a flat list of events, entities resolved, nothing fetched or expanded |
//! | `docx` | word processing documents (ECMA-376) |
//! | `odt` | text documents of OpenDocument |
//! | `epub` | books (EPUB 2 and 3) |
//! | `xlsx`, `pptx` | workbooks and presentations (ECMA-376) |
//! | `relations` | which parts the ids of a part stand for |

mod archive;
mod docx;
mod epub;
#[cfg(test)]
pub(super) mod fixture;
mod markup;
mod odt;
mod pptx;
mod relations;
mod xlsx;

pub(super) use archive::Package;

use archive::PartError;

use crate::text::Leaf;

/// A package that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackageText {
    /// What it is.
    pub(super) content_type: &'static str,
    /// Its own title.
    pub(super) title: Option<String>,
    /// Its text.
    pub(super) leaves: Vec<Leaf>,
    /// What a reader should know.
    pub(super) remarks: Vec<String>,
    /// Characters that the document hides from its readers, white space not counted.
    pub(super) hidden: u64,
}

/// Why a package gives no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PackageError {
    /// It is of no format that is read here.
    Unknown,
    /// Needs a password, or a key.
    Encrypted,
    /// Damaged, or unfolds to more than is read.
    Broken(String),
}

impl From<PartError> for PackageError {
    fn from(error: PartError) -> Self {
        match error {
            PartError::Encrypted => Self::Encrypted,
            PartError::Missing => Self::Broken("a part of it is missing".to_owned()),
            PartError::Broken => Self::Broken("a part of it is damaged".to_owned()),
            PartError::TooLarge => Self::Broken("it unfolds to more than is read".to_owned()),
        }
    }
}

/// The text of `package`, where it is a document.
///
/// # Errors
/// [`PackageError`].
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
    if odt::is_one(&mut package) {
        return odt::text(&mut package);
    }
    match docx::main_part(&mut package) {
        Some(part) => docx::text(&mut package, &part),
        None => Err(PackageError::Unknown),
    }
}

/// `href` as a part's name, seen from the part `base`: percent signs decoded, `.` and `..` resolved, the fragment left out.
fn resolve(base: &str, href: &str) -> String {
    let path = percent_decoded(href.split(['#', '?']).next().unwrap_or_default());
    let mut steps: Vec<&str> = match path.starts_with('/') {
        true => Vec::new(),
        false => base.rsplit_once('/').map_or(Vec::new(), |(dir, _)| dir.split('/').collect()),
    };
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let decoded = (first == b'%').then(|| tail.get(..2)).flatten();
        let decoded = decoded.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(decoded.unwrap_or(first));
        rest = if decoded.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_resolved_inside_the_package() {
        for (base, href, name) in [
            ("OEBPS/book.opf", "text/one.xhtml", "OEBPS/text/one.xhtml"),
            ("OEBPS/book.opf", "../two.xhtml#part", "two.xhtml"),
            ("book.opf", "./a%20b.xhtml?x", "a b.xhtml"),
            ("a/b/c.opf", "/d.xhtml", "d.xhtml"),
            ("a.opf", "../../../etc/passwd", "etc/passwd"),
            ("a.opf", "100%25%zz%", "100%%zz%"),
        ] {
            assert_eq!(resolve(base, href), name, "{base} {href}");
        }
    }
}
