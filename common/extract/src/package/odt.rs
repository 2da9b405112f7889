//! Text documents of OpenDocument (ISO/IEC 26300): the body, followed by its notes. Deleted and hidden text and editors' remarks are left
//! out; headers and footers are not part of the text.

use std::collections::BTreeMap;

use precis_proto::{BlockKind, DocumentFormat};
use precis_text::Leaf;

use super::super::runs::{LeftOut, Marks, RunText};
use super::super::table::{Cell, Leaves};
use super::archive::Package;
use super::markup::{Markup, XmlElement, text_of_first, walk};
use super::package_text::{PackageError, PackageText};
use styles::OdtStyles;

mod styles;

/// Name of the body's part.
const BODY: &str = "content.xml";

/// Elements with invisible text or text about the text: deletions, remarks, names and scripts of drawings.
const UNSEEN: [&str; 8] =
    ["tracked-changes", "annotation", "title", "desc", "script", "hidden-text", "ruby-text", "forms"];

/// Whether `package` is a text document, or a template of one.
pub(super) fn is_one(package: &mut Package<'_>) -> bool {
    let kind = package.part("mimetype").unwrap_or_default();
    String::from_utf8_lossy(&kind).trim().starts_with(DocumentFormat::Odt.mime()) && package.has(BODY)
}

/// The text of the document.
pub(super) fn text(package: &mut Package<'_>) -> Result<PackageText, PackageError> {
    if is_locked(package) {
        return Err(PackageError::Encrypted);
    }
    let content = package.part(BODY)?;
    let mut styles = OdtStyles::default();
    styles.read(&package.part("styles.xml").unwrap_or_default());
    styles.read(&content);
    let mut body = OdtBody { styles, ..OdtBody::default() };
    let whole = walk(&content, |event| body.take(event));
    let title = package.part("meta.xml").ok().and_then(|meta| text_of_first(&meta, "title"));
    let remarks = (!whole).then(|| "the document's markup ends early".to_owned());
    let (leaves, left_out) = body.finish();
    Ok(PackageText { format: DocumentFormat::Odt, title, leaves, remarks: remarks.into_iter().collect(), left_out })
}

fn is_locked(package: &mut Package<'_>) -> bool {
    let mut is_locked = false;
    walk(&package.part("META-INF/manifest.xml").unwrap_or_default(), |event| {
        is_locked |= matches!(&event, Markup::Open(element) if element.name == "encryption-data");
    });
    is_locked
}

#[derive(Debug, Default)]
struct OdtBody {
    styles: OdtStyles,
    leaves: Leaves,
    /// Leaves of the notes, which follow the body.
    notes: Vec<Leaf>,
    in_body: bool,
    /// The paragraph being read, preceded by those that a note or a box interrupts.
    paragraphs: Vec<OdtParagraph>,
    /// The open lists.
    lists: Vec<OdtList>,
    /// The last number of each list style and depth, for lists that continue the numbering.
    counted: BTreeMap<(String, usize), u32>,
    /// Number of open notes.
    in_note: usize,
    /// The mark of the note being read, until its first leaf takes it.
    note: Option<String>,
    /// The mark of a note while it is being read.
    citation: Option<String>,
    /// For each open span, its marks.
    spans: Vec<Marks>,
    /// Number of open elements inside an invisible one, including itself.
    unseen: usize,
    header_rows: usize,
    /// The kind of all blocks inside a table of contents or a list of references.
    over_all: Option<BlockKind>,
}

#[derive(Debug, Default)]
struct OdtParagraph {
    text: RunText,
    kind: BlockKind,
    level: Option<u8>,
    marks: Marks,
}

#[derive(Debug)]
struct OdtList {
    style: String,
    number: u32,
    /// Marker of the open item, until its first leaf takes it.
    marker: Option<String>,
    in_item: bool,
}

