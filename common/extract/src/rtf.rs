//! Rich Text (RTF 1.9.1): the body, followed by its notes. The library separates control words from text; this module interprets them.
//! Deleted text, hidden text, text about the document, and headers and footers are left out.

use precis_proto::BlockKind;
use precis_text::Leaf;
use rtf_parser_tt::{ControlWord, Lexer, Property, Token};

use super::runs::{LeftOut, Marks, RunText, Words};
use super::table::{Cell, Leaves};
use letters::Letters;
use rows::{RowDefinition, TableColumns};

mod control_words;
mod letters;
mod rows;

/// Most groups, control words and pieces of text in a document: each takes 40 bytes of memory while it is read.
const MAX_TOKENS: usize = 2_000_000;
/// Most style definitions read.
const MAX_STYLES: usize = 10_000;

/// A document as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RtfText {
    /// Its own title.
    pub(super) title: Option<String>,
    /// Its text.
    pub(super) leaves: Vec<Leaf>,
    /// What it does not say.
    pub(super) left_out: LeftOut,
    /// Comments, headers and footers, which are not read.
    pub(super) unread: Option<String>,
}

/// Reads the document `bytes`.
///
/// # Errors
/// A description of the fault.
pub(super) fn read(bytes: &[u8]) -> Result<RtfText, String> {
    let marks = bytes.iter().filter(|byte| matches!(byte, b'{' | b'}' | b'\\')).count();
    if marks > MAX_TOKENS {
        return Err(format!("it has {marks} control words and groups, expected at most {MAX_TOKENS}"));
    }
    // Bytes beyond ASCII are letters in the document's encoding; kept as characters with the same number, they can be decoded later.
    let source: String = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    };
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    let tokens = Lexer::scan(&source).map_err(|_| "its markup is damaged".to_owned())?;
    let mut reader = RtfReader {
        letters: Letters::new(is_utf8),
        groups: vec![RtfGroup::default()],
        columns: TableColumns::of(&tokens),
        ..RtfReader::default()
    };
    let mut is_starred = false;
    for token in &tokens {
        reader.take(token, std::mem::replace(&mut is_starred, matches!(token, Token::IgnorableDestination)));
    }
    Ok(reader.finish())
}

/// The destination of the text of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Destination {
    #[default]
    Body,
    /// The number or bullet of an item.
    Marker,
    Note,
    Title,
    /// The definition of a style.
    Style,
    Fonts,
    Nowhere,
}

/// The state that a group inherits from the one around it.
#[derive(Debug, Clone, Copy)]
struct RtfGroup {
    place: Destination,
    marks: Marks,
    is_deleted: bool,
    /// Number of stand-in characters that follow a Unicode character.
    stand_ins: usize,
    font: Option<i32>,
}

impl Default for RtfGroup {
    fn default() -> Self {
        Self { place: Destination::Body, marks: Marks::default(), is_deleted: false, stand_ins: 1, font: None }
    }
}

/// The properties of the paragraph being read.
#[derive(Debug, Clone, Copy, Default)]
struct RtfParagraph {
    in_table: bool,
    style: Option<i32>,
    outline: Option<u8>,
    is_listed: bool,
    depth: u8,
}

#[derive(Debug, Default)]
struct RtfReader {
    letters: Letters,
    groups: Vec<RtfGroup>,
    paragraph: RtfParagraph,
    text: RunText,
    marker: String,
    /// The text and the paragraph interrupted by a note, and the group depth of the note.
    interrupted: Option<(RunText, RtfParagraph, usize)>,
    notes: Vec<Leaf>,
    /// Number of notes so far; the current one has this number.
    note: usize,
    title: String,
    /// Names of styles by number, and the number of the one being read.
    styles: std::collections::BTreeMap<i32, String>,
    style: i32,
    leaves: Leaves,
    has_table: bool,
    has_row: bool,
    has_cell: bool,
    is_header: bool,
    columns: TableColumns,
    /// The definition of the row being read, and the number of definitions so far.
    row: RowDefinition,
    defined: usize,
    /// Number of cells of the row that have ended.
    cell: usize,
    /// Number of columns that the cell before covers.
    covered: usize,
    /// Number of stand-ins still to be skipped.
    skip: usize,
    /// Numbers of comments, and of headers and footers.
    unread: [usize; 2],
}

