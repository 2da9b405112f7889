//! Org documents (the syntax of Org mode 9) to leaves: headlines, lists, tables, blocks, keywords, notes.
//!
//! | file | what it owns |
//! | --- | --- |
//! | `closings` | which drawers and blocks end |
//! | `inline` | links, emphasis and note marks inside a line |
//! | `lines` | what a line is |
//!
//! Comments, commented headlines, blocks for one exporter, drawers and settings are not part of the page that an exporter writes; they are
//! left out and counted.

mod closings;
mod inline;
mod lines;

use precis_proto::{BlockKind, FieldPlace};
use precis_text::Leaf;

use super::columns::Cell;
use super::drawn_table::DrawnTable;
use super::fields;
use super::runs::{LeftOut, RunText, Words};
use super::table::Leaves;
use lines::OrgLine;

/// An Org document as text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OrgText {
    /// `#+TITLE`, otherwise the first headline.
    pub(super) title: Option<String>,
    pub(super) leaves: Vec<Leaf>,
    /// What it does not say.
    pub(super) left_out: LeftOut,
    /// Number of drawers and blocks for one exporter.
    pub(super) unread: u64,
}

/// The text of `source`.
pub(super) fn read(source: &str) -> OrgText {
    let mut reader = OrgReader::default();
    let lines: Vec<&str> = source.lines().collect();
    let mut behind = 0;
    for (at, (line, is_closed)) in lines.iter().zip(closings::closings(&lines)).enumerate() {
        if at >= behind {
            behind = reader.drawn_table(&lines, at).unwrap_or(at + 1);
            if behind == at + 1 {
                reader.line(line, is_closed);
            }
        }
    }
    reader.end_block();
    reader.end_table();
    reader.leaves.count(LeftOut { hidden: reader.hidden, ..LeftOut::default() });
    let (left_out, unread) = (reader.leaves.left_out(), reader.unread);
    OrgText { title: reader.title.or(reader.headline), leaves: reader.leaves.finish(), left_out, unread }
}

#[derive(Default)]
struct OrgReader {
    leaves: Leaves,
    /// The block being read: its kind with level and marker, and its text.
    block: Option<Leaf>,
    /// The name of the open `#+BEGIN_` block and what becomes of its lines.
    open: Option<(String, BlockUse)>,
    is_in_drawer: bool,
    /// Rows of the open table, and how many of them stand above its first rule.
    rows: Vec<Vec<String>>,
    head_rows: Option<usize>,
    /// Indents of the open list items.
    indents: Vec<usize>,
    /// Level of the commented headline whose section is being left out.
    commented: Option<usize>,
    title: Option<String>,
    headline: Option<String>,
    hidden: u64,
    unread: u64,
}

/// What becomes of the lines of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockUse {
    Code,
    Quotation,
    Text,
    Hidden,
    /// For one exporter only, as raw HTML.
    LeftOut,
}

impl BlockUse {
    fn of(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "src" | "example" => Self::Code,
            "quote" | "verse" => Self::Quotation,
            "comment" => Self::Hidden,
            "export" | "html" | "latex" => Self::LeftOut,
            _ => Self::Text,
        }
    }
}

impl OrgReader {
    /// Takes a line; `is_closed` tells of one that begins a drawer or block whether it ends.
    fn line(&mut self, line: &str, is_closed: bool) {
        if let Some((name, usage)) = self.open.clone() {
            let end = line.trim().strip_prefix("#+").map(str::to_ascii_lowercase);
            if end.is_some_and(|end| end.strip_prefix("end_").is_some_and(|end| end.trim() == name)) {
                self.end_block();
                self.open = None;
                return;
            }
            if usage != BlockUse::Text {
                return self.block_line(line, usage);
            }
        }
        if self.is_in_drawer {
            self.is_in_drawer = !line.trim().eq_ignore_ascii_case(":end:");
            return;
        }
        let found = match lines::of(line) {
            OrgLine::Begin(_) | OrgLine::Drawer if !is_closed => OrgLine::Text { indent: 0, text: line.trim() },
            found => found,
        };
        if let OrgLine::Headline { stars, is_comment, .. } = &found {
            self.commented = self.commented.filter(|level| stars > level).or(is_comment.then_some(*stars));
        }
        if self.commented.is_some() {
            self.hidden += visible_chars(line);
            return;
        }
        if !matches!(found, OrgLine::Row(_) | OrgLine::Rule) {
            self.end_table();
        }
        self.take(found);
    }

    /// Reads the table that is drawn as a grid from line `at` on, the sort that Emacs draws; returns the index of the line behind it.
    fn drawn_table(&mut self, lines: &[&str], at: usize) -> Option<usize> {
        let is_prose = self.open.is_none() && !self.is_in_drawer && self.commented.is_none();
        let table = is_prose.then(|| DrawnTable::grid(lines, at))??;
        self.end_block();
        self.end_table();
        self.leaves.open_table();
        for row in table.rows {
            let mut words = |lines: Vec<String>| self.leaves.block_words(inline::plain(&lines.join("\n")).words).text;
            let cells: Vec<(Cell, String)> = row.cells.into_iter().map(|(cell, lines)| (cell, words(lines))).collect();
            self.leaves.push_cells(row.is_header, &cells);
        }
        self.leaves.close_table();
        table.typed.iter().for_each(|line| self.add(BlockKind::Code, line));
        self.end_block();
        Some(table.end)
    }

    fn block_line(&mut self, line: &str, usage: BlockUse) {
        match usage {
            BlockUse::Code => self.add(BlockKind::Code, line),
            BlockUse::Quotation if line.trim().is_empty() => self.end_block(),
            BlockUse::Quotation => self.add(BlockKind::Quotation, line),
            BlockUse::Hidden => self.hidden += visible_chars(line),
            BlockUse::Text | BlockUse::LeftOut => {}
        }
    }

