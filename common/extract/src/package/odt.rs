//! Text documents and presentations of OpenDocument (ISO/IEC 26300): the body, followed by its notes, and each header and footer once.
//! Deleted and hidden text is left out; comments of texts and embedded objects are counted. Form fields are read as what they show.

use std::collections::BTreeMap;

use precis_proto::{BlockKind, DocumentFormat};
use precis_text::Leaf;

use super::super::runs::{LeftOut, Marks, RunText};
use super::super::table::{Cell, Leaves};
use super::archive::Package;
use super::markup::{Markup, XmlElement, walk};
use super::package_text::{PackageError, PackageText};
use super::properties;
use forms::OdtForms;
use outline::OdtOutline;
use slides::OdpSlides;
use styles::marker;

pub(super) use annotation::Annotation;
pub(super) use styles::OdtStyles;

mod annotation;
mod forms;
mod furniture;
mod outline;
mod slides;
mod styles;

/// Name of the body's part.
pub(super) const BODY: &str = "content.xml";

/// Elements with invisible text or text about the text: deletions, remarks, names and scripts of drawings.
const UNSEEN: [&str; 7] = ["tracked-changes", "annotation", "title", "desc", "script", "hidden-text", "ruby-text"];

/// The kind of OpenDocument that `package` is, or is a template of; `None` if it is none that is read.
pub(super) fn format(package: &mut Package<'_>) -> Option<DocumentFormat> {
    let kind = package.part("mimetype").unwrap_or_default();
    let kind = String::from_utf8_lossy(&kind).trim().to_owned();
    let is_it = |format: &DocumentFormat| kind.starts_with(format.mime()) && package.has(BODY);
    [DocumentFormat::Odt, DocumentFormat::Ods, DocumentFormat::Odp].into_iter().find(is_it)
}

/// The text of the document, which is a text or, if `format` says so, a presentation.
pub(super) fn text(package: &mut Package<'_>, format: DocumentFormat) -> Result<PackageText, PackageError> {
    if is_locked(package) {
        return Err(PackageError::Encrypted);
    }
    let content = package.part(BODY)?;
    let mut styles = OdtStyles::default();
    let shared = package.part("styles.xml").unwrap_or_default();
    styles.read(&shared);
    styles.read(&content);
    let mut body = OdtBody { styles, ..OdtBody::default() };
    let whole = walk(&content, |event| body.take(event));
    let broken = (!whole).then(|| "the document's markup ends early".to_owned());
    let counted = [
        ("hidden slides were left out", body.slides.hidden),
        ("comments were left out", body.comments),
        ("embedded objects were left out", body.objects),
    ];
    let counted = counted.into_iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what}: {count}"));
    let remarks = broken.into_iter().chain(counted).collect();
    let (mut leaves, left_out) = body.finish();
    if format == DocumentFormat::Odt {
        leaves.extend(furniture::leaves(&shared));
    }
    Ok(PackageText { format, properties: properties::of(package), leaves, remarks, left_out })
}

/// Whether a password is required.
pub(super) fn is_locked(package: &mut Package<'_>) -> bool {
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
    slides: OdpSlides,
    forms: OdtForms,
    /// The comment on a slide being read.
    annotation: Option<Annotation>,
    /// The paragraph being read, preceded by those that a note or a box interrupts.
    paragraphs: Vec<OdtParagraph>,
    /// The open lists.
    lists: Vec<OdtList>,
    /// The last number of each list style and depth, for lists that continue the numbering.
    counted: BTreeMap<(String, usize), u32>,
    /// The last number of each list that has an id, for lists that go on with it.
    counted_by_id: BTreeMap<String, u32>,
    /// For each open section, whether it or one around it is hidden.
    sections: Vec<bool>,
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
    /// Whether the first row of the open table looks unlike others, until it begins.
    first_row: Option<String>,
    outline: OdtOutline,
    /// Numbers of comments and of embedded objects, which are not read.
    comments: usize,
    objects: usize,
    /// The kind of all blocks inside a table of contents or a list of references.
    over_all: Option<BlockKind>,
}

#[derive(Debug, Default)]
struct OdtParagraph {
    /// The number that the document shows before a heading.
    number: Option<String>,
    text: RunText,
    kind: BlockKind,
    level: Option<u8>,
    marks: Marks,
}