impl RtfReader {
    fn group(&mut self) -> &mut RtfGroup {
        if self.groups.is_empty() {
            self.groups.push(RtfGroup::default());
        }
        self.groups.last_mut().expect("one was just added where none was")
    }

    fn take(&mut self, token: &Token<'_>, is_starred: bool) {
        // Only when another token follows, because a character of several bytes comes in several tokens.
        if !matches!(token, Token::ControlSymbol((ControlWord::HexChar, _))) {
            self.flush_bytes();
        }
        match token {
            Token::OpeningBracket => {
                self.skip = 0;
                let group = *self.group();
                self.groups.push(group);
            }
            Token::ClosingBracket => self.close(),
            Token::PlainText(text) => self.plain(text),
            Token::CRLF => self.end_paragraph(),
            Token::ControlSymbol((word, property)) => {
                let value = match property {
                    Property::Value(value) => Some(*value),
                    Property::On => Some(1),
                    Property::Off => Some(0),
                    _ => None,
                };
                self.word(word, value, is_starred);
            }
            _ => {}
        }
    }

    fn close(&mut self) {
        self.skip = 0;
        let closed = self.groups.pop().unwrap_or_default();
        let depth = self.groups.len();
        if let Some((text, paragraph, _)) = self.interrupted.take_if(|(_, _, at)| *at > depth) {
            self.end_paragraph_at(Destination::Note);
            (self.text, self.paragraph) = (text, paragraph);
        }
        if closed.place == Destination::Style && self.group().place == Destination::Style {
            self.style = 0;
        }
    }

    fn plain(&mut self, text: &str) {
        let skipped = text.char_indices().nth(self.skip).map_or(text.len(), |(at, _)| at);
        self.skip -= text[..skipped].chars().count().min(self.skip);
        let text = &text[skipped..];
        match self.letters.is_utf8() || text.is_ascii() {
            true => self.push(text),
            false => {
                for c in text.chars() {
                    match u8::try_from(u32::from(c)) {
                        Ok(byte) => self.letters.push(byte),
                        Err(_) => self.push(c.encode_utf8(&mut [0; 4])),
                    }
                }
                self.flush_bytes();
            }
        }
    }

    fn flush_bytes(&mut self) {
        if !self.letters.is_empty() {
            let font = self.group().font;
            let text = self.letters.take(font);
            self.push(&text);
        }
    }

    fn push(&mut self, text: &str) {
        let group = *self.group();
        let symbols = self.letters.symbol_font(group.font).map(|font| font.text(text));
        let text = symbols.as_deref().unwrap_or(text);
        match group.place {
            Destination::Body | Destination::Note if group.is_deleted => {}
            Destination::Body | Destination::Note => self.text.push(text, group.marks),
            Destination::Marker => self.marker.push_str(text),
            Destination::Title => self.title.push_str(text),
            Destination::Style if self.styles.len() < MAX_STYLES => {
                self.styles.entry(self.style).or_default().push_str(text)
            }
            Destination::Fonts => self.letters.name_font(text),
            Destination::Style | Destination::Nowhere => {}
        }
    }

    fn begin_note(&mut self) {
        if self.interrupted.is_some() || self.group().place != Destination::Body {
            return;
        }
        self.note += 1;
        self.text.note(&self.note.to_string());
        self.interrupted = Some((std::mem::take(&mut self.text), self.paragraph, self.groups.len()));
        (self.group().place, self.group().marks) = (Destination::Note, Marks::default());
    }

    fn end_paragraph(&mut self) {
        let place = self.group().place;
        self.end_paragraph_at(place);
    }

    fn end_paragraph_at(&mut self, place: Destination) {
        if !matches!(place, Destination::Body | Destination::Note) {
            return;
        }
        let text = std::mem::take(&mut self.text);
        let leaf = self.leaves.leaf(BlockKind::Paragraph, text);
        if place == Destination::Note {
            let marker = Some(self.note.to_string());
            self.notes.extend(leaf.map(|leaf| Leaf { kind: BlockKind::Footnote, marker, ..leaf }));
            return;
        }
        let marker = std::mem::take(&mut self.marker);
        let Some(leaf) = leaf else { return };
        match self.paragraph.in_table {
            true => self.open_cell(),
            false => self.end_table(),
        }
        let leaf = self.apply_style(leaf, marker.trim());
        self.leaves.push(leaf);
    }

