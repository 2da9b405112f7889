//! Word processing documents: the body, then foot- and endnotes, comments, and each header and footer once. Deleted, hidden and duplicate
//! text is left out. Charts and diagrams stand where the body shows them.

use std::collections::BTreeSet;

use precis_proto::{BlockKind, DocumentFormat};
use precis_text::Leaf;

use super::super::runs::formula::Formula;
use super::super::runs::{LeftOut, Marks, RunText};
use super::super::symbols::SymbolFont;
use super::super::table::{Cell, Leaves};
use super::archive::Package;
use super::drawing::{self, Drawings};
use super::markup::{Markup, XmlElement, walk};
use super::office_math as math;
use super::package_text::{PackageError, PackageText};
use super::part_name::resolve;
use super::properties;
use super::relations;
use form::DocxForm;
use notes::DocxNotes;
use numbering::{DocxNumbering, ItemMarker};
use styles::{DocxLook, DocxStyles};

mod form;
mod notes;
mod numbering;
mod styles;

/// Usual name of the body's part, used unless the package names another.
const USUAL_PART: &str = "word/document.xml";

/// Least readable font size, in half points, as for HTML.
const LEAST_HALF_POINTS: u32 = 3;
/// Elements with invisible text: deleted, moved away, field codes, and the second rendering of a drawing; the reading of a word, which stands
/// above it; and the properties that a row had before a change.
const UNSEEN: [&str; 9] =
    ["del", "moveFrom", "delText", "instrText", "delInstrText", "Fallback", "binData", "rt", "trPrChange"];

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
    let styles = DocxStyles::read(&beside("styles.xml"));
    let mut numbering = DocxNumbering::read(&beside("numbering.xml"));
    numbering.link(|style| styles.looks(style).list);
    let mut body = DocxBody { styles, numbering, drawings: Drawings::read(package, part), ..DocxBody::default() };
    let mut whole = walk(&package.part(part)?, |event| body.take(event));
    for (name, place) in beside_body(package, part) {
        body.begin_part(place);
        whole &= walk(&package.part(&name)?, |event| body.take(event));
    }
    let broken = (!whole).then(|| "the document's markup ends early".to_owned());
    let charts = drawing::remark(body.drawings.unread_charts);
    let symbols =
        (body.symbols > 0).then(|| format!("characters of unknown symbol fonts were left out: {}", body.symbols));
    let (leaves, left_out) = body.finish();
    let remarks = broken.into_iter().chain(charts).chain(symbols).collect();
    Ok(PackageText { format: DocumentFormat::Docx, properties: properties::of(package), leaves, remarks, left_out })
}

/// The parts whose text follows that of the body, in order.
fn beside_body(package: &mut Package<'_>, part: &str) -> Vec<(String, TextPlace)> {
    let related: Vec<_> = relations::of(package, part).into_values().collect();
    let usual =
        [("footnotes.xml", TextPlace::Note), ("endnotes.xml", TextPlace::Note), ("comments.xml", TextPlace::Comment)];
    let mut parts: Vec<(String, TextPlace)> =
        usual.into_iter().map(|(name, place)| (resolve(part, name), place)).collect();
    for kind in ["header", "footer"] {
        parts.extend(related.iter().filter(|of| of.kind == kind).map(|of| (of.part.clone(), TextPlace::Furniture)));
    }
    parts.retain(|(name, _)| package.has(name));
    parts
}

/// Where the text being read stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum TextPlace {
    #[default]
    Body,
    Note,
    Comment,
    /// Headers and footers.
    Furniture,
}

/// A paragraph that is open.
#[derive(Debug, Default, Clone)]
struct DocxParagraph {
    looks: DocxLook,
    /// Whether its number has been counted, and its marker if it was before its words ended.
    is_counted: bool,
    marker: Option<ItemMarker>,
    /// Whether it has a field to fill in.
    is_field: bool,
}