impl OdtBody {
    fn take(&mut self, event: Markup<'_>) {
        match event {
            Markup::Open(_) if self.unseen > 0 => self.unseen += 1,
            Markup::Close(_) if self.unseen > 0 => self.unseen -= 1,
            Markup::Open(element) if element.name == "text" && !self.in_body => self.in_body = true,
            Markup::Open(element) if self.in_body => self.open(&element),
            Markup::Close(name) if self.in_body => self.close(&name),
            Markup::Text(text) if self.in_body && self.unseen == 0 => self.text(&text),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(citation) = &mut self.citation {
            citation.push_str(text);
            return;
        }
        let Some(paragraph) = self.paragraphs.last_mut() else { return };
        // A note inside a span is not part of it.
        let spans: &[Marks] = if self.in_note > 0 { &[] } else { &self.spans };
        let marks = spans.iter().fold(paragraph.marks, |around, span| span.within(around));
        paragraph.text.push(text, marks);
    }

    fn space(&mut self, space: char) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.text.space(space);
        }
    }

    /// Ends the mark of a note: the paragraph that is open refers to it.
    fn end_citation(&mut self) {
        let Some(mark) = self.citation.take() else { return };
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.text.note(&mark);
        }
        self.note = Some(mark.trim().to_owned()).filter(|mark| !mark.is_empty());
    }

    fn open(&mut self, element: &XmlElement<'_>) {
        let style = || element.attribute("style-name").unwrap_or_default();
        let number = |name: &str| element.attribute(name).and_then(|n| n.parse().ok());
        match element.name.as_str() {
            name if UNSEEN.contains(&name) => self.unseen = 1,
            "p" | "h" => {
                let looks = self.styles.looks(&style());
                let is_heading = element.name == "h";
                let level = number("outline-level").or(looks.level).unwrap_or(1).clamp(1, 9);
                self.paragraphs.push(OdtParagraph {
                    text: RunText::default(),
                    kind: if is_heading { BlockKind::Heading } else { looks.kind.unwrap_or_default() },
                    level: (is_heading || looks.kind == Some(BlockKind::Heading)).then_some(level),
                    marks: looks.marks,
                });
            }
            "hidden-paragraph" => {
                if let Some(paragraph) =
                    self.paragraphs.last_mut().filter(|_| element.attribute("is-hidden").as_deref() != Some("false"))
                {
                    paragraph.marks.is_hidden = true;
                }
            }
            "span" => self.spans.push(self.styles.looks(&style()).marks),
            "s" | "tab" => self.space(' '),
            "line-break" => self.space('\n'),
            "note-citation" => self.citation = Some(String::new()),
            "soft-page-break" => {}
            "note" => self.in_note += 1,
            "list" => self.open_list(element, style()),
            "list-item" | "list-header" => {
                self.open_item(element.name == "list-item", number("start-value").map(u32::from))
            }
            "table-of-content" | "alphabetical-index" | "illustration-index" | "table-index" => {
                self.over_all = Some(BlockKind::Furniture)
            }
            "bibliography" => self.over_all = Some(BlockKind::Reference),
            "table" => self.leaves.open_table(),
            "table-header-rows" => self.header_rows += 1,
            "table-row" => self.leaves.open_row(self.header_rows > 0),
            "table-cell" => {
                let span = |name: &str| element.attribute(name).and_then(|n| n.parse().ok()).unwrap_or(1);
                self.leaves.open_cell(Cell {
                    is_header: false,
                    columns: span("number-columns-spanned").max(span("number-columns-repeated")),
                    rows: span("number-rows-spanned"),
                    goes_on: false,
                });
            }
            _ => {}
        }
    }

    fn open_list(&mut self, element: &XmlElement<'_>, style: String) {
        let style =
            if style.is_empty() { self.lists.last().map(|list| list.style.clone()).unwrap_or_default() } else { style };
        let goes_on = element.attribute("continue-numbering").is_some_and(|value| value == "true");
        let depth = self.lists.len();
        let number = if goes_on { self.counted.get(&(style.clone(), depth)).copied().unwrap_or(0) } else { 0 };
        self.lists.push(OdtList { style, number, marker: None, in_item: false });
    }

    fn open_item(&mut self, is_counted: bool, start: Option<u32>) {
        let depth = self.lists.len();
        let Some(list) = self.lists.last_mut() else { return };
        list.in_item = true;
        if !is_counted {
            return;
        }
        let level = self.styles.list_level(&list.style, depth);
        list.number = match start {
            Some(start) => start,
            None if list.number == 0 => level.map_or(1, |level| level.start),
            None => list.number.saturating_add(1),
        };
        list.marker = Some(level.and_then(|level| level.marker(list.number)).unwrap_or_else(|| "-".to_owned()));
    }

    fn close(&mut self, name: &str) {
        match name {
            "p" | "h" => self.end_paragraph(),
            "span" => drop(self.spans.pop()),
            "note-citation" => self.end_citation(),
            "note" => self.in_note = self.in_note.saturating_sub(1),
            "list" => {
                let depth = self.lists.len().saturating_sub(1);
                if let Some(list) = self.lists.pop() {
                    self.counted.insert((list.style, depth), list.number);
                }
            }
            "table-of-content" | "alphabetical-index" | "illustration-index" | "table-index" | "bibliography" => {
                self.over_all = None
            }
            "table" => self.leaves.close_table(),
            "table-header-rows" => self.header_rows = self.header_rows.saturating_sub(1),
            "table-row" => self.leaves.close_row(),
            _ => {}
        }
    }

    fn end_paragraph(&mut self) {
        let Some(paragraph) = self.paragraphs.pop() else { return };
        let kind = self.over_all.unwrap_or(paragraph.kind);
        let Some(mut leaf) = self.leaves.leaf(kind, paragraph.text) else { return };
        if self.in_note > 0 {
            (leaf.kind, leaf.marker) = (BlockKind::Footnote, self.note.take());
            self.notes.push(leaf);
            return;
        }
        leaf.level = paragraph.level;
        let depth = u8::try_from(self.lists.len()).unwrap_or(u8::MAX);
        if let Some(list) = self.lists.last_mut().filter(|list| list.in_item && leaf.kind == BlockKind::Paragraph) {
            (leaf.kind, leaf.level, leaf.marker) = (BlockKind::ListItem, Some(depth), list.marker.take());
        }
        if leaf.kind != BlockKind::Heading && leaf.kind != BlockKind::ListItem {
            leaf.level = None;
        }
        self.leaves.push(leaf);
    }

    /// The leaves, and what they do not say.
    fn finish(mut self) -> (Vec<Leaf>, LeftOut) {
        while !self.paragraphs.is_empty() {
            self.end_paragraph();
        }
        let left_out = self.leaves.left_out();
        let mut leaves = self.leaves.finish();
        leaves.extend(self.notes);
        (leaves, left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{shown, zipped};
    use super::*;

    fn read(parts: &[(&str, &str)]) -> Result<PackageText, PackageError> {
        super::super::text(Package::open(&zipped(parts)).expect("an archive"))
    }

    fn document(styles: &str, body: &str) -> PackageText {
        let content = format!(
            "<office:document-content><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:text>{body}</office:text></office:body></office:document-content>"
        );
        read(&[("mimetype", DocumentFormat::Odt.mime()), (BODY, &content)]).expect("a document")
    }

    fn lines(styles: &str, body: &str) -> Vec<String> {
        document(styles, body).leaves.iter().map(shown).collect()
    }

    #[test]
    fn paragraphs_headings_lists_tables_and_notes_are_blocks() {
        let styles = "<text:list-style style:name='L'><text:list-level-style-number text:level='1' style:num-format='1' style:num-suffix='.'/>\
            <text:list-level-style-bullet text:level='2' text:bullet-char='•'/></text:list-style>\
            <style:style style:name='P1' style:parent-style-name='Quotations'/>";
        for (body, want) in [
            (
                "<text:h text:outline-level='2'>On <text:span>things</text:span></text:h><text:p>No<text:s text:c='3'/>one<text:tab/>pays<text:line-break/>twice.</text:p>",
                &["heading2 : On things", "paragraph : No one pays twice."][..],
            ),
            (
                "<text:list text:style-name='L'><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list><text:p>c</text:p></text:list-item>\
                 <text:list-item><text:p>d</text:p></text:list-item></text:list><text:list text:style-name='L' text:continue-numbering='true'><text:list-item><text:p>e</text:p></text:list-item></text:list>",
                &["list_item1 1.: a", "list_item2 -: b", "list_item1 : c", "list_item1 2.: d", "list_item1 3.: e"],
            ),
            (
                "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell><text:p>B</text:p></table:table-cell></table:table-row></table:table-header-rows>\
                 <table:table-row><table:table-cell table:number-columns-spanned='2'><text:p>1</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table>",
                &["table_row1h : A|B", "paragraph : 1"],
            ),
            (
                "<text:p>The cap<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Never more.</text:p></text:note-body></text:note> is not 5.</text:p><text:p text:style-name='P1'>q</text:p>",
                &["paragraph : The cap is not 5.", "quotation : q", "footnote 1: Never more."],
            ),
            (
                "<text:table-of-content><text:index-body><text:p>One 1</text:p></text:index-body></text:table-of-content><text:p>x<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box><svg:desc>gone</svg:desc></draw:frame>y</text:p>",
                &["furniture : One 1", "paragraph : box", "paragraph : xy"],
            ),
        ] {
            assert_eq!(lines(styles, body), want, "{body}");
        }
    }

    #[test]
    fn what_is_deleted_or_hidden_is_left_out_and_counted() {
        let styles = "<style:style style:name='H'><style:text-properties text:display='none'/></style:style><style:style style:name='K' style:parent-style-name='H'/>";
        for (body, counted) in [
            ("<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>kept</text:p>", 0),
            ("<text:p>kept<text:span text:style-name='H'>gone</text:span></text:p>", 4),
            ("<text:p>kept</text:p><text:p text:style-name='K'>gone</text:p>", 4),
            ("<text:p>kept</text:p><text:p><text:hidden-paragraph text:is-hidden='true'/>gone</text:p>", 4),
            ("<text:p>ke<office:annotation><text:p>gone</text:p></office:annotation>pt\u{e0041}</text:p>", 1),
        ] {
            let found = document(styles, body);
            assert_eq!(
                (found.leaves.iter().map(shown).collect::<Vec<_>>(), found.left_out.hidden),
                (vec!["paragraph : kept".to_owned()], counted),
                "{body}"
            );
        }
    }

    #[test]
    fn what_is_no_document_or_a_broken_one_is_told() {
        let kind = ("mimetype", DocumentFormat::Odt.mime());
        let locked = "<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>";
        assert_eq!(read(&[kind, (BODY, "<x/>"), ("META-INF/manifest.xml", locked)]), Err(PackageError::Encrypted));
        assert_eq!(
            read(&[("mimetype", "application/vnd.oasis.opendocument.graphics"), (BODY, "<x/>")]),
            Err(PackageError::Unknown)
        );
        let cut = read(&[
            kind,
            (BODY, "<office:text><text:p>Words.</text:p><text:p>And mo"),
            ("meta.xml", "<dc:title>T</dc:title>"),
        ]);
        let cut = cut.expect("what came before");
        assert_eq!(cut.leaves.iter().map(shown).collect::<Vec<_>>(), ["paragraph : Words.", "paragraph : And mo"]);
        assert_eq!((cut.title.as_deref(), cut.remarks.len()), (Some("T"), 0));
        let broken =
            read(&[kind, (BODY, "<office:text><text:p>Words.</text:p><text:p a='")]).expect("what came before");
        assert_eq!(broken.remarks, ["the document's markup ends early"]);
    }

    #[test]
    fn a_cell_merged_downwards_is_a_label_of_each_row() {
        let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
        let source = format!(
            "<table:table><table:table-row><table:table-cell table:number-rows-spanned='2'><text:p>North</text:p></table:table-cell>{}</table:table-row>\
             <table:table-row><table:covered-table-cell/>{}</table:table-row></table:table>",
            cell("May"),
            cell("June")
        );
        let leaves: Vec<String> = document("", &source).leaves.iter().map(shown).collect();
        assert_eq!(leaves, ["table_row1 : North|May", "table_row1 : North|June"]);
    }

    #[test]
    fn nesting_and_spans_cost_no_stack_and_no_room() {
        let deep = "<text:list><text:list-item>".repeat(50_000) + "<text:p>bottom</text:p>";
        assert_eq!(document("", &deep).leaves[0].level, Some(u8::MAX));
        let cells = "<table:table><table:table-row><table:table-cell table:number-columns-repeated='4000000000'><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>";
        assert_eq!(document("", cells).leaves.len(), 1);
    }
}
