//! Presentations: slides in order, each with its title, text, tables, charts, comments and the speaker's notes (ECMA-376, part 1, chapter 19).

use precis_proto::{BlockKind, DocumentFormat};
use precis_text::Leaf;

use super::super::runs::formula::Formula;
use super::super::runs::{Marks, Position, RunText};
use super::super::table::{Cell, Leaves};
use super::archive::Package;
use super::drawing::{self, Drawings};
use super::markup::{Markup, XmlElement, walk};
use super::office_math;
use super::package_text::{PackageError, PackageText};
use super::properties;
use super::relations::{self, PackageRelation};
use auto_number::AutoNumbers;

mod auto_number;
mod comments;

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
    let authors = comments::authors(package, &relations_of_all);
    let (mut leaves, mut hidden, mut charts) = (Leaves::default(), 0, 0);
    for slide in ids.iter().filter_map(|id| relations_of_all.get(id)) {
        let part = package.part(&slide.part)?;
        if is_hidden(&part) {
            hidden += 1;
            continue;
        }
        let mut drawings = Drawings::read(package, &slide.part);
        charts += drawings.unread_charts;
        let mut read = Slide::new(&mut leaves, &mut drawings, false);
        whole &= walk(&part, |event| read.take(event));
        let relations = relations::of(package, &slide.part);
        let of_kind = |kind: &str| relations.values().find(|relation| relation.kind == kind);
        if let Some(PackageRelation { part, .. }) = of_kind("comments") {
            let comments = comments::read(&package.part(part)?, &authors);
            comments.into_iter().for_each(|comment| leaves.push(comment));
        }
        if let Some(PackageRelation { part, .. }) = of_kind("notesSlide") {
            let mut read = Slide::new(&mut leaves, &mut drawings, true);
            whole &= walk(&package.part(part)?, |event| read.take(event));
        }
    }
    let broken = (!whole).then(|| "the document's markup ends early".to_owned());
    let hidden = (hidden > 0).then(|| format!("hidden slides were left out: {hidden}"));
    let remarks = [broken, hidden, drawing::remark(charts)].into_iter().flatten().collect();
    Ok(PackageText {
        format: DocumentFormat::Pptx,
        properties: properties::of(package),
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
    drawings: &'l mut Drawings,
    numbers: AutoNumbers,
    /// The formula being read.
    formula: Option<Formula>,
    /// Number of open elements inside the second rendering of something, including itself.
    unseen: usize,
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
    fn new(leaves: &'l mut Leaves, drawings: &'l mut Drawings, is_notes: bool) -> Self {
        Self {
            leaves,
            drawings,
            numbers: AutoNumbers::default(),
            formula: None,
            unseen: 0,
            is_notes,
            shape: SlideShape::Text,
            in_table: false,
            text: RunText::default(),
            marks: Marks::default(),
            in_text: false,
            depth: 0,
            has_bullet: None,
            first_row: None,
        }
    }

    fn take(&mut self, event: Markup<'_>) {
        match event {
            Markup::Open(_) if self.unseen > 0 => self.unseen += 1,
            Markup::Close(_) if self.unseen > 0 => self.unseen -= 1,
            Markup::Text(_) if self.unseen > 0 => {}
            event if self.formula.is_some() => self.take_formula(event),
            Markup::Open(element) => self.open(&element),
            Markup::Close(name) => self.close(&name),
            Markup::Text(text) if self.in_text => self.text.push(&text, self.marks),
            Markup::Text(_) => {}
        }
    }

    fn take_formula(&mut self, event: Markup<'_>) {
        let Some(formula) = &mut self.formula else { return };
        if let Some(written) = office_math::take(formula, event) {
            self.text.plain(&written);
            self.formula = None;
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
            "Fallback" => self.unseen = 1,
            "oMath" => self.formula = Some(office_math::open_formula()),
            "chart" | "relIds" => {
                let leaves = self.drawings.take(element).unwrap_or_default();
                self.leaves.extend(leaves);
            }
            "txBody" => self.numbers = AutoNumbers::default(),
            "p" => {
                (self.depth, self.has_bullet) = (0, None);
                self.numbers.begin();
            }
            "pPr" => self.depth = element.attribute("lvl").and_then(|depth| depth.parse().ok()).unwrap_or(0),
            "buNone" => self.has_bullet = Some(false),
            "buChar" | "buBlip" => self.has_bullet = Some(true),
            "buAutoNum" => {
                self.has_bullet = Some(true);
                self.numbers.open(element);
            }
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
        let number = self.numbers.next(self.depth);
        let is_item = self.has_bullet.unwrap_or(self.shape == SlideShape::Body);
        let (kind, level, marker) = match self.shape {
            SlideShape::Furniture => (BlockKind::Furniture, None, None),
            _ if self.is_notes => (BlockKind::Footnote, None, None),
            _ if self.in_table => (BlockKind::Paragraph, None, None),
            SlideShape::Title => (BlockKind::Heading, Some(1), None),
            _ if is_item => (
                BlockKind::ListItem,
                Some(self.depth.saturating_add(1)),
                Some(number.unwrap_or_else(|| "-".to_owned())),
            ),
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
mod tests;