    fn apply_style(&self, leaf: Leaf, marker: &str) -> Leaf {
        let name = self
            .paragraph
            .style
            .and_then(|style| self.styles.get(&style))
            .map(|name| name.trim_end_matches(';').to_lowercase());
        let by_name = name.as_deref().and_then(|name| match name.trim() {
            "title" => Some((BlockKind::Heading, 1)),
            "subtitle" => Some((BlockKind::Heading, 2)),
            "caption" => Some((BlockKind::Caption, 0)),
            "quote" | "intense quote" | "quotations" => Some((BlockKind::Quotation, 0)),
            name => name
                .strip_prefix("heading ")
                .and_then(|level| level.parse().ok())
                .map(|level: u8| (BlockKind::Heading, level.clamp(1, 9))),
        });
        let by_outline = self.paragraph.outline.map(|level| (BlockKind::Heading, level + 1));
        // A bullet from a symbol font is not a letter.
        let is_number = marker.chars().any(char::is_alphanumeric);
        match by_name.or(by_outline) {
            Some((BlockKind::Heading, level)) if is_number => {
                Leaf { kind: BlockKind::Heading, level: Some(level), text: format!("{marker} {}", leaf.text), ..leaf }
            }
            Some((kind, level)) => Leaf { kind, level: (level > 0).then_some(level), ..leaf },
            None if self.paragraph.is_listed || !marker.is_empty() => {
                let marker = (!marker.is_empty()).then(|| if is_number { marker.to_owned() } else { "-".to_owned() });
                Leaf { kind: BlockKind::ListItem, level: Some(self.paragraph.depth + 1), marker, ..leaf }
            }
            None => leaf,
        }
    }

    fn open_cell(&mut self) {
        if !self.has_table {
            self.leaves.open_table();
            self.has_table = true;
        }
        if !self.has_row {
            self.leaves.open_row(self.is_header);
            (self.has_row, self.cell) = (true, 0);
        }
        if !self.has_cell {
            self.open_defined_cell();
            self.has_cell = true;
        }
    }

    /// Opens the next cell as its row defines it; one that is a part of the cell before widens that.
    fn open_defined_cell(&mut self) {
        let table = self.defined.checked_sub(1).and_then(|row| self.columns.of_row(row));
        let (defined, columns) = table.map_or_else(Default::default, |table| self.row.cell(self.cell, table));
        let columns = columns.max(1);
        if defined.joins_left && self.cell > 0 {
            self.covered += columns;
            self.leaves.cell_takes(self.covered);
        } else {
            self.covered = columns;
            self.leaves.open_cell(Cell { columns, goes_on: defined.goes_on, ..Cell::PLAIN });
        }
    }

    /// Ends a cell; a cell of a nested table becomes a paragraph of the outer cell.
    fn end_cell(&mut self, is_nested: bool) {
        self.paragraph.in_table = true;
        self.end_paragraph();
        if !is_nested {
            self.open_cell();
            self.has_cell = false;
            self.cell += 1;
        }
    }

    fn end_row(&mut self) {
        self.leaves.close_row();
        (self.has_row, self.has_cell) = (false, false);
    }

    fn end_table(&mut self) {
        if self.has_table {
            self.end_row();
            self.leaves.close_table();
            self.has_table = false;
        }
    }

    fn finish(mut self) -> RtfText {
        self.flush_bytes();
        // A note that was never closed must not swallow the text before it.
        if let Some((text, paragraph, _)) = self.interrupted.take() {
            self.end_paragraph_at(Destination::Note);
            (self.text, self.paragraph) = (text, paragraph);
        }
        self.end_paragraph_at(Destination::Body);
        let mut title = RunText::default();
        title.plain(&self.title);
        let Words { text: title, .. } = self.leaves.block_words(title);
        let left_out = self.leaves.left_out();
        let mut leaves = self.leaves.finish();
        leaves.extend(self.notes);
        let kinds = ["comments", "headers and footers"].into_iter().zip(self.unread);
        let unread: Vec<String> = kinds
            .filter(|(_, count)| *count > 0)
            .map(|(what, count)| format!("{what} were left out: {count}"))
            .collect();
        let unread = (!unread.is_empty()).then(|| unread.join("; "));
        RtfText { unread, title: Some(title).filter(|title| !title.is_empty()), leaves, left_out }
    }
}

#[cfg(test)]
mod tests;
