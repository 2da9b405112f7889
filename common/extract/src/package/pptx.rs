//! Presentations: slides in order, each with its title, text, tables and the speaker's notes (ECMA-376, part 1, chapter 19).

use precis_proto::{BlockKind, DocumentFormat};
use precis_text::Leaf;

use super::super::runs::{Marks, Position, RunText};
use super::super::table::{Cell, Leaves};
use super::archive::Package;
use super::markup::{Markup, XmlElement, text_of_first, walk};
use super::package_text::{PackageError, PackageText};
use super::relations;

/// Name of the part with the list of slides.
pub(super) const PRESENTATION: &str = "ppt/presentation.xml";

/// The text of a presentation.
pub(super) fn text(package: &mut Package<'_>) -> Result<PackageText, PackageError> {
    let relations_of_all = relations::of(package, PRESENTATION);
    let mut ids = Vec::new();
    let mut whole = walk(&package.part(PRESENTATION)?, |event| {
        if let Markup::Open(element) = event
            && element.name == "sldId"
        {
            // The slide's own number is an attribute `id` too; that of its relation has a prefix.
            ids.extend(element.attribute_with_prefix("id"));
        }
    });
    let (mut leaves, mut hidden) = (Leaves::default(), 0);
    for slide in ids.iter().filter_map(|id| relations_of_all.get(id)) {
        let mut read = Slide::new(&mut leaves, false);
        let part = package.part(&slide.part)?;
        if is_hidden(&part) {
            hidden += 1;
            continue;
        }
        whole &= walk(&part, |event| read.take(event));
        let notes = relations::of(package, &slide.part).into_values().find(|relation| relation.kind == "notesSlide");
        if let Some(notes) = notes {
            let mut read = Slide::new(&mut leaves, true);
            whole &= walk(&package.part(&notes.part)?, |event| read.take(event));
        }
    }
    let broken = (!whole).then(|| "the document's markup ends early".to_owned());
    let hidden = (hidden > 0).then(|| format!("hidden slides were left out: {hidden}"));
    let title = package.part("docProps/core.xml").ok().and_then(|core| text_of_first(&core, "title"));
    let remarks = [broken, hidden].into_iter().flatten().collect();
    Ok(PackageText {
        format: DocumentFormat::Pptx,
        title,
        left_out: leaves.left_out(),
        leaves: leaves.finish(),
        remarks,
    })
}

fn is_hidden(slide: &[u8]) -> bool {
    let mut is_hidden = false;
    walk(slide, |event| {
        if let Markup::Open(element) = event
            && element.name == "sld"
        {
            is_hidden = element.attribute("show").is_some_and(|show| show == "0" || show == "false");
        }
    });
    is_hidden
}

/// The role of a shape on a slide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum SlideShape {
    #[default]
    Text,
    Title,
    /// The slide's text, which layouts show as a list.
    Body,
    /// Date, footer, slide number.
    Furniture,
}

/// A slide, or its notes, being read.
struct Slide<'l> {
    leaves: &'l mut Leaves,
    is_notes: bool,
    shape: SlideShape,
    in_table: bool,
    text: RunText,
    marks: Marks,
    in_text: bool,
    /// Depth of the paragraph.
    depth: u8,
    has_bullet: Option<bool>,
    /// The `firstRow` attribute of the open table, until its first row begins.
    first_row: Option<String>,
}

impl<'l> Slide<'l> {
    fn new(leaves: &'l mut Leaves, is_notes: bool) -> Self {
        let (shape, text, marks) = (SlideShape::Text, RunText::default(), Marks::default());
        let (in_table, in_text, depth, has_bullet, first_row) = (false, false, 0, None, None);
        Self { leaves, is_notes, shape, in_table, text, marks, in_text, depth, has_bullet, first_row }
    }

    fn take(&mut self, event: Markup<'_>) {
        match event {
            Markup::Open(element) => self.open(&element),
            Markup::Close(name) => self.close(&name),
            Markup::Text(text) if self.in_text => self.text.push(&text, self.marks),
            Markup::Text(_) => {}
        }
    }

