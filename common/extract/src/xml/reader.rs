//! [`read`]: the leaves of an XML document, one pass over its events.

use precis_language::heading::names_title;
use precis_proto::BlockKind;
use precis_text::Leaf;

use super::super::html;
use super::super::package::{Markup, XmlElement, is_reference, walk};
use super::super::runs::{LeftOut, Marks, RunText, Words};
use super::super::table::{Cell, Leaves};
use super::field_names::FieldNames;
use super::front_fields;
use super::front_matter::FrontMatter;
use super::inline_names::{self, InlineNames, MAX_DEPTH};
use super::vocabulary::{ElementRole, Vocabulary, marks};

/// Longest text of an element that is shown as a field with the name of the element, in characters. Chosen, not measured.
const MAX_FIELD_CHARS: usize = 200;
/// Deepest level of a heading.
const MAX_LEVEL: usize = 6;

/// An XML document as text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct XmlText {
    /// Its first title; where its elements have no known meaning, the first field that is called so.
    pub(crate) title: Option<String>,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) remarks: Vec<String>,
    /// What it does not say.
    pub(crate) left_out: LeftOut,
}

/// The text of `source`.
pub(crate) fn read(source: &str) -> XmlText {
    // The characters are decoded already, whatever the declaration says of their encoding.
    let source = source.trim_start_matches('\u{feff}').trim_start();
    let source = source.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")).map_or(source, |(_, rest)| rest);
    let (inline, fields) = inline_names::of(source);
    let mut reader = XmlReader { inline, fields, ..XmlReader::default() };
    let is_whole = walk(source.as_bytes(), |event| reader.take(event));
    reader.end_block();
    let mut remarks = Vec::new();
    if !is_whole {
        remarks.push("the markup breaks off: what follows is not read".to_owned());
    }
    if reader.attributes > 0 && reader.vocabulary == Some(Vocabulary::Unknown) {
        remarks.push(format!("values of attributes are not read: {}", reader.attributes));
    }
    if reader.references > 0 {
        remarks.push(format!("references to texts of other files are not read: {}", reader.references));
    }
    let (mut leaves, left_out) = front_fields::of(&reader.front.finish());
    reader.leaves.count(left_out);
    let left_out = reader.leaves.left_out();
    leaves.extend(reader.leaves.finish());
    XmlText { title: reader.title, remarks, left_out, leaves }
}

/// An open element.
struct OpenElement {
    name: String,
    role: ElementRole,
    is_inline: bool,
    has_children: bool,
    /// What its text is marked as, with the marks of the elements around it.
    marks: Marks,
}

#[derive(Default)]
struct XmlReader {
    inline: InlineNames,
    fields: FieldNames,
    vocabulary: Option<Vocabulary>,
    front: FrontMatter,
    leaves: Leaves,
    open: Vec<OpenElement>,
    depth: usize,
    /// The text of the block being read.
    text: RunText,
    label: Option<String>,
    title: Option<String>,
    /// Number of open elements that are not text.
    skipped: usize,
    attributes: usize,
    /// Number of references whose text is declared elsewhere.
    references: usize,
}

impl XmlReader {
    fn take(&mut self, event: Markup<'_>) {
        match event {
            Markup::Open(element) => self.begin(&element),
            Markup::Close(_) => self.close(),
            Markup::Text(text) if self.skipped == 0 && !self.front.text(&text) => {
                self.references += usize::from(is_reference(&text));
                let marks = self.open.last().map(|element| element.marks).unwrap_or_default();
                self.text.push(&text, marks);
            }
            Markup::Text(_) => {}
        }
    }

