//! Books: the chapters in reading order. A chapter is a page of XHTML and is read as such.

use std::collections::BTreeMap;

use precis_proto::DocumentFormat;
use precis_text::Leaf;

use super::super::charset;
use super::super::html::{article, expand_self_closing};
use super::super::runs::LeftOut;
use super::super::table::Leaves;
use super::archive::{Package, PartError};
use super::markup::{Markup, walk};
use super::package_text::{PackageError, PackageText};
use super::part_name::resolve;
use super::properties;

/// Algorithms in `META-INF/encryption.xml` that only obfuscate fonts; any other means that chapters are encrypted.
const FONT_DISGUISES: [&str; 2] = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];

/// The text of a book.
pub(super) fn text(package: &mut Package<'_>) -> Result<PackageText, PackageError> {
    if is_locked(package) {
        return Err(PackageError::Encrypted);
    }
    let broken = |what: &str| PackageError::Broken(what.to_owned());
    let container = package.part("META-INF/container.xml")?;
    let opf_name = root_file(&container).ok_or_else(|| broken("its container does not name a content list"))?;
    let opf = package.part(&opf_name)?;
    let (mut all, mut missing, mut left_out) = (Leaves::default(), 0, LeftOut::default());
    for chapter in chapters(&opf, &opf_name) {
        match package.part(&chapter) {
            Ok(bytes) => {
                let (leaves, unseen) = leaves(&bytes);
                all.extend(leaves);
                left_out += unseen;
            }
            Err(PartError::TooLarge) => return Err(PartError::TooLarge.into()),
            Err(_) => missing += 1,
        }
    }
    let remarks = (missing > 0).then(|| match missing {
        1 => "1 chapter could not be read".to_owned(),
        _ => format!("{missing} chapters could not be read"),
    });
    let properties = properties::read(&opf);
    let leaves = all.finish();
    Ok(PackageText {
        format: DocumentFormat::Epub,
        properties,
        leaves,
        remarks: remarks.into_iter().collect(),
        left_out,
    })
}

/// The leaves of a chapter, and what it does not say. Its header and footer belong to it, not to a site.
fn leaves(chapter: &[u8]) -> (Vec<Leaf>, LeftOut) {
    let Ok(source) = charset::decode(chapter, None) else { return (Vec::new(), LeftOut::default()) };
    article(&expand_self_closing(&source))
}

fn is_locked(package: &mut Package<'_>) -> bool {
    let Ok(encryption) = package.part("META-INF/encryption.xml") else { return false };
    let mut is_locked = false;
    walk(&encryption, |event| {
        if let Markup::Open(element) = event
            && element.name == "EncryptionMethod"
        {
            is_locked |= element.attribute("Algorithm").is_some_and(|name| !FONT_DISGUISES.contains(&name.as_str()));
        }
    });
    is_locked
}

/// The name of the first rendition's content list.
fn root_file(container: &[u8]) -> Option<String> {
    let mut found = None;
    walk(container, |event| {
        if let Markup::Open(element) = event
            && element.name == "rootfile"
            && found.is_none()
        {
            found = element.attribute("full-path").map(|path| resolve("", &path));
        }
    });
    found
}

/// Names of the chapters in reading order: the entries of the spine that are text according to the manifest.
fn chapters(opf: &[u8], opf_name: &str) -> Vec<String> {
    let (mut manifest, mut spine) = (BTreeMap::new(), Vec::new());
    walk(opf, |event| {
        let Markup::Open(element) = event else { return };
        match element.name.as_str() {
            "item" => {
                let is_text = element.attribute("media-type").is_none_or(|kind| kind.contains("html"));
                let is_list = element.attribute("properties").is_some_and(|p| p.split(' ').any(|word| word == "nav"));
                if let (true, Some(id), Some(href)) =
                    (is_text && !is_list, element.attribute("id"), element.attribute("href"))
                {
                    manifest.insert(id, resolve(opf_name, &href));
                }
            }
            "itemref" => spine.extend(element.attribute("idref")),
            _ => {}
        }
    });
    let mut chapters: Vec<String> = spine.iter().filter_map(|id| manifest.remove(id)).collect();
    if chapters.is_empty() {
        chapters.extend(manifest.into_values());
    }
    chapters
}

