//! Notes of word processing documents: the mark under which each is referred to.
//!
//! The marks are not stored: footnotes are counted `1`, `2`, `3`, endnotes `i`, `ii`, `iii`, in the order of the references.

use std::collections::BTreeMap;

use super::super::super::ordinal::{OrdinalStyle, format_ordinal};
use super::super::markup::XmlElement;

/// The notes met so far.
#[derive(Debug, Default)]
pub(super) struct DocxNotes {
    /// Marks by whether it is an endnote, and its id.
    marks: BTreeMap<(bool, String), String>,
    /// Numbers of footnotes and of endnotes so far.
    counts: [u32; 2],
    /// The mark of the note being read, until its first leaf takes it.
    open: Option<String>,
}

impl DocxNotes {
    /// Takes a reference to a note; returns its mark, or `None` if the text itself shows one.
    pub(super) fn refer(&mut self, reference: &XmlElement<'_>) -> Option<String> {
        let shows_own = reference.attribute("customMarkFollows").is_some_and(|value| value == "1" || value == "true");
        let id = reference.attribute("id").filter(|_| !shows_own)?;
        let is_endnote = reference.name == "endnoteReference";
        let count = &mut self.counts[usize::from(is_endnote)];
        *count += 1;
        let style = if is_endnote { OrdinalStyle::SmallRoman } else { OrdinalStyle::Figures };
        let mark = format_ordinal(i64::from(*count), style);
        self.marks.insert((is_endnote, id), mark.clone());
        Some(mark)
    }

    /// Begins a note.
    pub(super) fn begin(&mut self, note: &XmlElement<'_>) {
        let id = note.attribute("id").unwrap_or_default();
        self.open = self.marks.get(&(note.name == "endnote", id)).cloned();
    }

    /// The mark of the note that is open, once.
    pub(super) fn take_mark(&mut self) -> Option<String> {
        self.open.take()
    }
}