    fn begin(&mut self, element: &XmlElement<'_>) {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return;
        }
        let vocabulary = *self.vocabulary.get_or_insert_with(|| Vocabulary::of_root(&element.name));
        self.attributes += element.attribute_count();
        let is_in_front =
            vocabulary == Vocabulary::Article && self.open.last().is_some_and(|around| around.name == "front");
        if self.front.begin(element, is_in_front) {
            return;
        }
        let role = vocabulary.role(&element.name);
        let is_note = is_note_mark(element);
        let is_within = |parent: &OpenElement| parent.is_inline || self.inline.has(&parent.name, &element.name);
        let is_inline = role == ElementRole::Other && (is_note || self.open.last().is_some_and(is_within));
        let around = self.open.last().map(|element| element.marks).unwrap_or_default();
        let marks = if is_inline { Marks { is_note, ..marks(&element.name) }.within(around) } else { Marks::default() };
        if !is_inline && role != ElementRole::Skipped {
            // Text before it is a part of what the element around it says, not all of it.
            if let Some(parent) = self.open.last_mut() {
                parent.has_children = true;
            }
            self.end_block();
        }
        match role {
            ElementRole::Skipped => self.skipped += 1,
            ElementRole::Table => self.leaves.open_table(),
            ElementRole::Row => {
                let is_header = self.open.iter().any(|element| element.role == ElementRole::HeaderRows);
                self.leaves.open_row(is_header || element.attribute("role").as_deref() == Some("label"));
            }
            ElementRole::Cell | ElementRole::HeaderCell => self.leaves.open_cell(cell(element, role)),
            _ => {}
        }
        self.open.push(OpenElement { name: element.name.clone(), role, is_inline, has_children: false, marks });
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth >= MAX_DEPTH || self.front.end() {
            return;
        }
        if self.open.last().is_some_and(|element| !element.is_inline && element.role != ElementRole::Skipped) {
            self.end_block();
        }
        match self.open.pop().map(|element| element.role) {
            Some(ElementRole::Skipped) => self.skipped = self.skipped.saturating_sub(1),
            Some(ElementRole::Table) => self.leaves.close_table(),
            Some(ElementRole::Row) => self.leaves.close_row(),
            _ => {}
        }
    }

    fn end_block(&mut self) {
        let (said, lines) = std::mem::take(&mut self.text).code();
        self.leaves.count(said.left_out);
        let trimmed = said.text.as_str();
        if trimmed.split_whitespace().all(is_reference) {
            return;
        }
        // Feeds, and documents made by programs, carry pages as escaped text.
        if trimmed.starts_with('<') && trimmed.ends_with('>') && trimmed.contains("</") {
            let (leaves, left_out) = html::fragment(trimmed);
            self.leaves.count(left_out);
            return self.leaves.extend(leaves);
        }
        let Words { text, notes, links, left_out, .. } = said;
        if let Some(leaf) = self.leaf(text) {
            let lines = if leaf.kind == BlockKind::Code { lines } else { Vec::new() };
            self.leaves.push(Leaf { notes, links, is_struck: left_out.struck > 0, lines, ..leaf });
        }
    }

    /// The leaf with `words`, of the kind of the innermost element that has one; `None` if the words are the label of the next one.
    fn leaf(&mut self, words: String) -> Option<Leaf> {
        let within = |role: ElementRole| self.open.iter().any(|element| element.role == role);
        let nearest =
            self.open.iter().rev().map(|element| element.role).find(|role| !matches!(role, ElementRole::Other));
        if nearest == Some(ElementRole::Label) {
            self.label = Some(words);
            return None;
        }
        let kind = match nearest {
            Some(ElementRole::Title | ElementRole::Paragraph) if within(ElementRole::Caption) => BlockKind::Caption,
            Some(ElementRole::Title) if within(ElementRole::Table) => BlockKind::Caption,
            Some(ElementRole::Title) if within(ElementRole::Reference) => BlockKind::Reference,
            Some(ElementRole::Title) => BlockKind::Heading,
            Some(ElementRole::Code) => BlockKind::Code,
            Some(ElementRole::Caption) => BlockKind::Caption,
            _ if within(ElementRole::Footnote) => BlockKind::Footnote,
            _ if within(ElementRole::Reference) => BlockKind::Reference,
            _ if within(ElementRole::Item) && !within(ElementRole::Table) => BlockKind::ListItem,
            _ if within(ElementRole::Quotation) => BlockKind::Quotation,
            _ => BlockKind::Paragraph,
        };
        let label = self.label.take();
        Some(match kind {
            BlockKind::Heading => {
                let sections = self.open.iter().filter(|element| element.role == ElementRole::Section).count();
                self.title = self.title.take().or_else(|| Some(words.clone()));
                let level = u8::try_from((sections + 1).min(MAX_LEVEL)).unwrap_or(1);
                Leaf { level: Some(level), ..Leaf::new(kind, prepend_label(label, &words)) }
            }
            BlockKind::ListItem => {
                let depth = self.open.iter().filter(|element| element.role == ElementRole::Item).count();
                Leaf { level: Some(u8::try_from(depth).unwrap_or(u8::MAX)), marker: label, ..Leaf::new(kind, words) }
            }
            BlockKind::Paragraph => {
                self.field(&words, nearest).unwrap_or_else(|| Leaf::new(kind, prepend_label(label, &words)))
            }
            _ => Leaf::new(kind, prepend_label(label, &words)),
        })
    }

    /// The field of an element that has nothing but a short text.
    fn field(&mut self, words: &str, nearest: Option<ElementRole>) -> Option<Leaf> {
        self.open.last().filter(|element| element.role == ElementRole::Other && !element.has_children)?;
        let is_in_text = matches!(nearest, Some(ElementRole::Paragraph | ElementRole::Cell | ElementRole::HeaderCell));
        let fits = words.chars().count() <= MAX_FIELD_CHARS && self.open.len() > 1 && !is_in_text;
        let path: Vec<&str> = self.open.iter().map(|element| element.name.as_str()).collect();
        if fits && self.title.is_none() && path.last().is_some_and(|name| names_title(&name.to_lowercase())) {
            self.title = Some(words.to_owned());
        }
        fits.then(|| Leaf::new(BlockKind::FormField, format!("{}: {words}", self.fields.of(&path))))
    }
}

fn prepend_label(label: Option<String>, words: &str) -> String {
    label.map_or(words.to_owned(), |label| format!("{label} {words}"))
}

/// Whether the element is a mark that leads to a note (JATS, DocBook, TEI).
fn is_note_mark(element: &XmlElement<'_>) -> bool {
    match element.name.as_str() {
        "xref" => element.attribute("ref-type").is_some_and(|kind| matches!(kind.as_str(), "fn" | "table-fn")),
        "footnoteref" => true,
        _ => false,
    }
}

fn cell(element: &XmlElement<'_>, role: ElementRole) -> Cell {
    let number = |name: &str| element.attribute(name).and_then(|value| value.trim().parse::<usize>().ok());
    let columns = number("colspan").or_else(|| number("cols")).unwrap_or(1).max(1);
    let rows =
        number("rowspan").or_else(|| number("rows")).or_else(|| number("morerows").map(|more| more.saturating_add(1)));
    Cell { is_header: role == ElementRole::HeaderCell, columns, rows: rows.unwrap_or(1).max(1), goes_on: false }
}
