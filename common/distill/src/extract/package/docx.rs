//! Word processing documents: the body, then foot- and endnotes. What was deleted, is hidden or stands twice is left out;
//! headers, footers and comments are no part of the text.

use super::super::html::visible;
use super::markup::{Element, Markup, text_of_first, walk};
use super::{Package, PackageError, PackageText, resolve};

/// What it is.
const CONTENT_TYPE: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
/// Where the body lies unless the package says otherwise.
const USUAL_PART: &str = "word/document.xml";

/// Elements whose text no reader sees: deleted, moved away, field codes, and the second rendering of a drawing.
const UNSEEN: [&str; 7] = ["del", "moveFrom", "delText", "instrText", "delInstrText", "Fallback", "binData"];

/// The part that holds the body; none where the package is no word processing document.
pub(super) fn main_part(package: &mut Package<'_>) -> Option<String> {
    let mut named = None;
    if let Ok(relations) = package.part("_rels/.rels") {
        walk(&relations, |event| {
            if let Markup::Open(element) = event
                && element.attribute("Type").is_some_and(|kind| kind.ends_with("/officeDocument"))
            {
                named = element.attribute("Target").map(|target| resolve("", &target));
            }
        });
    }
    let named = named.filter(|part| part.starts_with("word/") || part.contains("document"));
    named.into_iter().chain([USUAL_PART.to_owned()]).find(|part| package.has(part))
}

/// The text of the document whose body is `part`.
pub(super) fn text(package: &mut Package<'_>, part: &str) -> Result<PackageText, PackageError> {
    let mut body = Body::default();
    let mut whole = walk(&package.part(part)?, |event| body.take(event));
    for notes in ["footnotes.xml", "endnotes.xml"] {
        let notes = resolve(part, notes);
        if package.has(&notes) {
            whole &= walk(&package.part(&notes)?, |event| body.take(event));
        }
    }
    let title = package.part("docProps/core.xml").ok().and_then(|core| text_of_first(&core, "title"));
    let remarks = (!whole).then(|| "the document's markup breaks off".to_owned());
    Ok(PackageText {
        content_type: CONTENT_TYPE,
        title,
        text: visible(&body.text),
        remarks: remarks.into_iter().collect(),
    })
}

#[derive(Debug, Default)]
struct Body {
    text: String,
    /// Elements open inside one that nobody sees, itself included.
    unseen: usize,
    in_run: bool,
    /// The run being read is formatted as hidden.
    is_hidden: bool,
    /// Inside an element that holds characters.
    in_text: bool,
}

impl Body {
    fn take(&mut self, event: Markup<'_>) {
        match event {
            Markup::Open(_) if self.unseen > 0 => self.unseen += 1,
            Markup::Open(element) => self.open(&element),
            Markup::Close(_) if self.unseen > 0 => self.unseen -= 1,
            Markup::Close(name) => self.close(&name),
            Markup::Text(text) if self.in_text && self.unseen == 0 && !self.is_hidden => self.text.push_str(&text),
            Markup::Text(_) => {}
        }
    }