#[cfg(test)]
mod tests {
    use super::super::fixture::zip_parts;
    use super::*;

    const CONTAINER: &str = "<container><rootfiles><rootfile full-path='OEBPS/book.opf'/></rootfiles></container>";
    const OPF: &str = "<package><metadata><dc:title>A Book</dc:title></metadata><manifest>\
        <item id='nav' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>\
        <item id='b' href='text/two%20.xhtml' media-type='application/xhtml+xml'/>\
        <item id='a' href='text/one.xhtml' media-type='application/xhtml+xml'/>\
        <item id='c' href='cover.png' media-type='image/png'/></manifest>\
        <spine><itemref idref='nav'/><itemref idref='a'/><itemref idref='b'/><itemref idref='c'/></spine></package>";

    fn book(more: &[(&str, &str)]) -> Result<PackageText, PackageError> {
        let mut parts = vec![
            ("META-INF/container.xml", CONTAINER),
            ("OEBPS/book.opf", OPF),
            ("OEBPS/nav.xhtml", "<html><body>Contents</body></html>"),
            (
                "OEBPS/text/one.xhtml",
                "<?xml version='1.0'?><html xmlns='x'><head><title/><script src='x'/></head><body><p>First &amp; foremost.</p></body></html>",
            ),
        ];
        parts.extend_from_slice(more);
        super::super::text(Package::open(&zip_parts(&parts)).expect("an archive"))
    }

    fn texts(found: &PackageText) -> Vec<&str> {
        found.leaves.iter().map(|leaf| leaf.text.as_str()).collect()
    }

    #[test]
    fn the_blocks_of_a_chapter_are_those_of_a_page() {
        let row = "<table><tr><td>a</td><td>b</td></tr></table>";
        let chapter = format!("<html><body><header><p>I</p><h1>One</h1></header>{row}{row}</body></html>");
        let found = book(&[("OEBPS/text/two .xhtml", &chapter)]).expect("a book");
        let kinds: Vec<_> = found.leaves.iter().map(|leaf| (leaf.kind.as_str(), leaf.table)).collect();
        let rows = [("table_row", Some(1)), ("table_row", Some(2))];
        assert_eq!(kinds[1..3], [("paragraph", None), ("heading", None)]);
        assert_eq!(kinds[3..], rows);
    }

    #[test]
    fn chapters_come_in_reading_order_without_the_table_of_contents() {
        let found = book(&[("OEBPS/text/two .xhtml", "<html><body><p>Second.</p></body></html>")]).expect("a book");
        assert_eq!(texts(&found), ["First & foremost.", "Second."]);
        assert_eq!((found.properties.title.as_deref(), found.remarks.len()), (Some("A Book"), 0));
    }

    #[test]
    fn a_missing_chapter_is_remarked_on() {
        let found = book(&[]).expect("a book");
        assert_eq!(texts(&found), ["First & foremost."]);
        assert_eq!(found.remarks, ["1 chapter could not be read"]);
    }

    #[test]
    fn a_locked_book_is_encrypted_and_one_with_disguised_fonts_is_not() {
        let method = |algorithm: &str| format!("<e><EncryptionMethod Algorithm='{algorithm}'/></e>");
        for (algorithm, locked) in
            [("http://www.idpf.org/2008/embedding", false), ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", true)]
        {
            let found = book(&[("META-INF/encryption.xml", &method(algorithm))]);
            assert_eq!(found == Err(PackageError::Encrypted), locked, "{algorithm}");
        }
    }

    #[test]
    fn a_book_without_a_content_list_is_broken() {
        let parts = [("META-INF/container.xml", "<container/>")];
        let found = super::super::text(Package::open(&zip_parts(&parts)).expect("an archive"));
        assert!(matches!(found, Err(PackageError::Broken(_))), "{found:?}");
    }
}
