//! Word processing documents: the body, then foot- and endnotes. Deleted, hidden and duplicate text is left out; headers, footers and
//! comments are not part of the text.

use precis_proto::{BlockKind, DocumentFormat};
use precis_text::Leaf;

use super::super::runs::formula::Formula;
use super::super::runs::{LeftOut, Marks, RunText};
use super::super::table::{Cell, Leaves};
use super::archive::Package;
use super::markup::{Markup, XmlElement, text_of_first, walk};
use super::package_text::{PackageError, PackageText};
use super::part_name::resolve;
use notes::DocxNotes;
use numbering::DocxNumbering;
use styles::{DocxLook, DocxStyles};

mod math;
mod notes;
mod numbering;
mod styles;

/// Usual name of the body's part, used unless the package names another.
const USUAL_PART: &str = "word/document.xml";

/// Least readable font size, in half points, as for HTML.
const LEAST_HALF_POINTS: u32 = 3;
/// Elements with invisible text: deleted, moved away, field codes, and the second rendering of a drawing.
const UNSEEN: [&str; 7] = ["del", "moveFrom", "delText", "instrText", "delInstrText", "Fallback", "binData"];

/// The name of the part with the body; `None` if the package is not a word processing document.
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
    let mut beside = |name: &str| package.part(&resolve(part, name)).unwrap_or_default();
    let mut body = DocxBody {
        styles: DocxStyles::read(&beside("styles.xml")),
        numbering: DocxNumbering::read(&beside("numbering.xml")),
        ..DocxBody::default()
    };
    let mut whole = walk(&package.part(part)?, |event| body.take(event));
    body.in_notes = true;
    for notes in ["footnotes.xml", "endnotes.xml"] {
        let notes = resolve(part, notes);
        if package.has(&notes) {
            whole &= walk(&package.part(&notes)?, |event| body.take(event));
        }
    }
    let title = package.part("docProps/core.xml").ok().and_then(|core| text_of_first(&core, "title"));
    let remarks = (!whole).then(|| "the document's markup ends early".to_owned());
    let (leaves, left_out) = body.finish();
    Ok(PackageText { format: DocumentFormat::Docx, title, leaves, remarks: remarks.into_iter().collect(), left_out })
}

#[derive(Debug, Default)]
struct DocxBody {
    styles: DocxStyles,
    numbering: DocxNumbering,
    leaves: Leaves,
    /// Text of the paragraph being read.
    text: RunText,
    /// Whether the mark that ended the last paragraph is deleted, so that the next one goes on with it.
    goes_on: bool,
    /// The looks of the open paragraphs, outermost first: text boxes nest paragraphs.
    paragraphs: Vec<DocxLook>,
    /// For each open table, what is known of its first row.
    tables: Vec<FirstRow>,
    in_notes: bool,
    notes: DocxNotes,
    /// Number of open elements inside an invisible one, including itself.
    unseen: usize,
    in_run: bool,
    /// Whether the properties of a paragraph are open.
    in_properties: bool,
    /// The marks of the run being read.
    marks: Marks,
    /// The formula being read.
    formula: Option<Formula>,
    /// Whether an element with characters is open.
    in_text: bool,
}

/// What decides whether the first row of a table is a header row.
#[derive(Debug, Default, Clone, Copy)]
struct FirstRow {
    has_come: bool,
    /// Whether the table has a style of its own; the plain styles show no header.
    is_styled: bool,
    /// Whether the style applies to the first row.
    is_shown: bool,
}

impl DocxBody {
    fn take(&mut self, event: Markup<'_>) {
        match event {
            Markup::Open(_) if self.unseen > 0 => self.unseen += 1,
            Markup::Close(_) if self.unseen > 0 => self.unseen -= 1,
            event if self.formula.is_some() => self.take_formula(event),
            Markup::Open(element) => self.open(&element),
            Markup::Close(name) => self.close(&name),
            Markup::Text(text) if self.in_text && self.unseen == 0 => self.text.push(&text, self.marks),
            Markup::Text(_) => {}
        }
    }

    fn take_formula(&mut self, event: Markup<'_>) {
        let Some(formula) = &mut self.formula else { return };
        if let Some(written) = math::take(formula, event) {
            self.text.push(&written, self.marks);
            self.formula = None;
        }
    }