/// A paragraph that goes on behind a text box, whose paragraphs come before it.
#[derive(Debug)]
struct Interrupted {
    text: RunText,
    goes_on: bool,
    paragraphs: Vec<DocxParagraph>,
    shown: Vec<Leaf>,
    font: Option<SymbolFont>,
    in_run: bool,
    marks: Marks,
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
    /// The open paragraphs, outermost first.
    paragraphs: Vec<DocxParagraph>,
    /// What each open text box interrupts.
    interrupted: Vec<Interrupted>,
    /// For each open table, what is known of its first row.
    tables: Vec<FirstRow>,
    place: TextPlace,
    notes: DocxNotes,
    /// Author of the comment being read, until its first leaf takes it.
    author: Option<String>,
    /// Texts of headers and footers so far: most pages have the same.
    furniture: BTreeSet<String>,
    drawings: Drawings,
    /// Leaves of charts and diagrams in the paragraph being read, which follow it.
    shown: Vec<Leaf>,
    form: DocxForm,
    /// The symbol font of the run being read.
    font: Option<SymbolFont>,
    /// Symbols of unknown fonts.
    symbols: usize,
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
            Markup::Text(text) if self.in_text && self.unseen == 0 => match self.font {
                Some(font) => self.text.push(&font.text(&text), self.marks),
                None => self.text.push(&text, self.marks),
            },
            Markup::Text(_) => {}
        }
    }

    /// Begins a part beside the body.
    fn begin_part(&mut self, place: TextPlace) {
        self.end_part();
        (self.place, self.goes_on) = (place, false);
        self.paragraphs.clear();
    }

    /// Ends what is open, also boxes that the part does not end.
    fn end_part(&mut self) {
        while !self.interrupted.is_empty() {
            self.close_box();
        }
        self.end_block();
    }

    fn open_box(&mut self) {
        // Its number comes before those in the box.
        let marker = self.count();
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.marker = marker;
        }
        self.interrupted.push(Interrupted {
            text: std::mem::take(&mut self.text),
            goes_on: std::mem::take(&mut self.goes_on),
            paragraphs: std::mem::take(&mut self.paragraphs),
            shown: std::mem::take(&mut self.shown),
            font: self.font.take(),
            in_run: std::mem::take(&mut self.in_run),
            marks: std::mem::take(&mut self.marks),
        });
    }

    fn close_box(&mut self) {
        self.end_block();
        self.leaves.extend(std::mem::take(&mut self.shown));
        if let Some(before) = self.interrupted.pop() {
            (self.text, self.goes_on, self.paragraphs) = (before.text, before.goes_on, before.paragraphs);
            (self.shown, self.font, self.in_run, self.marks) = (before.shown, before.font, before.in_run, before.marks);
        }
    }

    fn take_formula(&mut self, event: Markup<'_>) {
        let Some(formula) = &mut self.formula else { return };
        if let Some(written) = math::take(formula, event) {
            self.text.formula(&written, self.marks);
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
            "comment" => self.author = element.attribute("author").filter(|author| !author.trim().is_empty()),
            "chart" | "relIds" => self.shown.extend(self.drawings.take(element).into_iter().flatten()),
            "oMath" => self.formula = Some(math::open_formula()),
            "txbxContent" => self.open_box(),
            "p" => {
                if !std::mem::take(&mut self.goes_on) {
                    self.end_block();
                }
                self.paragraphs.push(DocxParagraph::default());
            }
            // A letter over several lines is the first of the next paragraph.
            "framePr" if self.in_properties && element.attribute("dropCap").is_some_and(|kind| kind != "none") => {
                self.goes_on = true
            }
            "pPr" => self.in_properties = true,
            "r" => {
                (self.in_run, self.font) = (true, None);
                self.marks = self.paragraphs.last().map(|paragraph| paragraph.looks.marks).unwrap_or_default();
            }
            "rFonts" if self.in_run => {
                let name = element.attribute("ascii").or_else(|| element.attribute("hAnsi"));
                self.font = name.and_then(|name| SymbolFont::from_name(&name));
            }
            "sym" if self.in_run => self.symbol(element),
            "rStyle" if self.in_run => {
                let style = self.styles.looks(&element.attribute("val").unwrap_or_default());
                self.marks = style.marks.over(self.marks);
            }
            "sz" if self.in_run => {
                let size = element.attribute("val").and_then(|value| value.parse().ok());
                self.marks.is_hidden |= size.is_some_and(|size: u32| size < LEAST_HALF_POINTS);
            }
            _ if self.in_run && styles::take_mark(&mut self.marks, element) => {}
            "t" => self.in_text = true,
            "tab" if self.in_run => self.text.space('\t'),
            "br" | "cr" if self.in_run => self.text.space('\n'),
            "ptab" if self.in_run => self.text.space(' '),
            "noBreakHyphen" => self.text.push("-", self.marks),
            name if self.form.open(name, element) => {}
            "tbl" | "tr" | "tc" => self.open_table_part(&element.name),
            _ => self.property(element),
        }
    }

    /// Takes a character that is given by its font and number.
    fn symbol(&mut self, element: &XmlElement<'_>) {
        let font = element.attribute("font").and_then(|name| SymbolFont::from_name(&name));
        let code = element.attribute("char").and_then(|code| u32::from_str_radix(&code, 16).ok());
        match font.zip(code).and_then(|(font, code)| font.symbol(code)) {
            Some(symbol) => self.text.push(symbol.encode_utf8(&mut [0; 4]), self.marks),
            None => self.symbols += 1,
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
                "gridBefore" => {
                    if let Some(columns @ 1..) = number() {
                        self.leaves.open_cell(Cell { columns: columns as usize, ..Cell::PLAIN });
                    }
                }
                "gridSpan" => self.leaves.cell_takes(number().unwrap_or(1) as usize),
                _ => {}
            }
        }
        let Some(DocxParagraph { looks, .. }) = self.paragraphs.last_mut() else { return };
        match element.name.as_str() {
            "pStyle" => {
                let style = value().unwrap_or_default();
                *looks = self.styles.looks(&style);
                // A style names its list, and the list the level of the style.
                let level = looks.list.and_then(|list| self.numbering.level_of_style(list, &style));
                looks.depth = level.unwrap_or(looks.depth);
            }
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
            "r" => (self.in_run, self.marks, self.font) = (false, Marks::default(), None),
            "t" => self.in_text = false,
            "pPr" => self.in_properties = false,
            "p" => {
                if !self.goes_on {
                    self.end_block();
                }
                self.paragraphs.pop();
                self.leaves.extend(std::mem::take(&mut self.shown));
            }
            "txbxContent" => self.close_box(),
            "tr" => self.leaves.close_row(),
            "tbl" => {
                self.leaves.close_table();
                self.tables.pop();
            }
            _ => {
                let Some(sign) = self.form.close(name) else { return };
                self.text.push(&sign, Marks::default());
                if let Some(paragraph) = self.paragraphs.last_mut() {
                    paragraph.is_field = true;
                }
            }
        }
    }

    fn end_block(&mut self) {
        let text = std::mem::take(&mut self.text);
        // Also where a paragraph has no words: its number is shown.
        let marker = self.count();
        let Some(mut leaf) = self.leaves.leaf(BlockKind::Paragraph, text) else { return };
        let DocxParagraph { looks, is_field, .. } = self.paragraphs.last().cloned().unwrap_or_default();
        let is_item = looks.list.is_some_and(|list| list > 0);
        leaf.kind = match self.place {
            TextPlace::Note | TextPlace::Comment => BlockKind::Footnote,
            TextPlace::Furniture => BlockKind::Furniture,
            TextPlace::Body => match looks.kind {
                Some(kind) => kind,
                None if is_field => BlockKind::FormField,
                None if is_item => BlockKind::ListItem,
                None => BlockKind::Paragraph,
            },
        };
        match leaf.kind {
            BlockKind::Heading => {
                leaf.level = Some(looks.level.max(1));
                if let Some(ItemMarker::Number(number)) = marker {
                    leaf.text = format!("{number} {}", leaf.text);
                }
            }
            BlockKind::ListItem => {
                leaf.level = Some(u8::try_from(looks.depth + 1).unwrap_or(u8::MAX));
                leaf.marker = marker.map(ItemMarker::marker_text);
            }
            BlockKind::Reference => leaf.marker = marker.map(ItemMarker::marker_text),
            BlockKind::Footnote if self.place == TextPlace::Comment => leaf.marker = self.author.take(),
            BlockKind::Footnote => leaf.marker = self.notes.take_mark(),
            BlockKind::Furniture if self.place == TextPlace::Furniture && !self.furniture.insert(leaf.text.clone()) => {
                return;
            }
            _ => {}
        }
        self.leaves.push(leaf);
    }

    /// The marker of the open paragraph, once; counts its number.
    fn count(&mut self) -> Option<ItemMarker> {
        let paragraph = self.paragraphs.last_mut()?;
        if paragraph.is_counted {
            return paragraph.marker.take();
        }
        let list = paragraph.looks.list.filter(|list| *list > 0)?;
        paragraph.is_counted = true;
        self.numbering.marker(list, paragraph.looks.depth)
    }

    /// The leaves, and what they do not say.
    fn finish(mut self) -> (Vec<Leaf>, LeftOut) {
        self.end_part();
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
mod tests;
