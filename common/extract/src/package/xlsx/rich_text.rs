//! [`RichText`]: a text of a workbook, with runs that have fonts of their own.

use super::super::super::runs::{Marks, Position, RunText, Words};
use super::super::markup::{Markup, XmlElement, walk};

/// A text of which each piece has the marks of its own font, or none.
#[derive(Debug, Clone, Default)]
pub(super) struct RichText {
    runs: Vec<(String, Option<Marks>)>,
    /// The marks of the run that is open, if it has a font.
    marks: Option<Marks>,
    in_text: bool,
    /// Whether the phonetic reading of a word is open.
    in_phonetic: bool,
}

impl RichText {
    pub(super) fn take(&mut self, event: &Markup<'_>) {
        match event {
            Markup::Open(element) => match element.name.as_str() {
                "rPh" => self.in_phonetic = true,
                "t" => self.in_text = !self.in_phonetic,
                "r" => self.marks = None,
                "rPr" => self.marks = Some(Marks::default()),
                _ => {
                    if let Some(marks) = &mut self.marks {
                        take_mark(marks, element);
                    }
                }
            },
            Markup::Close(name) => match name.as_str() {
                "rPh" => self.in_phonetic = false,
                "t" => self.in_text = false,
                "r" => self.marks = None,
                _ => {}
            },
            Markup::Text(text) if self.in_text => self.runs.push((text.clone(), self.marks)),
            Markup::Text(_) => {}
        }
    }

    /// Begins plain text.
    pub(super) fn open(&mut self) {
        self.in_text = true;
    }

    /// Ends plain text.
    pub(super) fn close(&mut self) {
        self.in_text = false;
    }

    /// Whether it has no characters.
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Appends its runs to `text`; those without a font of their own have `marks`.
    pub(super) fn append_to(&self, text: &mut RunText, marks: Marks) {
        for (run, own) in &self.runs {
            text.push(run, own.unwrap_or(marks));
        }
    }

    /// Its words, set in a font without marks.
    pub(super) fn words(&self) -> Words {
        let mut text = RunText::default();
        self.append_to(&mut text, Marks::default());
        text.words()
    }
}

/// The texts shared by cells, in the part `sharedStrings.xml`; whether it was complete.
pub(super) fn shared(part: &[u8]) -> (Vec<RichText>, bool) {
    let (mut all, mut open) = (Vec::new(), RichText::default());
    let whole = walk(part, |event| match &event {
        Markup::Close(name) if name == "si" => all.push(std::mem::take(&mut open)),
        event => open.take(event),
    });
    (all, whole)
}

/// Takes a property of a font that is a mark.
pub(super) fn take_mark(marks: &mut Marks, property: &XmlElement<'_>) {
    let value = property.attribute("val");
    match property.name.as_str() {
        "strike" => marks.is_struck = !matches!(value.as_deref(), Some("0" | "false")),
        "vertAlign" => {
            marks.position = match value.as_deref() {
                Some("superscript") => Position::Raised,
                Some("subscript") => Position::Lowered,
                _ => Position::Baseline,
            }
        }
        _ => {}
    }
}