    fn open(&mut self, element: &XmlElement<'_>) {
        match element.name.as_str() {
            // Not a deleted text, but a deleted end of a paragraph.
            "del" if self.in_properties => self.goes_on = true,
            name if UNSEEN.contains(&name) => self.unseen = 1,
            // Separators between notes are lines, not notes.
            "footnote" | "endnote" if element.attribute("type").is_some_and(|kind| kind != "normal") => self.unseen = 1,
            "footnote" | "endnote" => self.notes.begin(element),
            "footnoteReference" | "endnoteReference" => {
                if let Some(mark) = self.notes.refer(element) {
                    self.text.note(&mark);
                }
            }
            "oMath" => self.formula = Some(math::begun()),
            "p" => {
                if !std::mem::take(&mut self.goes_on) {
                    self.end_block();
                }
                self.paragraphs.push(DocxLook::default());
            }
            "pPr" => self.in_properties = true,
            "r" => {
                (self.in_run, self.marks) = (true, self.paragraphs.last().map(|looks| looks.marks).unwrap_or_default())
            }
            "rStyle" if self.in_run => {
                let style = self.styles.looks(&element.attribute("val").unwrap_or_default());
                self.marks = style.marks.within(self.marks);
            }
            "sz" if self.in_run => {
                let size = element.attribute("val").and_then(|value| value.parse().ok());
                self.marks.is_hidden |= size.is_some_and(|size: u32| size < LEAST_HALF_POINTS);
            }
            _ if self.in_run && styles::take_mark(&mut self.marks, element) => {}
            "t" => self.in_text = true,
            "tab" if self.in_run => self.text.space('\t'),
            "br" | "cr" if self.in_run => self.text.space('\n'),
            "noBreakHyphen" => self.text.push("-", self.marks),
            "tbl" | "tr" | "tc" => self.open_table_part(&element.name),
            _ => self.property(element),
        }
    }

    /// Takes a property of a paragraph, table, row or cell.
    fn property(&mut self, element: &XmlElement<'_>) {
        let value = || element.attribute("val");
        let number = || value().and_then(|value| value.parse::<u32>().ok());
        if let Some(table) = self.tables.last_mut() {
            match element.name.as_str() {
                "tblStyle" => {
                    table.is_styled = value().is_some_and(|id| !matches!(id.as_str(), "TableGrid" | "TableNormal"))
                }
                "tblLook" => table.is_shown = shows_first_row(element),
                "tblHeader" if !matches!(value().as_deref(), Some("0" | "false" | "off")) => {
                    self.leaves.row_is_header()
                }
                "vMerge" if value().is_none_or(|value| value == "continue") => self.leaves.cell_goes_on(),
                "gridSpan" => self.leaves.cell_takes(number().unwrap_or(1) as usize),
                _ => {}
            }
        }
        let Some(looks) = self.paragraphs.last_mut() else { return };
        match element.name.as_str() {
            "pStyle" => *looks = self.styles.looks(&value().unwrap_or_default()),
            "outlineLvl" => looks.take_outline(number().and_then(|level| u8::try_from(level).ok())),
            "numId" => looks.list = number(),
            "ilvl" => looks.depth = number().unwrap_or(0) as usize,
            _ => {}
        }
    }

    fn open_table_part(&mut self, name: &str) {
        self.end_block();
        match (name, self.tables.last_mut()) {
            ("tbl", _) => {
                self.tables.push(FirstRow::default());
                self.leaves.open_table();
            }
            ("tr", Some(table)) => {
                let is_header = !table.has_come && table.is_styled && table.is_shown;
                table.has_come = true;
                self.leaves.open_row(is_header);
            }
            ("tc", _) => self.leaves.open_cell(Cell::PLAIN),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "r" => (self.in_run, self.marks) = (false, Marks::default()),
            "t" => self.in_text = false,
            "pPr" => self.in_properties = false,
            "p" => {
                if !self.goes_on {
                    self.end_block();
                }
                self.paragraphs.pop();
            }
            "tr" => self.leaves.close_row(),
            "tbl" => {
                self.leaves.close_table();
                self.tables.pop();
            }
            _ => {}
        }
    }