#[derive(Debug)]
struct OdtList {
    style: String,
    id: Option<String>,
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
            Markup::Open(element) if !self.in_body => {
                self.in_body = matches!(element.name.as_str(), "text" | "presentation");
            }
            event if self.annotation.is_some() => self.comment(&event),
            event if self.forms.take(&event) => {}
            Markup::Open(element) if self.in_body => self.open(&element),
            Markup::Close(name) if self.in_body => self.close(&name),
            Markup::Text(text) if self.in_body && self.unseen == 0 => self.text(&text),
            _ => {}
        }
    }

    /// Takes a part of a comment on a slide.
    fn comment(&mut self, event: &Markup<'_>) {
        if self.annotation.as_mut().is_some_and(|annotation| annotation.take(event)) {
            let note = self.annotation.take().and_then(|annotation| annotation.note(|author| author));
            self.slides.comments.extend(note);
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
        let marks = spans.iter().fold(paragraph.marks, |around, span| span.over(around));
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
            "annotation" if self.slides.is_open => self.annotation = Some(Annotation::default()),
            name if UNSEEN.contains(&name) => {
                self.unseen = 1;
                self.comments += usize::from(name == "annotation");
            }
            "object" | "object-ole" => self.objects += 1,
            "page" if self.styles.hides_page(&style()) => {
                self.slides.hidden += 1;
                self.unseen = 1;
            }
            "page" => self.slides.is_open = true,
            "frame" | "custom-shape" => self.slides.open_frame(element),
            "notes" => self.slides.in_notes = true,
            "control" => self.control(&element.attribute("control").unwrap_or_default()),
            "section" => {
                let is_hidden = self.sections.last().is_some_and(|is_hidden| *is_hidden) || is_hidden(element);
                self.sections.push(is_hidden);
            }
            "p" | "h" => {
                let mut looks = self.styles.looks(&style());
                looks.marks.is_hidden |= self.sections.last().is_some_and(|is_hidden| *is_hidden);
                let is_heading = element.name == "h";
                let level = number("outline-level").or(looks.level).unwrap_or(1).clamp(1, 9);
                let is_numbered = is_heading && element.attribute("is-list-header").as_deref() != Some("true");
                let number = match self.lists.last_mut() {
                    // The number of a heading in a list is that of its item.
                    Some(list) => list.marker.take_if(|marker| is_numbered && marker != "-"),
                    None if is_numbered => self.outline.next(&self.styles, level, number("start-value").map(u32::from)),
                    None => None,
                };
                self.paragraphs.push(OdtParagraph {
                    number,
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
            "table" => {
                self.leaves.open_table();
                self.first_row = element.attribute("use-first-row-styles");
            }
            "table-header-rows" => self.header_rows += 1,
            "table-row" => {
                let is_first = self.first_row.take().is_some_and(|uses| uses == "true" && self.slides.is_open);
                self.leaves.open_row(self.header_rows > 0 || is_first);
            }
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

    /// Shows the form field `id`, in the paragraph that is open or as one of its own.
    fn control(&mut self, id: &str) {
        let Some(shown) = self.forms.field_text(id) else { return };
        match self.paragraphs.last_mut() {
            Some(paragraph) => paragraph.text.plain(&format!(" {shown} ")),
            None => {
                let leaf = self.leaves.leaf(BlockKind::Paragraph, RunText::of(shown));
                leaf.into_iter().for_each(|leaf| self.leaves.push(leaf));
            }
        }
    }

    fn open_list(&mut self, element: &XmlElement<'_>, style: String) {
        let style =
            if style.is_empty() { self.lists.last().map(|list| list.style.clone()).unwrap_or_default() } else { style };
        let goes_on = element.attribute("continue-numbering").is_some_and(|value| value == "true");
        let depth = self.lists.len();
        let number = match element.attribute("continue-list") {
            Some(of) => self.counted_by_id.get(&of).copied(),
            None if goes_on => self.counted.get(&(style.clone(), depth)).copied(),
            None => None,
        };
        let (number, id) = (number.unwrap_or(0), element.attribute("id"));
        self.lists.push(OdtList { style, id, number, marker: None, in_item: false });
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
        let style = list.style.clone();
        // Lists may be nested without end, but only the first levels have numbers.
        let of_level = |(depth, list): (usize, &OdtList)| (self.styles.list_level(&style, depth), list.number);
        let levels: Vec<_> =
            if level.is_some() { (1..=depth).zip(&self.lists).map(of_level).collect() } else { Vec::new() };
        let marker = marker(&levels).unwrap_or_else(|| "-".to_owned());
        if let Some(list) = self.lists.last_mut() {
            list.marker = Some(marker);
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "p" | "h" => self.end_paragraph(),
            "span" => drop(self.spans.pop()),
            "section" => drop(self.sections.pop()),
            "note-citation" => self.end_citation(),
            "note" => self.in_note = self.in_note.saturating_sub(1),
            "frame" | "custom-shape" => self.slides.close_frame(),
            "notes" => self.slides.in_notes = false,
            "page" => {
                self.slides.is_open = false;
                self.slides.comments.drain(..).for_each(|comment| self.leaves.push(comment));
            }
            "fieldmark" | "fieldmark-start" => {
                let shown = self.forms.mark_shows(name);
                if let (Some(shown), Some(paragraph)) = (shown, self.paragraphs.last_mut()) {
                    paragraph.text.plain(&shown);
                }
            }
            "list" => {
                let depth = self.lists.len().saturating_sub(1);
                if let Some(list) = self.lists.pop() {
                    self.counted_by_id.extend(list.id.map(|id| (id, list.number)));
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
        if let Some(number) = paragraph.number.filter(|number| !number.is_empty()) {
            leaf.text = format!("{number} {}", leaf.text);
        }
        leaf.level = paragraph.level;
        let depth = u8::try_from(self.lists.len()).unwrap_or(u8::MAX);
        if let Some(list) = self.lists.last_mut().filter(|list| list.in_item && leaf.kind == BlockKind::Paragraph) {
            (leaf.kind, leaf.level, leaf.marker) = (BlockKind::ListItem, Some(depth), list.marker.take());
        }
        if let Some((kind, level)) = self.slides.role() {
            (leaf.kind, leaf.level, leaf.marker) = (kind, level, None);
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

/// Whether a section is not shown: never, or because its condition held when the document was saved.
fn is_hidden(section: &XmlElement<'_>) -> bool {
    match section.attribute("display").as_deref() {
        Some("none") => true,
        Some("condition") => section.attribute("is-hidden").as_deref() == Some("true"),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