    fn open(&mut self, element: &Element<'_>) {
        match element.name.as_str() {
            name if UNSEEN.contains(&name) => self.unseen = 1,
            // Separators of notes are rules, not notes.
            "footnote" | "endnote" if element.attribute("type").is_some_and(|kind| kind != "normal") => self.unseen = 1,
            "r" => (self.in_run, self.is_hidden) = (true, false),
            "vanish" | "webHidden" if self.in_run => {
                let value = element.attribute("val");
                self.is_hidden |= !matches!(value.as_deref(), Some("0" | "false" | "off"));
            }
            "t" => self.in_text = true,
            "tab" if self.in_run => self.text.push('\t'),
            "br" | "cr" if self.in_run => self.text.push('\n'),
            "noBreakHyphen" => self.text.push('-'),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "r" => (self.in_run, self.is_hidden) = (false, false),
            "t" => self.in_text = false,
            "p" if !self.text.is_empty() => self.text.push_str("\n\n"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::zipped;
    use super::*;

    fn read(parts: &[(&str, &str)]) -> Result<PackageText, PackageError> {
        super::super::text(Package::open(&zipped(parts)).expect("an archive"))
    }

    fn body(inner: &str) -> String {
        let source = format!("<w:document xmlns:w='w'><w:body>{inner}</w:body></w:document>");
        let text = read(&[(USUAL_PART, &source)]).expect("a document").text;
        crate::text::normalize(&text)
    }

    #[test]
    fn paragraphs_runs_tabs_breaks_and_cells_make_text() {
        for (inner, want) in [
            ("<w:p><w:r><w:t>one </w:t></w:r><w:r><w:t>wo</w:t></w:r><w:r><w:t>rd</w:t></w:r></w:p>", "one word"),
            ("<w:p><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t></w:r></w:p>", "a b"),
            ("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c&amp;d</w:t></w:r></w:p>", "a b c&d"),
            ("<w:p><w:pPr><w:tabs><w:tab w:val='left'/></w:tabs></w:pPr><w:r><w:t>x</w:t></w:r></w:p>", "x"),
            (
                "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>2</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
                "1 2",
            ),
            ("<w:p><w:r><w:t>twenty</w:t><w:noBreakHyphen/><w:t>one</w:t></w:r></w:p>", "twenty-one"),
        ] {
            assert_eq!(body(inner), want, "{inner}");
        }
    }

    #[test]
    fn what_nobody_sees_is_left_out() {
        for gone in [
            "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>",
            "<w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom>",
            "<w:r><w:rPr><w:vanish/></w:rPr><w:t>gone</w:t></w:r>",
            "<w:r><w:instrText>PAGEREF gone</w:instrText></w:r>",
            "<mc:AlternateContent><mc:Choice/><mc:Fallback><w:p><w:r><w:t>gone</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>",
            "<!-- gone -->",
        ] {
            let source = format!("<w:p><w:r><w:t>kept </w:t></w:r>{gone}<w:r><w:t>too\u{200b}</w:t></w:r></w:p>");
            assert_eq!(body(&source), "kept too", "{gone}");
        }
        assert_eq!(body("<w:p><w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>kept</w:t></w:r></w:p>"), "kept");
    }

    #[test]
    fn notes_follow_the_body_and_the_properties_name_the_title() {
        let found = read(&[
            ("_rels/.rels", "<r><Relationship Type='http://x/officeDocument' Target='/word/main.xml'/></r>"),
            ("word/main.xml", "<w:p><w:r><w:t>Body.</w:t></w:r></w:p>"),
            (
                "word/footnotes.xml",
                "<w:footnotes><w:footnote w:type='separator'><w:p><w:r><w:t>---</w:t></w:r></w:p></w:footnote>\
                 <w:footnote w:id='1'><w:p><w:r><w:t>Note.</w:t></w:r></w:p></w:footnote></w:footnotes>",
            ),
            ("docProps/core.xml", "<cp:coreProperties><dc:title>On Things</dc:title></cp:coreProperties>"),
        ])
        .expect("a document");
        assert_eq!(crate::text::normalize(&found.text), "Body. Note.");
        assert_eq!(found.title.as_deref(), Some("On Things"));
        assert!(found.remarks.is_empty());
    }

    #[test]
    fn markup_that_breaks_off_is_remarked_on_and_another_package_is_none_of_ours() {
        let found = read(&[(USUAL_PART, "<w:p><w:r><w:t>Half</w:t></w:r></w:p><w:p a='")]).expect("a document");
        assert_eq!(found.remarks, ["the document's markup breaks off"]);
        assert_eq!(read(&[("xl/workbook.xml", "<x/>")]), Err(PackageError::Unknown));
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let deep = format!("{}<w:p><w:r><w:t>bottom</w:t></w:r></w:p>", "<w:x>".repeat(200_000));
        assert_eq!(body(&deep), "bottom");
    }
}