    fn end_block(&mut self) {
        let text = std::mem::take(&mut self.text);
        let Some(mut leaf) = self.leaves.leaf(BlockKind::Paragraph, text) else { return };
        let looks = self.paragraphs.last().copied().unwrap_or_default();
        let list = looks.list.filter(|list| *list > 0);
        let marker = list.and_then(|list| self.numbering.marker(list, looks.depth));
        let of_list = list.map(|_| BlockKind::ListItem);
        let kind = if self.in_notes { Some(BlockKind::Footnote) } else { looks.kind.or(of_list) };
        leaf.kind = kind.unwrap_or_default();
        match leaf.kind {
            BlockKind::Heading => leaf.level = Some(looks.level.max(1)),
            BlockKind::ListItem => {
                leaf.level = Some(u8::try_from(looks.depth + 1).unwrap_or(u8::MAX));
                leaf.marker = marker;
            }
            BlockKind::Reference => leaf.marker = marker,
            BlockKind::Footnote => leaf.marker = self.notes.take_mark(),
            _ => {}
        }
        self.leaves.push(leaf);
    }

    /// The leaves, and what they do not say.
    fn finish(mut self) -> (Vec<Leaf>, LeftOut) {
        self.end_block();
        let left_out = self.leaves.left_out();
        (self.leaves.finish(), left_out)
    }
}

/// Whether a table applies its style to the first row: by attribute, or as a bit of the older form.
fn shows_first_row(look: &XmlElement<'_>) -> bool {
    const FIRST_ROW: u32 = 0x20;
    let bits = || look.attribute("val").and_then(|value| u32::from_str_radix(&value, 16).ok()).unwrap_or(0);
    match look.attribute("firstRow") {
        Some(value) => matches!(value.as_str(), "1" | "true" | "on"),
        None => bits() & FIRST_ROW != 0,
    }
}

#[cfg(test)]
mod tests {
    use precis_text::CanonicalText;

    use super::super::fixture::{shown, zipped};
    use super::*;

    fn read(parts: &[(&str, &str)]) -> Result<PackageText, PackageError> {
        super::super::text(Package::open(&zipped(parts)).expect("an archive"))
    }

    fn text(found: &PackageText) -> String {
        CanonicalText::from_leaves(&found.leaves).as_str().to_owned()
    }