    fn open(&mut self, element: &XmlElement<'_>) {
        match element.name.as_str() {
            "sp" | "graphicFrame" => self.shape = SlideShape::Text,
            "ph" => {
                self.shape = match element.attribute("type").as_deref() {
                    Some("title" | "ctrTitle") => SlideShape::Title,
                    Some("dt" | "ftr" | "sldNum" | "hdr" | "sldImg") => SlideShape::Furniture,
                    Some("body" | "obj") | None => SlideShape::Body,
                    _ => SlideShape::Text,
                };
            }
            "p" => (self.depth, self.has_bullet) = (0, None),
            "pPr" => self.depth = element.attribute("lvl").and_then(|depth| depth.parse().ok()).unwrap_or(0),
            "buNone" => self.has_bullet = Some(false),
            "buChar" | "buAutoNum" | "buBlip" => self.has_bullet = Some(true),
            "r" | "fld" => self.marks = Marks::default(),
            "rPr" => self.marks = marks(element),
            "t" => self.in_text = true,
            "br" | "tab" => self.text.space('\n'),
            "tbl" => {
                self.in_table = true;
                self.leaves.open_table();
            }
            "tblPr" => self.first_row = element.attribute("firstRow"),
            "tr" => {
                let is_header = self.first_row.take().is_some_and(|value| value == "1" || value == "true");
                self.leaves.open_row(is_header);
            }
            "tc" => {
                let columns = element.attribute("gridSpan").and_then(|span| span.parse().ok()).unwrap_or(1);
                let goes_on = element.attribute("vMerge").is_some_and(|value| value == "1" || value == "true");
                let is_covered = element.attribute("hMerge").is_some();
                if !is_covered {
                    self.leaves.open_cell(Cell { columns, goes_on, ..Cell::PLAIN });
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "t" => self.in_text = false,
            "p" => self.end_block(),
            "tr" => self.leaves.close_row(),
            "tbl" => {
                self.leaves.close_table();
                self.in_table = false;
            }
            "sp" => self.shape = SlideShape::Text,
            _ => {}
        }
    }

    fn end_block(&mut self) {
        let text = std::mem::take(&mut self.text);
        let Some(leaf) = self.leaves.leaf(BlockKind::Paragraph, text) else { return };
        let is_item = self.has_bullet.unwrap_or(self.shape == SlideShape::Body);
        let (kind, level, marker) = match self.shape {
            SlideShape::Furniture => (BlockKind::Furniture, None, None),
            _ if self.is_notes => (BlockKind::Footnote, None, None),
            _ if self.in_table => (BlockKind::Paragraph, None, None),
            SlideShape::Title => (BlockKind::Heading, Some(1), None),
            _ if is_item => (BlockKind::ListItem, Some(self.depth.saturating_add(1)), Some("-".to_owned())),
            _ => (BlockKind::Paragraph, None, None),
        };
        self.leaves.push(Leaf { kind, level, marker, ..leaf });
    }
}

/// The marks that the properties of a run give to its text: `baseline` is by how much it is raised.
fn marks(properties: &XmlElement<'_>) -> Marks {
    let by =
        properties.attribute("baseline").and_then(|by| by.trim_end_matches('%').parse::<f32>().ok()).unwrap_or(0.0);
    let position = match by {
        by if by > 0.0 => Position::Raised,
        by if by < 0.0 => Position::Lowered,
        _ => Position::Baseline,
    };
    let is_struck = properties.attribute("strike").is_some_and(|kind| kind != "noStrike");
    Marks { position, is_struck, ..Marks::default() }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{shown, zipped};
    use super::*;

    fn shape(kind: &str, paragraphs: &str) -> String {
        format!("<p:sp><p:nvSpPr><p:nvPr>{kind}</p:nvPr></p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>")
    }

    fn p(properties: &str, text: &str) -> String {
        format!("<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>")
    }

    #[test]
    fn a_cell_merged_downwards_is_a_label_of_each_row() {
        let cell = |merge: &str, text: &str| format!("<a:tc {merge}>{}</a:tc>", p("", text));
        let row = |first: String, second: &str| format!("<a:tr>{first}{}</a:tr>", cell("", second));
        let rows = row(cell("rowSpan='2'", "North"), "May") + &row(cell("vMerge='1'", ""), "June");
        let slide = format!("<p:sld><p:graphicFrame><a:tbl>{rows}</a:tbl></p:graphicFrame></p:sld>");
        let bytes = zipped(&[
            (PRESENTATION, "<p:sldIdLst><p:sldId id='256' r:id='x'/></p:sldIdLst>"),
            ("ppt/_rels/presentation.xml.rels", "<r><Relationship Id='x' Type='x/slide' Target='slides/one.xml'/></r>"),
            ("ppt/slides/one.xml", &slide),
        ]);
        let found = super::super::text(Package::open(&bytes).expect("an archive")).expect("a presentation");
        let leaves: Vec<String> = found.leaves.iter().map(shown).collect();
        assert_eq!(leaves, ["table_row1 : North|May", "table_row1 : North|June"]);
    }

    #[test]
    fn slides_come_in_their_order_with_titles_items_tables_and_notes() {
        let one = [
            shape("<p:ph type='title'/>", &p("", "First")),
            shape(
                "<p:ph idx='1'/>",
                &(p("", "one") + &p("<a:pPr lvl='1'/>", "two") + &p("<a:pPr><a:buNone/></a:pPr>", "three")),
            ),
            shape("", &p("", "box")),
            shape("<p:ph type='sldNum'/>", &p("", "1")),
            "<p:graphicFrame><a:tbl><a:tblPr firstRow='1'/>".to_owned()
                + &format!(
                    "<a:tr><a:tc gridSpan='2'>{}</a:tc><a:tc hMerge='1'><a:p/></a:tc><a:tc>{}</a:tc></a:tr>",
                    p("", "a"),
                    p("", "b")
                )
                + &format!(
                    "<a:tr><a:tc>{}</a:tc><a:tc>{}</a:tc><a:tc>{}</a:tc></a:tr>",
                    p("", "1"),
                    p("", "2"),
                    p("", "3")
                )
                + "</a:tbl></p:graphicFrame>",
        ]
        .concat();
        let one = format!("<p:sld>{one}</p:sld>");
        let two = format!("<p:sld>{}</p:sld>", shape("<p:ph type='ctrTitle'/>", &p("", "Second")));
        let notes = shape("<p:ph type='body'/>", &p("", "Say this.")) + &shape("<p:ph type='sldNum'/>", &p("", "1"));
        let bytes = zipped(&[
            (
                PRESENTATION,
                "<p:sldIdLst><p:sldId id='256' r:id='x'/><p:sldId id='257' r:id='y'/><p:sldId id='258' r:id='z'/></p:sldIdLst>",
            ),
            (
                "ppt/_rels/presentation.xml.rels",
                "<r><Relationship Id='y' Type='x/slide' Target='slides/one.xml'/><Relationship Id='x' Type='x/slide' Target='slides/two.xml'/>\
                 <Relationship Id='z' Type='x/slide' Target='slides/three.xml'/></r>",
            ),
            ("ppt/slides/one.xml", &one),
            ("ppt/slides/two.xml", &two),
            ("ppt/slides/three.xml", "<p:sld show='0'><a:p><a:t>gone</a:t></a:p></p:sld>"),
            (
                "ppt/slides/_rels/one.xml.rels",
                "<r><Relationship Id='n' Type='x/notesSlide' Target='../notesSlides/n.xml'/></r>",
            ),
            ("ppt/notesSlides/n.xml", &notes),
        ]);
        let found = super::super::text(Package::open(&bytes).expect("an archive")).expect("a presentation");
        let leaves: Vec<String> = found.leaves.iter().map(shown).collect();
        assert_eq!(
            leaves,
            [
                "heading1 : Second",
                "heading1 : First",
                "list_item1 -: one",
                "list_item2 -: two",
                "paragraph : three",
                "paragraph : box",
                "furniture : 1",
                "table_row1h : a|a|b",
                "table_row1 : 1|2|3",
                "footnote : Say this.",
                "furniture : 1",
            ]
        );
        assert_eq!(found.remarks, ["hidden slides were left out: 1"]);
    }
}
