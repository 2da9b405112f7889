//! Pieces take the places of their marks; notes are numbered there, and their texts stand where the page lists them, or at its end.

use std::collections::HashMap;

use super::extensions::Extensions;
use super::pieces::{MARK, Piece};
use super::{blocks, templates};

/// Puts pieces in place, page by page from its start.
pub(super) struct Notes<'e> {
    extensions: &'e Extensions,
    /// For each number from 1, the text of the note.
    texts: Vec<Option<&'e str>>,
    /// Numbers of notes by name.
    numbers: HashMap<&'e str, usize>,
    /// Number of notes whose texts stand somewhere.
    listed: usize,
    is_listing: bool,
    /// Number of templates in notes that show less than all.
    pub(super) unread: u64,
}

impl<'e> Notes<'e> {
    pub(super) fn new(extensions: &'e Extensions) -> Self {
        Self { extensions, texts: Vec::new(), numbers: HashMap::new(), listed: 0, is_listing: false, unread: 0 }
    }

    pub(super) fn extensions(&self) -> &'e Extensions {
        self.extensions
    }

    /// `html` with its pieces.
    pub(super) fn restore(&mut self, html: &str) -> String {
        let (mut out, mut rest) = (String::with_capacity(html.len()), html);
        while let Some((before, piece, behind)) = self.extensions.pieces.split(rest) {
            out.push_str(before);
            match piece {
                Piece::Inline(html) | Piece::Block(html) => out.push_str(html),
                Piece::Note(name, text) => {
                    let number = self.number(name.as_deref(), text.as_deref());
                    push_mark(number, behind, &mut out);
                }
                // A list inside a note would list itself.
                Piece::Notes if self.is_listing => {}
                Piece::Notes => out.push_str(&self.list()),
            }
            rest = behind;
        }
        out + rest
    }

    /// The notes since the last list, as a list.
    pub(super) fn list(&mut self) -> String {
        let mut out = String::new();
        self.is_listing = true;
        while let Some(text) = self.texts.get(self.listed).copied() {
            self.listed += 1;
            let note = templates::of_note(text.unwrap_or_default());
            self.unread += note.unread;
            let number = self.listed;
            let html = self.restore(&blocks::html(&note.text, &self.extensions.pieces).html);
            out.push_str(&format!("<li value=\"{number}\">{html}</li>\n"));
        }
        self.is_listing = false;
        if out.is_empty() { out } else { format!("<div role=\"doc-endnotes\"><ol>\n{out}</ol></div>\n") }
    }

    fn number(&mut self, name: Option<&'e str>, text: Option<&'e str>) -> usize {
        if let Some(number) = name.and_then(|name| self.numbers.get(name)) {
            return *number;
        }
        let named = name.and_then(|name| self.extensions.notes.get(name));
        self.texts.push(named.map(String::as_str).or(text));
        if let Some(name) = name {
            self.numbers.insert(name, self.texts.len());
        }
        self.texts.len()
    }
}

/// Appends the mark of a note. Spaces before it go where nothing but a sign follows; and words on both sides of it are not one.
fn push_mark(number: usize, behind: &str, out: &mut String) {
    let next = behind.chars().next();
    if next.is_none_or(|c| c.is_whitespace() || ".,;:!?)<".contains(c) || c == MARK) {
        out.truncate(out.trim_end_matches(' ').len());
    }
    let joins = out.ends_with(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric);
    out.push_str(&format!("<sup><a href=\"#note\" role=\"doc-noteref\">[{number}]</a></sup>"));
    out.push_str(if joins { " " } else { "" });
}