    fn body(inner: &str) -> String {
        let source = format!("<w:document xmlns:w='w'><w:body>{inner}</w:body></w:document>");
        text(&read(&[(USUAL_PART, &source)]).expect("a document"))
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
    fn a_cell_merged_downwards_is_a_label_of_each_row() {
        let cell = |merge: &str, text: &str| {
            format!("<w:tc><w:tcPr>{merge}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>")
        };
        let row =
            |merge: &str, first: &str, second: &str| format!("<w:tr>{}{}</w:tr>", cell(merge, first), cell("", second));
        let rows = row("<w:vMerge w:val='restart'/>", "North", "May")
            + &row("<w:vMerge/>", "", "June")
            + &row("<w:vMerge w:val='restart'/>", "South", "May")
            + &row("<w:vMerge w:val='continue'/>", "", "June");
        let source = format!("<w:tbl>{rows}</w:tbl>");
        let found = read(&[(USUAL_PART, source.as_str())]).expect("a document");
        let leaves: Vec<String> = found.leaves.iter().map(shown).collect();
        assert_eq!(
            leaves,
            ["table_row1 : North|May", "table_row1 : North|June", "table_row1 : South|May", "table_row1 : South|June"]
        );
    }

    #[test]
    fn blocks_are_those_of_styles_lists_and_tables() {
        let p = |properties: &str, text: &str| {
            format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
        };
        let item =
            |depth: u8, text| p(&format!("<w:numPr><w:ilvl w:val='{depth}'/><w:numId w:val='5'/></w:numPr>"), text);
        let row = |cells: &[&str]| {
            let cells: String = cells.iter().map(|text| format!("<w:tc>{}</w:tc>", p("", text))).collect();
            format!("<w:tr>{cells}</w:tr>")
        };
        let nested = format!("<w:tr><w:tc>{}<w:tbl>{}</w:tbl></w:tc></w:tr>", p("", "left"), row(&["x", "y"]));
        let styled = "<w:tblPr><w:tblStyle w:val='GridTable4'/><w:tblLook w:val='04A0'/></w:tblPr>";
        let source = [
            p("<w:pStyle w:val='Title'/>", "On"),
            p("<w:pStyle w:val='Heading2'/>", "Part"),
            item(0, "one"),
            item(1, "two"),
            item(0, "three"),
            p("<w:pStyle w:val='Quote'/>", "said"),
            format!("<w:tbl>{styled}{}{}{nested}</w:tbl>", row(&["a", "b"]), row(&["1", ""])),
            "<w:p><w:r><w:t>out</w:t></w:r><w:r><w:p><w:r><w:t>box</w:t></w:r></w:p></w:r><w:r><w:t>side</w:t></w:r></w:p>".to_owned(),
        ]
        .concat();
        let numbering = "<n><abstractNum abstractNumId='0'><lvl><numFmt val='decimal'/><lvlText val='%1.'/></lvl>\
             <lvl><numFmt val='bullet'/></lvl></abstractNum><num numId='5'><abstractNumId val='0'/></num></n>";
        let notes =
            "<w:footnotes><w:footnote w:id='1'><w:p><w:r><w:t>Note.</w:t></w:r></w:p></w:footnote></w:footnotes>";
        let parts = [(USUAL_PART, source.as_str()), ("word/numbering.xml", numbering), ("word/footnotes.xml", notes)];
        let found: Vec<String> = read(&parts).expect("a document").leaves.iter().map(shown).collect();
        assert_eq!(
            found,
            [
                "heading1 : On",
                "heading2 : Part",
                "list_item1 1.: one",
                "list_item2 -: two",
                "list_item1 2.: three",
                "quotation : said",
                "table_row1h : a|b",
                "table_row1 : 1|",
                "paragraph : left",
                "table_row2 : x|y",
                "paragraph : out",
                "paragraph : box",
                "paragraph : side",
                "footnote : Note.",
            ]
        );
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
    fn hidden_text_is_left_out_and_counted_whatever_hides_it() {
        let styles = "<w:styles><w:style w:styleId='H'><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId='K'><w:basedOn w:val='H'/></w:style>\
            <w:style w:styleId='S'><w:basedOn w:val='H'/><w:rPr><w:vanish w:val='0'/></w:rPr></w:style></w:styles>";
        for (run, hidden) in [
            ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>gone</w:t></w:r>", 4),
            ("<w:r><w:rPr><w:rStyle w:val='K'/></w:rPr><w:t>gone</w:t></w:r>", 4),
            ("<w:r><w:rPr><w:sz w:val='2'/></w:rPr><w:t>gone</w:t></w:r>", 4),
            ("<w:r><w:rPr><w:rStyle w:val='S'/></w:rPr><w:t> too</w:t></w:r>", 0),
            ("<w:r><w:rPr><w:sz w:val='3'/></w:rPr><w:t> too</w:t></w:r>", 0),
            ("<w:r><w:t>\u{e0041}\u{e0042} too</w:t></w:r>", 2),
        ] {
            let body = format!(
                "<w:p><w:r><w:t>kept</w:t></w:r>{run}</w:p><w:p><w:pPr><w:pStyle w:val='K'/></w:pPr><w:r><w:t>gone</w:t></w:r><w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>end</w:t></w:r></w:p>"
            );
            let found = read(&[(USUAL_PART, &body), ("word/styles.xml", styles)]).expect("a document");
            let want = if run.contains("too") { "kept too end" } else { "kept end" };
            assert_eq!((text(&found).as_str(), found.left_out.hidden), (want, hidden + 4), "{run}");
        }
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
        assert_eq!(text(&found), "Body. Note.");
        assert_eq!(found.title.as_deref(), Some("On Things"));
        assert!(found.remarks.is_empty());
    }

    #[test]
    fn markup_that_breaks_off_is_remarked_on_and_another_package_is_none_of_ours() {
        let found = read(&[(USUAL_PART, "<w:p><w:r><w:t>Half</w:t></w:r></w:p><w:p a='")]).expect("a document");
        assert_eq!(found.remarks, ["the document's markup ends early"]);
        assert_eq!(read(&[("other/document.txt", "<x/>")]), Err(PackageError::Unknown));
    }

    #[test]
    fn deep_nesting_costs_no_stack() {
        let deep = format!("{}<w:p><w:r><w:t>bottom</w:t></w:r></w:p>", "<w:x>".repeat(200_000));
        assert_eq!(body(&deep), "bottom");
    }
}