    fn take(&mut self, line: OrgLine<'_>) {
        match line {
            OrgLine::Blank => self.end_block(),
            OrgLine::Headline { stars, text, .. } => {
                let leaf =
                    Leaf { level: Some(u8::try_from(stars).unwrap_or(u8::MAX)), ..Leaf::new(BlockKind::Heading, text) };
                self.alone(leaf);
                let headline = || inline::plain(text).words.words().text;
                self.headline = self.headline.take().or_else(|| Some(headline()));
            }
            OrgLine::Keyword { name, value } => self.keyword(&name, value),
            OrgLine::Begin(name) => {
                self.end_block();
                let usage = BlockUse::of(name);
                self.unread += u64::from(usage == BlockUse::LeftOut);
                self.open = Some((name.to_ascii_lowercase(), usage));
            }
            OrgLine::Drawer => {
                self.end_block();
                self.is_in_drawer = true;
                self.unread += 1;
            }
            OrgLine::Comment(text) => self.hidden += visible_chars(text),
            OrgLine::Fixed(text) => self.add(BlockKind::Code, text),
            OrgLine::Note(text) => {
                self.end_block();
                self.block = Some(Leaf::new(BlockKind::Footnote, text));
            }
            OrgLine::Separator => self.end_block(),
            OrgLine::Row(cells) => {
                self.end_block();
                self.rows.push(cells);
            }
            OrgLine::Rule => self.head_rows = self.head_rows.or(Some(self.rows.len()).filter(|rows| *rows > 0)),
            OrgLine::Item { indent, marker, text } => {
                self.end_block();
                self.indents.retain(|open| *open < indent);
                self.indents.push(indent);
                let level = u8::try_from(self.indents.len()).unwrap_or(u8::MAX);
                self.block =
                    Some(Leaf { level: Some(level), marker: Some(marker), ..Leaf::new(BlockKind::ListItem, text) });
            }
            OrgLine::Text { indent, text } => self.text(indent, text),
        }
    }

    /// Adds a line of text: to its item if it is indented more than the item, otherwise to the paragraph.
    fn text(&mut self, indent: usize, text: &str) {
        let open = self.indents.len();
        self.indents.retain(|item| *item < indent);
        let left_list = self.indents.len() < open;
        if left_list {
            self.end_block();
        }
        match &mut self.block {
            Some(block) if block.kind != BlockKind::Code => {
                block.text.push('\n');
                block.text.push_str(text);
            }
            _ => {
                self.end_block();
                let level = u8::try_from(self.indents.len()).unwrap_or(u8::MAX);
                self.block = Some(match level {
                    0 => Leaf::new(BlockKind::Paragraph, text),
                    _ => Leaf { level: Some(level), ..Leaf::new(BlockKind::ListItem, text) },
                });
            }
        }
    }

    fn keyword(&mut self, name: &str, value: &str) {
        self.end_block();
        match name {
            "title" => {
                self.title = self.title.take().or_else(|| Some(inline::plain(value).words.words().text));
                self.alone(Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, value) });
            }
            "subtitle" | "author" | "date" | "email" | "description" | "keywords" | "filetags" => {
                let value = inline::plain(value).words.words().text;
                if let Some(field) = fields::leaf(name, &value, FieldPlace::FrontMatter) {
                    self.end_block();
                    self.leaves.push(field);
                }
            }
            "caption" => self.alone(Leaf::new(BlockKind::Caption, value)),
            "html" | "latex" => self.unread += 1,
            // Settings of the editor and of exporters.
            _ => {}
        }
    }

    /// Adds a block of a single line.
    fn alone(&mut self, leaf: Leaf) {
        self.end_block();
        self.indents.clear();
        self.block = Some(leaf);
        self.end_block();
    }

    fn add(&mut self, kind: BlockKind, line: &str) {
        if self.block.as_ref().is_some_and(|block| block.kind != kind) {
            self.end_block();
        }
        let block = self.block.get_or_insert_with(|| Leaf::new(kind, ""));
        block.text.push_str(line);
        block.text.push('\n');
    }

    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        if block.kind == BlockKind::Code {
            let code = self.leaves.leaf(BlockKind::Code, RunText::of(&block.text));
            return code.into_iter().for_each(|code| self.leaves.push(code));
        }
        let shown = inline::plain(&block.text);
        let Words { text, notes, links, left_out, .. } = self.leaves.block_words(shown.words);
        self.leaves.push(Leaf { text, notes, links, is_struck: left_out.struck > 0, ..block });
        for note in shown.notes {
            let note = self.leaves.block_words(RunText::of(&note)).text;
            self.leaves.push(Leaf::new(BlockKind::Footnote, note));
        }
    }

    fn end_table(&mut self) {
        let (rows, head_rows) = (std::mem::take(&mut self.rows), self.head_rows.take());
        if rows.is_empty() {
            return;
        }
        // A rule below the last row closes the table, and names no columns.
        let head_rows = head_rows.filter(|head| *head < rows.len()).unwrap_or(0);
        self.leaves.open_table();
        for (at, row) in rows.iter().enumerate() {
            let row: Vec<String> =
                row.iter().map(|cell| self.leaves.block_words(inline::plain(cell).words).text).collect();
            self.leaves.push_row(at < head_rows, &row);
        }
        self.leaves.close_table();
    }
}

fn visible_chars(line: &str) -> u64 {
    line.chars().filter(|c| !c.is_whitespace()).count() as u64
}

#[cfg(test)]
mod tests;
