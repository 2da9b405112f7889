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
    /// Number of runs before the text that is open.
    begun: usize,
    /// Whether the phonetic reading of a word is open.
    in_phonetic: bool,
}

impl RichText {
    pub(super) fn take(&mut self, event: &Markup<'_>) {
        match event {
            Markup::Open(element) => match element.name.as_str() {
                "rPh" => self.in_phonetic = true,
                "t" => (self.in_text, self.begun) = (!self.in_phonetic, self.runs.len()),
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
                "t" => self.end_text(),
                "r" => self.marks = None,
                _ => {}
            },
            Markup::Text(text) if self.in_text => self.runs.push((text.clone(), self.marks)),
            Markup::Text(_) => {}
        }
    }

    fn end_text(&mut self) {
        if std::mem::take(&mut self.in_text) && self.begun < self.runs.len() {
            // Its pieces may each be a part of what stands for one character.
            let text: String = self.runs.drain(self.begun..).map(|(piece, _)| piece).collect();
            self.runs.push((unescape(&text), self.marks));
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
pub(super) fn shared_texts(part: &[u8]) -> (Vec<RichText>, bool) {
    let (mut all, mut open) = (Vec::new(), RichText::default());
    let whole = walk(part, |event| match &event {
        Markup::Close(name) if name == "si" => all.push(std::mem::take(&mut open)),
        event => open.take(event),
    });
    (all, whole)
}

/// `text` with the characters for which `_x000D_` and the like stand: units of UTF-16, by their numbers (ECMA-376, part 1, 22.9.2.19).
pub(super) fn unescape(text: &str) -> String {
    let (mut units, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find("_x") {
        units.extend(rest[..at].encode_utf16());
        rest = &rest[at..];
        let digits = rest.get(2..6).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit =
            digits.filter(|_| rest[6..].starts_with('_')).and_then(|digits| u16::from_str_radix(digits, 16).ok());
        units.push(unit.unwrap_or(u16::from(b'_')));
        rest = &rest[if unit.is_some() { 7 } else { 1 }..];
    }
    units.extend(rest.encode_utf16());
    String::from_utf16_lossy(&units)
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
